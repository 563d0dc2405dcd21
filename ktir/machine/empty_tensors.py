"""`tensor.empty`, a tensor whose contents nobody has defined, and `ub.poison`, a value that nobody
has.

Owns what they hold. A tensor holds poison in functions, zeros in kernels, which public ones
accumulate on; what the run says, where a kernel is watched and may read it.
"""

from __future__ import annotations

from typing import Any

import torch

from ktir.machine.block import Step
from ktir.machine.decode import Scope, handler, scalar_type
from ktir.machine.frame import Frame
from ktir.machine.garbage import Origin
from ktir.machine.location import Place
from ktir.machine.numerics import dtype_of, poison
from ktir.machine.slices import DYNAMIC, Mixed
from ktir.mlir import ir


@handler("tensor.empty")
def decode_empty(op: Any, scope: Scope) -> Step | None:
    """Contents of the shape of the result."""
    result_type = op.results[0].type
    dtype = dtype_of(scalar_type(result_type))
    sizes = Mixed(list(result_type.shape), scope.slots(list(op.operands)))
    if scope.is_watched and _may_be_read(op.results[0]):
        return _decode_watched(op, scope, sizes, dtype)
    content = 0 if scope.empty_is_zero else poison(dtype)
    element = torch.tensor(content, dtype=torch.float32 if dtype.is_floating_point else dtype)
    element = element.to(dtype)
    if sizes.constants is not None:
        scope.constant(op.results[0], element.expand(1, *sizes.constants))
        return None
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        frame[result] = element.expand(1, *sizes.ints(frame))

    return step


@handler("ub.poison")
def decode_poison(op: Any, scope: Scope) -> None:
    """Zeros: rewriting blocks as loops passes such values on where nothing is to be passed."""
    result_type = op.results[0].type
    shape = ir.RankedTensorType(result_type).shape if isinstance(result_type, ir.ShapedType) else ()
    sizes = [0 if size == DYNAMIC else size for size in shape]
    zeros = torch.zeros(1, dtype=dtype_of(scalar_type(result_type)))
    scope.constant(op.results[0], zeros.view(1, *[1] * len(sizes)).expand(1, *sizes))


def _decode_watched(op: Any, scope: Scope, sizes: Mixed, dtype: torch.dtype) -> Step:
    place = Place.of(op)
    origin = Origin(place, f"what {place} holds")
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        assert frame.run.garbage is not None, "a watched kernel runs with undefined contents"
        frame[result] = frame.run.garbage.tensor(origin, (1, *sizes.ints(frame)), dtype)

    return step


def _may_be_read(value: Any) -> bool:
    """Whether an op may use what an uninitialised tensor holds, and not only write over it."""
    return any(_reads(use.owner, use.operand_number) for use in value.uses)


def _reads(op: Any, operand: int) -> bool:
    name = op.name
    if name in ("tensor.dim", "tensor.rank", "linalg.softmax"):
        return False
    if not name.startswith("linalg.") or not len(op.regions):
        return True
    # Arguments of the body are what it gets of the operands; that of a map gets no output.
    arguments = list(op.regions[0].blocks[0].arguments)
    return operand < len(arguments) and any(True for _ in arguments[operand].uses)
