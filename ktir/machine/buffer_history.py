"""What check "full" is told of scratchpad buffers: which of their elements are read and written.

Owns the bytes of a buffer, or of a part of it, on the cores of a group. Most buffers no other core
can touch, and the order of the program is that of their accesses: nothing is told of those. What
follows from an access is up to `shadow`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import torch
from torch import Tensor

from ktir.machine.footprint import ElementBytes, Footprint, TileBytes
from ktir.machine.frame import Frame
from ktir.machine.kernel_state import KernelRun
from ktir.machine.memory import buffer_strides
from ktir.machine.patterns import Offsets
from ktir.machine.percore import PerCore, pick
from ktir.machine.shadow import Actor, Shadow
from ktir.machine.watch import Watch


class _Buffer(Protocol):
    @property
    def address(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> torch.dtype: ...


Part = tuple[Sequence[PerCore], Sequence[int], Sequence[int]]
"""A rectangle of a buffer: offsets, sizes and strides, one entry a dimension, in its elements."""


def history_of(frame: Frame, buffer: _Buffer) -> tuple[Watch, Shadow] | None:
    """What watches the launch, and the history of the buffer's bytes, if it has one."""
    run = frame.run
    if not isinstance(run, KernelRun) or run.watch is None or run.scratchpad is None:
        return None
    shadow = run.scratchpad.history(buffer.address, buffer.end)
    return None if shadow is None else (run.watch, shadow)


def note_read(frame: Frame, buffer: _Buffer, part: Part | None = None) -> None:
    """Tells of a read of a buffer, or of a part of it. Raises MachineError if it is a fault."""
    found = history_of(frame, buffer)
    if found is not None:
        watch, shadow = found
        bytes_ = _bytes(frame, buffer, part)
        shadow.read(bytes_, _actor(frame, watch, "reads", buffer, part))


def watched_write(
    frame: Frame,
    buffer: _Buffer,
    data: Tensor,
    current: Callable[[], Tensor],
    perform: Callable[[], None],
    part: Part | None = None,
    inside: Tensor | None = None,
) -> None:
    """Calls `perform`, which writes `data` [1 or cores, points] to a buffer, a part of it, or the
    elements of it that are `inside` [1 or cores, points]. `current` reads what is there."""
    found = history_of(frame, buffer)
    if found is None:
        perform()
        return
    watch, shadow = found
    bytes_ = _bytes(frame, buffer, part)
    if inside is not None:
        bytes_ = _elements(frame, buffer, inside)
    actor = _actor(frame, watch, "writes", buffer, part)
    shadow.write(bytes_, actor, data, current, perform)


def _starts(frame: Frame, buffer: _Buffer) -> list[int]:
    """Element 0 of the buffer on each core, in elements of all scratchpads."""
    assert isinstance(frame.run, KernelRun)
    assert frame.run.scratchpad is not None
    size, item = frame.run.scratchpad.size, buffer.dtype.itemsize
    return [(core * size + buffer.address) // item for core in frame.group.numbers.tolist()]


def _bytes(frame: Frame, buffer: _Buffer, part: Part | None) -> Footprint:
    apart = buffer_strides(buffer.shape, buffer.dtype)
    starts, item = _starts(frame, buffer), buffer.dtype.itemsize
    if part is None:
        return TileBytes.of(Offsets(starts), buffer.shape, apart, item)
    offsets, sizes, strides = part
    for offset, step in zip(offsets, apart, strict=True):
        starts = [start + pick(offset, at) * step for at, start in enumerate(starts)]
    steps = [stride * step for stride, step in zip(strides, apart, strict=True)]
    return TileBytes.of(Offsets(starts), sizes, steps, item)


def _elements(frame: Frame, buffer: _Buffer, inside: Tensor) -> Footprint:
    index = torch.zeros((), dtype=torch.int64)
    for size, step in zip(buffer.shape, buffer_strides(buffer.shape, buffer.dtype), strict=True):
        index = index.unsqueeze(-1) + torch.arange(size) * step
    starts = torch.tensor(_starts(frame, buffer))
    places = starts[:, None] + index.reshape(1, -1)
    return ElementBytes(places, inside.expand(places.shape), 1, buffer.dtype.itemsize)


def _actor(frame: Frame, watch: Watch, verb: str, buffer: _Buffer, part: Part | None) -> Actor:
    numbers = frame.group.numbers
    sizes = buffer.shape if part is None else part[1]

    def by(position: int) -> str:
        return f"core {int(numbers[position])} {verb} {buffer}"

    def where(position: int, point: int) -> str:
        found: list[int] = []
        for size in reversed(sizes):
            found.insert(0, point % size)
            point //= size
        if part is not None:
            offsets, _, strides = part
            dims = zip(offsets, strides, found, strict=True)
            found = [pick(offset, position) + stride * at for offset, stride, at in dims]
        return f"at [{', '.join(map(str, found))}]"

    return Actor(numbers, watch.clocks, by, where)
