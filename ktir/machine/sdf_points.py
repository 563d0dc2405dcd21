"""`sdf.points`: the points of a set, listed when the program runs.

Owns its decoding, its run, and the fault of a set that has another number of points than its
buffers have elements.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import torch
from torch import Tensor

from ktir.errors import MachineError
from ktir.machine.affine import decode_map
from ktir.machine.block import Step
from ktir.machine.decode import Scope, handler
from ktir.machine.frame import Frame
from ktir.machine.kernel_state import KernelRun
from ktir.machine.percore import per_core, rows
from ktir.machine.sdf_buffers import claim, decode_buffer
from ktir.machine.sets import decode_set, sort_points

_KNOWN_LISTS = 64
"""Values of the symbols of one set whose points are kept."""


@handler("sdf.points")
def decode_points(op: Any, scope: Scope) -> Step:
    """Coordinates of all points to one buffer a dimension."""
    buffers = [decode_buffer(entry) for entry in op.buffers]
    kernel = claim(scope, writes=buffers)
    set_, order = decode_set(op.attributes["set"]), decode_map(op.attributes["order"])
    symbols = scope.slots(list(op.symbols))
    shape = buffers[0].shape
    count = math.prod(shape)
    time = kernel.target.vector.time(count, False, 64)

    @functools.lru_cache(_KNOWN_LISTS)
    def listed(key: tuple[int, ...]) -> Tensor:
        """The points for these symbols, int64 [rank, *shape]."""
        points = sort_points(set_.bind(key).points(), order)
        if len(points) != count:
            text = "x".join(map(str, shape))
            raise MachineError(
                f"the set has {len(points)} points, which do not fill a tile of {text}"
            )
        return points.T.reshape(-1, *shape)

    def run(frame: Frame) -> None:
        assert isinstance(frame.run, KernelRun)
        cores = None if frame.group.is_all else frame.group.runs
        frame.run.counters.vector(count, time, cores)
        if not kernel.values:
            return
        found = torch.stack([listed(key) for key in rows([per_core(frame[s]) for s in symbols])])
        for dim, buffer in enumerate(buffers):
            buffer.write(frame, found[:, dim])

    return run
