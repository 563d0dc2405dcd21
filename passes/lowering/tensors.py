"""Selection of tensor ops that move elements without computing: slices, joins, elements.

Owns `tensor.*` but for changes of shape, which are in `reshapes`. Rectangles become copies between
buffers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import identity_map
from ktir.passes.lowering.affine import total
from ktir.passes.lowering.bodies import Scalars, cast_to, chosen
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.index import Index, Test
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.shapes import (
    held_in,
    plain,
    relaid,
    require_element,
    require_equal,
    require_inside,
    require_part,
    require_place,
)
from ktir.passes.lowering.steps import Copy, Extract, Slot, extents_in, for_each
from ktir.passes.lowering.structured import fill_by_place, start_as, started_slot
from ktir.passes.lowering.values import (
    Dense,
    Splat,
    TensorValue,
    is_nothing,
    is_open,
    is_scalar_type,
    nothing,
    scalar_source,
    segments,
)


@lowers("tensor.empty")
def _empty(selection: Selection, op: ir.Operation) -> None:
    element = ir.RankedTensorType(op.results[0].type).element_type
    if not is_scalar_type(element):
        raise selection.refusal(op, f"a buffer holds integers, floats or indices, not {element}")
    selection.bind(op.results[0], Splat(_zero(element), _extents(selection, op, op.operands)))


@lowers("tensor.splat")
def _splat(selection: Selection, op: ir.Operation) -> None:
    scalar, *sizes = op.operands
    selection.bind(op.results[0], Splat(scalar_source(scalar), _extents(selection, op, sizes)))


def _extents(
    selection: Selection, op: ir.Operation, sizes: Sequence[ir.Value]
) -> tuple[Index, ...]:
    """The sizes of the result if its type leaves some open, which are `sizes`; else nothing."""
    type_ = ir.RankedTensorType(op.results[0].type)
    if type_.has_static_shape:
        return ()
    extents = selection.sizes_in_type(type_, sizes)
    for extent in extents:
        if selection.bounds.of(extent)[0] is None:
            selection.require(Test("sge", extent, 0), "a size is negative", op)
    return extents


@lowers("tensor.from_elements")
def _from_elements(selection: Selection, op: ir.Operation) -> None:
    elements = [scalar_source(operand) for operand in op.operands]
    if all(element == elements[0] for element in elements):
        selection.bind(op.results[0], Splat(elements[0]))
        return
    constants = [element for element in elements if isinstance(element, ir.Attribute)]
    if len(constants) == len(elements):
        dense = ir.DenseElementsAttr.get(constants, op.results[0].type)
        selection.bind(op.results[0], Dense(dense))
        return
    result = selection.new_slot(op, op.results[0].type)
    scalars = Scalars()
    body = chosen(result.shape, [scalars.use(element) for element in elements])
    selection.append(
        for_each(
            op.location,
            result,
            body,
            scalars=scalars.values,
        )
    )
    selection.bind(op.results[0], result)


@lowers("tensor.bitcast")
def _bitcast(selection: Selection, op: ir.Operation) -> None:
    source = selection.slot(op.operands[0], op)
    result = dataclasses.replace(
        started_slot(selection, op, op.results[0].type, op.operands[0]), shape=source.shape
    )
    rank = len(result.shape)
    selection.append(
        for_each(
            op.location,
            result,
            cast_to(result.element),
            inputs=(source,),
            maps=(identity_map(rank),),
        )
    )
    selection.bind(op.results[0], result)


@lowers("tensor.rank")
def _rank(selection: Selection, op: ir.Operation) -> None:
    selection.define(op.results[0], len(ir.RankedTensorType(op.operands[0].type).shape), op)


@lowers("tensor.cast")
def _cast(selection: Selection, op: ir.Operation) -> None:
    """The same tensor; sizes that only its new type states are checked."""
    tensor, type_ = selection.tensor(op.operands[0]), ir.RankedTensorType(op.results[0].type)
    sizes = selection.sizes(op.operands[0])
    wanted: tuple[Index, ...] = tuple(
        size if is_open(stated) else stated for stated, size in zip(type_.shape, sizes, strict=True)
    )
    if isinstance(tensor, Slot) and tensor.extents and not is_nothing(op.results[0]):
        shape = tuple(selection.bound(op, size) for size in wanted)
        tensor = held_in(selection, op, tensor, shape, extents_in(shape, wanted))
    else:
        for size, want in zip(sizes, wanted, strict=True):
            require_equal(selection, op, size, want, "the sizes of a tensor and those of its type")
    if is_nothing(op.results[0]):
        tensor = nothing(op.results[0])
    elif isinstance(tensor, Splat):
        tensor = Splat(tensor.scalar, () if type_.has_static_shape else wanted)
    selection.bind(op.results[0], tensor)


@lowers("tensor.dim")
def _dim(selection: Selection, op: ir.Operation) -> None:
    sizes = selection.sizes(op.operands[0])
    selection.define(op.results[0], sizes[selection.dimension(op)], op)


@lowers("tensor.extract")
def _extract(selection: Selection, op: ir.Operation) -> None:
    source, *places = op.operands
    indices = tuple(selection.index(place) for place in places)
    # A step whose result nobody uses is left out, and with it what it would find.
    require_element(selection, op, indices, selection.sizes(source))
    tensor = selection.tensor(source)
    if isinstance(tensor, Splat):
        selection.define(op.results[0], tensor.scalar, op)
    else:
        slot = selection.slot(source, op)
        selection.append(Extract(op.location, slot, indices, op.results[0]))


@lowers("tensor.insert")
def _insert(selection: Selection, op: ir.Operation) -> None:
    scalar, dest, *places = op.operands
    result = started_slot(selection, op, op.results[0].type, dest)
    ones = (1,) * len(result.shape)
    element = Slot(f"the element of {result.name}", ones, result.element)
    selection.fill(element, scalar_source(scalar), op)
    start_as(selection, op, dest, result)
    indices = tuple(selection.index(place) for place in places)
    require_place(selection, op, indices, result)
    _copy_into(selection, op, element, result, indices)
    selection.bind(op.results[0], result)


@lowers("tensor.extract_slice")
def _extract_slice(selection: Selection, op: ir.Operation) -> None:
    source, _, _, _ = segments(op)
    tensor = selection.tensor(source[0])
    offsets, sizes, strides = _rectangle(selection, op)
    type_ = ir.RankedTensorType(op.results[0].type)
    kept = _kept(list(ir.DenseI64ArrayAttr(op.attributes["static_sizes"])), type_.shape)
    own = tuple(sizes[dim] for dim in kept)
    whole_sizes = selection.sizes(source[0])
    if isinstance(tensor, Splat):
        # No step moves anything that would leave it.
        for rectangle in zip(whole_sizes, offsets, sizes, strides, strict=True):
            message = "a slice leaves the tensor that it is of"
            require_part(selection, op, *rectangle, message)
        extents = () if type_.has_static_shape else own
        selection.bind(op.results[0], Splat(tensor.scalar, extents))
        return
    _require_rectangle(selection, op, whole_sizes, offsets, sizes, strides)
    whole = selection.slot(source[0], op)
    # A slice is no larger than what it is of.
    shape = tuple(
        room
        if isinstance(stride, int) and stride > 0 and _is_unbounded(selection, size)
        else selection.bound(op, size)
        for size, stride, room in zip(sizes, strides, whole.shape, strict=True)
    )
    name = f"{op.name} of {whole.name}"
    part = Slot(name, shape, whole.element, extents_in(shape, sizes))
    rank = len(shape)
    selection.append(
        Copy(op.location, whole, offsets, strides, part, (0,) * rank, (1,) * rank, sizes)
    )
    result = tuple(shape[dim] for dim in kept)
    extents = extents_in(result, own)
    selection.bind(op.results[0], relaid(selection, op, part, result, extents))


def _is_unbounded(selection: Selection, size: Index) -> bool:
    return selection.bounds.most(size) is None


def _kept(sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """The dimensions of a slice of these sizes that its type `shape` has; others have size 1."""
    kept: list[int] = []
    for dim, size in enumerate(sizes):
        if len(kept) < len(shape) and size == shape[len(kept)]:
            kept.append(dim)
    return kept


@lowers("tensor.insert_slice")
def _insert_slice(selection: Selection, op: ir.Operation) -> None:
    selection.bind(op.results[0], insert_slice(selection, op))


def insert_slice(selection: Selection, op: ir.Operation) -> TensorValue:
    """Appends what puts a slice into a tensor; the tensor with the slice in it."""
    (source,), (dest,), *_ = segments(op)
    if is_nothing(source):
        return selection.tensor(dest)
    offsets, sizes, strides = _rectangle(selection, op)
    result = started_slot(selection, op, dest.type, dest)
    _require_rectangle(selection, op, result.sizes, offsets, sizes, strides)
    slot = selection.slot(source, op)
    shape = tuple(selection.bound(op, size) for size in sizes) if not slot.extents else None
    part = _of_sizes(selection, op, slot, sizes, shape)
    if sizes != result.sizes:
        start_as(selection, op, dest, result)
    _copy_into(selection, op, part, result, offsets, strides)
    return result


def _of_sizes(
    selection: Selection,
    op: ir.Operation,
    slot: Slot,
    sizes: tuple[Index, ...],
    shape: tuple[int, ...] | None,
) -> Slot:
    """A slot with the dimensions of a slice of these sizes, some of which its tensor may lack."""
    if len(slot.shape) == len(sizes):
        for a, b in zip(slot.sizes, sizes, strict=True):
            require_equal(selection, op, a, b, "the sizes of a slice and of what is put there")
        return slot
    if shape is None:
        rooms = iter(slot.shape)
        left = len(sizes) - len(slot.shape)
        found: list[int] = []
        for size in sizes:
            is_dropped = size == 1 and left > 0
            left -= is_dropped
            found.append(1 if is_dropped else next(rooms))
        shape = tuple(found)
    return relaid(selection, op, slot, shape, extents_in(shape, sizes))


@lowers("tensor.concat")
def _concat(selection: Selection, op: ir.Operation) -> None:
    dim = ir.IntegerAttr(op.attributes["dim"]).value
    parts = [selection.slot(operand, op) for operand in op.operands if not is_nothing(operand)]
    lengths = [plain(selection, op, part.sizes[dim]) for part in parts]
    sizes = tuple(total(*lengths) if i == dim else size for i, size in enumerate(parts[0].sizes))
    # There is room for all that the parts have room for.
    rooms = tuple(
        max(size, 1)
        if isinstance(size, int)
        else (sum if i == dim else min)(p.shape[i] for p in parts)
        for i, size in enumerate(sizes)
    )
    element = parts[0].element
    result = selection.new_slot(op, ir.RankedTensorType.get(rooms, element))
    result.extents = extents_in(rooms, sizes)
    at: Index = 0
    for part, length in zip(parts, lengths, strict=True):
        for i, (a, b) in enumerate(zip(part.sizes, sizes, strict=True)):
            if i != dim:
                require_equal(selection, op, a, b, f"the sizes of dimension {i} of tensors to join")
        offsets = tuple(at if i == dim else 0 for i in range(len(rooms)))
        _copy_into(selection, op, part, result, offsets)
        at = total(at, length)
    selection.bind(op.results[0], result)


@lowers("tensor.pad")
def _pad(selection: Selection, op: ir.Operation) -> None:
    (source,), low, high = segments(op)
    before = selection.mixed(op, "static_low", low)
    behind = selection.mixed(op, "static_high", high)
    sizes = tuple(
        total(*(plain(selection, op, part) for part in parts))
        for parts in zip(before, selection.sizes(source), behind, strict=True)
    )
    result = selection.new_slot(op, op.results[0].type, sizes)
    fill_by_place(selection, op, result)
    if not is_nothing(source):
        _copy_into(selection, op, selection.slot(source, op), result, before)
    selection.bind(op.results[0], result)


def _copy_into(
    selection: Selection,
    op: ir.Operation,
    part: Slot,
    whole: Slot,
    offsets: Sequence[Index],
    strides: Sequence[Index] | None = None,
) -> None:
    """Appends a copy of all of `part` into a rectangle of `whole`."""
    rank = len(part.shape)
    selection.append(
        Copy(
            location=op.location,
            src=part,
            src_offsets=(0,) * rank,
            src_strides=(1,) * rank,
            dst=whole,
            dst_offsets=tuple(offsets),
            dst_strides=tuple(strides) if strides is not None else (1,) * rank,
            sizes=part.sizes,
        )
    )


def _rectangle(
    selection: Selection, op: ir.Operation
) -> tuple[tuple[Index, ...], tuple[Index, ...], tuple[Index, ...]]:
    """Offsets, sizes and strides of a slice."""
    *_, offsets, sizes, strides = segments(op)
    return (
        tuple(selection.mixed(op, "static_offsets", offsets)),
        tuple(selection.known(size) for size in selection.mixed(op, "static_sizes", sizes)),
        tuple(selection.mixed(op, "static_strides", strides)),
    )


def _require_rectangle(
    selection: Selection,
    op: ir.Operation,
    whole: Sequence[Index],
    offsets: Sequence[Index],
    sizes: Sequence[Index],
    strides: Sequence[Index],
) -> None:
    """Appends checks that a slice is inside a tensor, in dimensions whose size is a value."""
    for extent, offset, size, stride in zip(whole, offsets, sizes, strides, strict=True):
        if not isinstance(extent, int) and not (offset == 0 and size == extent and stride == 1):
            require_inside(selection, op, offset, size, stride, extent)


def _zero(element: ir.Type) -> ir.Attribute:
    if isinstance(element, ir.FloatType):
        return ir.FloatAttr.get(element, 0.0)
    return ir.IntegerAttr.get(element, 0)
