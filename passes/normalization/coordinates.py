"""What is known of integers that count: the analysis behind `ktir-fold-coordinates`.

Owns the symbolic value of an integer in the body of a generic, followed through casts, sums,
decided selects and the generics, fills and unit reshapes that made an operand. It changes no IR.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

from ktir.mlir import ir
from ktir.passes.ir_utils import AnyOp, defining_op, shape_of
from ktir.passes.normalization.generics import (
    VIEW_OPS,
    Generic,
    generic,
    integer,
    is_elementwise,
    reassociation,
)
from ktir.passes.structured import Access

# `arith.cmpi` predicates that compare signed integers or test equality, by their number.
_COMPARISONS: dict[int, Callable[[int, int], bool]] = {
    0: operator.eq,
    1: operator.ne,
    2: operator.lt,
    3: operator.le,
    4: operator.gt,
    5: operator.ge,
}


@dataclass(frozen=True)
class Coordinate:
    """An integer known to be `loop + offset`, or `offset` where loop is None; the loop counts to
    `extent` - 1.
    """

    loop: int | None
    offset: int
    extent: int = 1

    @property
    def last(self) -> int:
        return self.offset + self.extent - 1


def coordinate(value: ir.Value, view: Generic) -> Coordinate | None:
    """What is known of an integer in the body of `view`, in terms of its loops."""
    op = defining_op(value)
    if op is None:
        return _of_operand(value, view)
    name = op.operation.name
    if name == "arith.constant":
        return _of_constant(op)
    if name == "linalg.index":
        loop = integer(op, "dim")
        return Coordinate(loop, 0, view.extents()[loop])
    if name in ("arith.index_cast", "arith.extsi"):
        return coordinate(op.operands[0], view)
    if name == "arith.addi":
        return _sum(*(coordinate(operand, view) for operand in op.operands))
    if name == "arith.select":
        return _selected(op, view)
    return None


def decided(comparison: AnyOp, view: Generic) -> bool | None:
    """The result of an `arith.cmpi` that is the same for all values of the loops; None if it is
    not or is unknown.
    """
    compare = _COMPARISONS.get(integer(comparison, "predicate"))
    left, right = (coordinate(operand, view) for operand in comparison.operands)
    if compare is None or left is None or right is None or right.loop is not None:
        return None
    ends = {compare(end, right.offset) for end in (left.offset, left.last)}
    # Equality may change between ends that agree.
    inside = compare in (operator.eq, operator.ne) and left.offset <= right.offset <= left.last
    return ends.pop() if len(ends) == 1 and (not inside or left.extent == 1) else None


def _of_constant(op: AnyOp) -> Coordinate | None:
    value = op.attributes["value"]
    return Coordinate(None, value.value) if isinstance(value, ir.IntegerAttr) else None


def _sum(first: Coordinate | None, second: Coordinate | None) -> Coordinate | None:
    if first is None or second is None or (first.loop is not None and second.loop is not None):
        return None
    loop, extent = (
        (first.loop, first.extent) if first.loop is not None else (second.loop, second.extent)
    )
    return Coordinate(loop, first.offset + second.offset, extent)


def _selected(select: AnyOp, view: Generic) -> Coordinate | None:
    """Resolves `index < 0 ? index + n : index` for an index whose sign is known."""
    condition = defining_op(select.operands[0])
    taken = None
    if condition is not None and condition.operation.name == "arith.cmpi":
        taken = decided(condition, view)
    elif condition is not None and condition.operation.name == "arith.constant":
        taken = bool(ir.BoolAttr(condition.attributes["value"]).value)
    return None if taken is None else coordinate(select.operands[1 if taken else 2], view)


def _of_operand(argument: ir.Value, view: Generic) -> Coordinate | None:
    if argument.owner != view.body:
        return None
    number = list(view.body.arguments).index(argument)
    if number >= len(view.inputs):
        return None
    return _through(_of_tensor(view.inputs[number]), view.accesses[number])


def _through(known: Coordinate | None, access: Access) -> Coordinate | None:
    """From the dimensions of a tensor to the loops that read it."""
    if known is None or known.loop is None:
        return known
    return Coordinate(access[known.loop], known.offset, known.extent)


def _of_tensor(value: ir.Value) -> Coordinate | None:
    """What is known of every element of an integer tensor; the loop is then a dimension of the
    tensor.
    """
    op = defining_op(value)
    if op is None:
        return None
    if op.operation.name == "linalg.fill":
        start = defining_op(op.operands[0])
        return (
            _of_constant(start)
            if start is not None and start.operation.name == "arith.constant"
            else None
        )
    if op.operation.name in VIEW_OPS:
        return _of_reshape(op)
    view = generic(op)
    if view is None or not is_elementwise(view):
        return None
    number = list(op.results).index(value)
    made = coordinate(view.yielded[number], view)
    if made is None or made.loop is None:
        return made
    access = view.init_accesses[number]
    return (
        Coordinate(access.index(made.loop), made.offset, made.extent)
        if made.loop in access
        else None
    )


def _of_reshape(reshape: AnyOp) -> Coordinate | None:
    """Through reshapes that add or drop extents of 1."""
    known = _of_tensor(reshape.operands[0])
    if known is None or known.loop is None:
        return known
    groups, extents = reassociation(reshape), shape_of(reshape.results[0])
    if reshape.operation.name == "tensor.collapse_shape":
        candidates = [number for number, group in enumerate(groups) if known.loop in group]
    else:
        candidates = groups[known.loop]
    dim = next((dim for dim in candidates if extents[dim] == known.extent), None)
    return None if dim is None else Coordinate(dim, known.offset, known.extent)
