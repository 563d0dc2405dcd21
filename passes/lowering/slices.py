"""Slices of a slot along several dimensions, which count as one flattened row-major.

Owns taking one of equal slices and joining equal parts. Where the slowest of the dimensions takes
the whole factor, a slice is a rectangle; else the dimensions are brought together first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.lowering.affine import times
from ktir.passes.lowering.bodies import input_element, yield_scalar
from ktir.passes.lowering.index import Index
from ktir.passes.lowering.selection import Selection, of_shape
from ktir.passes.lowering.steps import Copy, Reshape, Slot, for_each

Shape = tuple[int, ...]


def divided(shape: Shape, dims: Sequence[int], count: int) -> Shape:
    """The shape of one of `count` slices that are rectangles along the slowest of `dims`."""
    return tuple(n // count if dim == dims[0] else n for dim, n in enumerate(shape))


def own_slice(
    selection: Selection,
    op: ir.Operation,
    slot: Slot,
    dims: Sequence[int],
    count: int,
    position: Index,
    shape: Shape,
) -> Slot:
    """Appends what takes slice `position` of `count`, of this shape, along `dims`."""
    if slot.shape[dims[0]] % count or shape != divided(slot.shape, dims, count):
        flat = flattened(selection, op, slot, dims)
        length = (flat.shape[0] // count, *flat.shape[1:])
        part = own_slice(selection, op, flat, [0], count, position, length)
        return unflattened(selection, op, part, dims, shape)
    part = Slot(f"a slice of {slot.name}", shape, slot.element)
    at = selection.plain(times(selection.plain(position, op), shape[dims[0]]), op)
    rank = len(shape)
    offsets = tuple(at if dim == dims[0] else 0 for dim in range(rank))
    selection.append(
        Copy(op.location, slot, offsets, (1,) * rank, part, (0,) * rank, (1,) * rank, shape)
    )
    return part


class Joining:
    """Parts joined along `dims` to a whole of `shape`, one after the other."""

    def __init__(
        self, selection: Selection, op: ir.Operation, dims: Sequence[int], count: int, shape: Shape
    ) -> None:
        self._selection = selection
        self._op = op
        self._dims = dims
        self._count = count
        self._shape = shape
        self._whole: Slot | None = None
        self._is_flat = False

    def add(self, number: int, part: Slot) -> None:
        """Appends what puts part `number` in its place."""
        grown = (
            part.shape[self._dims[0]] * self._count if dim == self._dims[0] else size
            for dim, size in enumerate(part.shape)
        )
        self._is_flat = tuple(grown) != self._shape
        dim = self._dims[0]
        if self._is_flat:
            part, dim = flattened(self._selection, self._op, part, self._dims), 0
        if self._whole is None:
            sizes = list(part.shape)
            sizes[dim] *= self._count
            self._whole = Slot(f"the whole of {part.name}", tuple(sizes), part.element)
        rank = len(part.shape)
        offsets = tuple(number * part.shape[dim] if d == dim else 0 for d in range(rank))
        self._selection.append(
            Copy(
                location=self._op.location,
                src=part,
                src_offsets=(0,) * rank,
                src_strides=(1,) * rank,
                dst=self._whole,
                dst_offsets=offsets,
                dst_strides=(1,) * rank,
                sizes=part.shape,
            )
        )

    def whole(self) -> Slot:
        """The whole after the last part."""
        assert self._whole is not None
        if not self._is_flat:
            return self._whole
        return unflattened(self._selection, self._op, self._whole, self._dims, self._shape)


def flattened(selection: Selection, op: ir.Operation, slot: Slot, dims: Sequence[int]) -> Slot:
    """Appends what brings `dims` together to one dimension, the first; the others follow."""
    others = [dim for dim in range(len(slot.shape)) if dim not in dims]
    turned = _transposed(selection, op, slot, [*dims, *others])
    length = math.prod(slot.shape[dim] for dim in dims)
    return _reshaped(selection, op, turned, (length, *(slot.shape[dim] for dim in others)))


def unflattened(
    selection: Selection, op: ir.Operation, slot: Slot, dims: Sequence[int], shape: Shape
) -> Slot:
    """The converse of `flattened`, for a result of `shape`."""
    order = [*dims, *(dim for dim in range(len(shape)) if dim not in dims)]
    turned = _reshaped(selection, op, slot, tuple(shape[dim] for dim in order))
    back = [order.index(dim) for dim in range(len(shape))]
    return _transposed(selection, op, turned, back)


def _reshaped(selection: Selection, op: ir.Operation, slot: Slot, shape: Shape) -> Slot:
    other = of_shape(slot, shape)
    if other is not slot:
        selection.append(Reshape(op.location, slot, other))
    return other


def _transposed(selection: Selection, op: ir.Operation, slot: Slot, order: Sequence[int]) -> Slot:
    """A slot whose dimension i is dimension `order[i]` of another."""
    rank = len(order)
    if list(order) == list(range(rank)):
        return slot
    result = Slot(slot.name, tuple(slot.shape[dim] for dim in order), slot.element)
    places = [ir.AffineExpr.get_dim(list(order).index(dim)) for dim in range(rank)]
    selection.append(
        for_each(
            op.location,
            result,
            yield_scalar(input_element(0)),
            inputs=(slot,),
            maps=(ir.AffineMap.get(rank, 0, places),),
        )
    )
    return result
