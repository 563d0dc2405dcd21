"""Slots of another shape: tensors whose sizes are values, as other steps need them.

Owns the checks that sizes agree, the move of a tensor to a buffer of other bounds, and the change
of its shape. Where all sizes are known a change of shape is one step; else the elements go through
a row in row-major order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.lowering.affine import least, negated, times, total
from ktir.passes.lowering.index import Index, Least, Test
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.steps import Access, Copy, Load, Reshape, Slot, Store

Shape = tuple[int, ...]
Sizes = Sequence[Index]


def require_equal(selection: Selection, op: ir.Operation, a: Index, b: Index, what: str) -> None:
    """Appends a check that two sizes are equal, unless that is known; `what` is equal otherwise."""
    if a == b:
        return
    one, other = selection.ranges.exact(a), selection.ranges.exact(b)
    if one is None or one != other:
        selection.require(Test("eq", a, b), f"{what} differ", op)


def require_inside(
    selection: Selection, op: ir.Operation, offset: Index, size: Index, stride: Index, extent: Index
) -> None:
    """Appends a check that elements `offset + j * stride`, for j below `size`, are below `extent`.

    A buffer may be larger than the tensor that it holds, so that no step would find it out.
    """
    last = times(plain(selection, op, total(plain(selection, op, size), -1)), stride)
    beyond = total(
        plain(selection, op, offset),
        plain(selection, op, last),
        negated(plain(selection, op, extent)),
        1,
    )
    # Nothing is beyond where there is no element.
    some = selection.plain(Least((size, 1)), op) if size != 1 else 1
    selection.require(
        Test("sle", times(beyond, some), 0), "a slice leaves the tensor that it is of", op
    )


def require_place(
    selection: Selection, op: ir.Operation, places: Sequence[Index], slot: Slot
) -> None:
    """Appends checks that a place is inside the tensor that a slot of open size holds."""
    for place, size, room in zip(places, slot.sizes, slot.shape, strict=True):
        if size != room:
            require_inside(selection, op, place, 1, 1, size)


def require_part(
    selection: Selection,
    op: ir.Operation,
    extent: Index,
    start: Index,
    length: Index,
    step: Index,
    message: str,
) -> None:
    """Appends checks that coordinates `start + j * step`, for j below `length`, are in
    [0, `extent`), unless that is known; `message` says what is wrong where they are not."""
    if length == 0:
        ends = [start]
    else:
        last = total(start, plain(selection, op, times(total(length, -1), step)))
        ends = [start, total(extent, negated(last), -1)]
    if not isinstance(length, int):
        # Nothing is outside where there is no element.
        some = plain(selection, op, least([length, 1]))
        ends[1] = plain(selection, op, times(plain(selection, op, ends[1]), some))
    for end in ends:
        lowest, _ = selection.bounds.of(end)
        if lowest is None or lowest < 0:
            selection.require(Test("sge", end, 0), message, op)


def require_element(
    selection: Selection, op: ir.Operation, places: Sequence[Index], sizes: Sizes
) -> None:
    """Appends checks that a tensor of these sizes has an element, unless that is known."""
    for dim, (place, size) in enumerate(zip(places, sizes, strict=True)):
        last = total(plain(selection, op, size), negated(plain(selection, op, place)), -1)
        for end in (place, last):
            least, _ = selection.bounds.of(end)
            if least is None or least < 0:
                message = f"the index in dimension {dim} is outside the tensor"
                if isinstance(size, int):
                    message += f"; legal are 0 to {size - 1}"
                selection.require(Test("sge", end, 0), message, op)


def plain(selection: Selection, op: ir.Operation, index: Index) -> Index:
    """`index` in a form that arithmetic takes."""
    return selection.plain(index, op)


def held_in(
    selection: Selection, op: ir.Operation, slot: Slot, shape: Shape, extents: Sizes = ()
) -> Slot:
    """A slot of this shape with the elements of one of as many dimensions; appends what moves them.

    `extents` are the sizes that it has to have, if they are not the shape.
    """
    for a, b in zip(slot.sizes, extents or shape, strict=True):
        require_equal(selection, op, a, b, "the sizes of a tensor and those expected of it")
    if slot.shape == shape and bool(slot.extents) == bool(extents):
        return slot
    other = Slot(slot.name, shape, slot.element, tuple(extents))
    # What both have room for: a check has refused the rest.
    pairs = zip(slot.sizes, extents or shape, strict=True)
    sizes = tuple(wanted if isinstance(wanted, int) else size for size, wanted in pairs)
    copy_whole(selection, op, slot, other, sizes)
    return other


def widened(selection: Selection, op: ir.Operation, slot: Slot, shape: Shape) -> Slot:
    """The same tensor in a slot of a larger shape."""
    if slot.shape == shape:
        return slot
    other = Slot(slot.name, shape, slot.element, slot.sizes)
    copy_whole(selection, op, slot, other, slot.sizes)
    return other


def copy_whole(selection: Selection, op: ir.Operation, src: Slot, dst: Slot, sizes: Sizes) -> None:
    """Appends a copy of the first elements of each dimension."""
    zeros, ones = (0,) * len(sizes), (1,) * len(sizes)
    selection.append(Copy(op.location, src, zeros, ones, dst, zeros, ones, tuple(sizes)))


def relaid(
    selection: Selection, op: ir.Operation, slot: Slot, shape: Shape, extents: Sizes = ()
) -> Slot:
    """A slot of another shape with the same elements in row-major order; appends what moves
    them."""
    wanted: tuple[Index, ...] = tuple(extents) or shape
    if len(shape) == len(slot.shape) and slot.sizes == wanted:
        return held_in(selection, op, slot, shape, extents)
    other = Slot(slot.name, shape, slot.element, tuple(extents))
    if not (slot.extents or extents):
        selection.append(Reshape(op.location, slot, other))
        return other
    count, number = (number_of(selection, op, of.sizes) for of in (slot, other))
    require_equal(selection, op, count, number, "the numbers of elements of two shapes")
    row = Slot(f"the elements of {slot.name}", (math.prod(slot.shape),), slot.element)
    selection.append(Store(op.location, slot, _in_row(selection, op, row, slot)))
    selection.append(Load(op.location, other, _in_row(selection, op, row, other)))
    return other


def number_of(selection: Selection, op: ir.Operation, sizes: Sizes) -> Index:
    """The product of sizes."""
    number: Index = 1
    for size in plain_all(selection, op, sizes):
        number = plain(selection, op, times(number, size))
    return number


def plain_all(selection: Selection, op: ir.Operation, sizes: Sizes) -> list[Index]:
    """Sizes in a form that arithmetic takes."""
    return [plain(selection, op, size) for size in sizes]


def _in_row(selection: Selection, op: ir.Operation, row: Slot, slot: Slot) -> Access:
    """The places in a row of the elements of a slot, in row-major order of its own sizes."""
    sizes = plain_all(selection, op, slot.sizes)
    rank = len(sizes)
    strides = [number_of(selection, op, sizes[dim + 1 :]) for dim in range(rank)]
    return Access(
        base=row,
        shape=slot.shape,
        offsets=(0,) * rank,
        bounds=tuple(sizes),
        strides=tuple(strides),
        core=selection.own_core(),
    )
