"""Selection of changes of shape: `tensor.expand_shape`, `collapse_shape` and `reshape`.

Owns the sizes of their results, where types leave them open. A reshape costs nothing where both
shapes lie equally in memory; how elements move else is in `shapes`.
"""

from __future__ import annotations

import math

import numpy as np

from ktir.mlir import ir
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.index import Cast, Index, Key, Made
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.shapes import number_of, relaid, require_equal
from ktir.passes.lowering.steps import Extract, extents_in
from ktir.passes.lowering.values import Dense, Splat, is_open


@lowers("tensor.expand_shape", "tensor.collapse_shape", "tensor.reshape")
def _reshape(selection: Selection, op: ir.Operation) -> None:
    tensor, type_ = selection.tensor(op.operands[0]), ir.RankedTensorType(op.results[0].type)
    sizes = tuple(type_.shape) if type_.has_static_shape else _RESHAPED[op.name](selection, op)
    if isinstance(tensor, Splat):
        before, after = (
            number_of(selection, op, of) for of in (selection.sizes(op.operands[0]), sizes)
        )
        require_equal(selection, op, before, after, "the numbers of elements of two shapes")
        extents = () if type_.has_static_shape else sizes
        selection.bind(op.results[0], Splat(tensor.scalar, extents))
        return
    slot = selection.slot(op.operands[0], op)
    number = math.prod(slot.shape)
    # No dimension is longer than all elements in a row.
    shape = tuple(
        number if selection.bounds.most(size) is None else selection.bound(op, size)
        for size in sizes
    )
    extents = extents_in(shape, sizes)
    selection.bind(op.results[0], relaid(selection, op, slot, shape, extents))


def _expanded(selection: Selection, op: ir.Operation) -> tuple[Index, ...]:
    sizes = selection.mixed(op, "static_output_shape", list(op.operands)[1:])
    return tuple(selection.known(size) for size in sizes)


def _collapsed(selection: Selection, op: ir.Operation) -> tuple[Index, ...]:
    sizes = selection.sizes(op.operands[0])
    groups = [
        [ir.IntegerAttr(dim).value for dim in ir.ArrayAttr(group)]
        for group in ir.ArrayAttr(op.attributes["reassociation"])
    ]
    return tuple(number_of(selection, op, [sizes[dim] for dim in group]) for group in groups)


def _asked(selection: Selection, op: ir.Operation) -> tuple[Index, ...]:
    """The sizes that the elements of a tensor say."""
    shape = op.operands[1]
    dense = selection.tensor(shape)
    stated = ir.RankedTensorType(op.results[0].type).shape
    if isinstance(dense, Dense):
        return tuple(int(size) for size in np.array(dense.value))
    if isinstance(dense, Splat):
        scalar = dense.scalar
        value = ir.IntegerAttr(scalar).value if isinstance(scalar, ir.Attribute) else scalar
        return (_as_index(selection, op, value),) * len(stated)
    slot, found = selection.slot(shape, op), list[Index]()
    for dim, size in enumerate(stated):
        if not is_open(size):
            found.append(size)
            continue
        key = Made("a size that a tensor says", slot.element)
        selection.append(Extract(op.location, slot, (dim,), key))
        found.append(_as_index(selection, op, key))
    return tuple(found)


def _as_index(selection: Selection, op: ir.Operation, size: int | Key) -> Index:
    """A scalar of any integer type as an index."""
    if isinstance(size, int) or isinstance(size.type, ir.IndexType):
        return size
    return selection.made(Cast(size), "a size", op.location)


_RESHAPED = {
    "tensor.expand_shape": _expanded,
    "tensor.collapse_shape": _collapsed,
    "tensor.reshape": _asked,
}
"""The sizes of the results, where a type does not state them."""
