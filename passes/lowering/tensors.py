"""Selection of tensor ops that move elements without computing: slices, shapes, joins, elements.

Owns `tensor.*`. Rectangles become copies between buffers; a change of shape becomes a reshape,
which costs nothing where both shapes lie equally in memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import identity_map, shape_of
from ktir.passes.lowering.bodies import Scalars, cast_to, chosen
from ktir.passes.lowering.index import Index
from ktir.passes.lowering.selection import (
    Dense,
    Selection,
    Splat,
    TensorValue,
    is_scalar_type,
    lowers,
    of_shape,
    reshaped,
    scalar_source,
    segments,
)
from ktir.passes.lowering.steps import Copy, Extract, Reshape, Slot, for_each
from ktir.passes.lowering.structured import fill_by_place, start_as


@lowers("tensor.empty")
def _empty(selection: Selection, op: ir.Operation) -> None:
    element = ir.RankedTensorType(op.results[0].type).element_type
    if not is_scalar_type(element):
        raise selection.refusal(op, f"a buffer holds integers, floats or indices, not {element}")
    selection.bind(op.results[0], Splat(_zero(element)))


@lowers("tensor.splat")
def _splat(selection: Selection, op: ir.Operation) -> None:
    selection.bind(op.results[0], Splat(scalar_source(op.operands[0])))


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
    result = selection.new_slot(op, op.results[0].type)
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
    selection.bind(op.results[0], selection.tensor(op.operands[0]))


@lowers("tensor.dim")
def _dim(selection: Selection, op: ir.Operation) -> None:
    shape = ir.RankedTensorType(op.operands[0].type).shape
    selection.define(op.results[0], shape[selection.dimension(op)], op)


@lowers("tensor.extract")
def _extract(selection: Selection, op: ir.Operation) -> None:
    source, *places = op.operands
    indices = tuple(selection.index(place) for place in places)
    tensor = selection.tensor(source)
    if isinstance(tensor, Splat):
        selection.define(op.results[0], tensor.scalar, op)
    else:
        slot = selection.slot(source, op)
        selection.append(Extract(op.location, slot, indices, op.results[0]))


@lowers("tensor.insert")
def _insert(selection: Selection, op: ir.Operation) -> None:
    scalar, dest, *places = op.operands
    result = selection.new_slot(op, op.results[0].type)
    ones = (1,) * len(result.shape)
    element = Slot(f"the element of {result.name}", ones, result.element)
    selection.fill(element, scalar_source(scalar), op)
    start_as(selection, op, dest, result)
    indices = tuple(selection.index(place) for place in places)
    _copy_into(selection, op, element, result, indices)
    selection.bind(op.results[0], result)


@lowers("tensor.extract_slice")
def _extract_slice(selection: Selection, op: ir.Operation) -> None:
    source, _, _, _ = segments(op)
    tensor = selection.tensor(source[0])
    if isinstance(tensor, Splat):
        selection.bind(op.results[0], tensor)
        return
    offsets, sizes, strides = _rectangle(selection, op)
    result = selection.new_slot(op, op.results[0].type)
    whole = of_shape(result, sizes)
    selection.append(
        Copy(
            location=op.location,
            src=selection.slot(source[0], op),
            src_offsets=offsets,
            src_strides=strides,
            dst=whole,
            dst_offsets=(0,) * len(sizes),
            dst_strides=(1,) * len(sizes),
            sizes=sizes,
        )
    )
    if whole is not result:
        selection.append(Reshape(op.location, whole, result))
    selection.bind(op.results[0], result)


@lowers("tensor.insert_slice")
def _insert_slice(selection: Selection, op: ir.Operation) -> None:
    selection.bind(op.results[0], insert_slice(selection, op))


def insert_slice(selection: Selection, op: ir.Operation) -> TensorValue:
    """Appends what puts a slice into a tensor; the tensor with the slice in it."""
    (source,), (dest,), *_ = segments(op)
    if 0 in shape_of(source):
        return selection.tensor(dest)
    offsets, sizes, strides = _rectangle(selection, op)
    result = selection.new_slot(op, dest.type)
    part = reshaped(selection, op, selection.slot(source, op), sizes)
    if sizes != result.shape:
        start_as(selection, op, dest, result)
    _copy_into(selection, op, part, result, offsets, strides)
    return result


@lowers("tensor.expand_shape", "tensor.collapse_shape", "tensor.reshape")
def _reshape(selection: Selection, op: ir.Operation) -> None:
    tensor = selection.tensor(op.operands[0])
    if isinstance(tensor, Splat):
        selection.bind(op.results[0], tensor)
        return
    result = selection.new_slot(op, op.results[0].type)
    selection.append(Reshape(op.location, selection.slot(op.operands[0], op), result))
    selection.bind(op.results[0], result)


@lowers("tensor.concat")
def _concat(selection: Selection, op: ir.Operation) -> None:
    dim = ir.IntegerAttr(op.attributes["dim"]).value
    result = selection.new_slot(op, op.results[0].type)
    at = 0
    for operand in op.operands:
        if 0 in shape_of(operand):
            continue
        part = selection.slot(operand, op)
        offsets = tuple(at if i == dim else 0 for i in range(len(result.shape)))
        _copy_into(selection, op, part, result, offsets)
        at += part.shape[dim]
    selection.bind(op.results[0], result)


@lowers("tensor.pad")
def _pad(selection: Selection, op: ir.Operation) -> None:
    (source,), low, _ = segments(op)
    result = selection.new_slot(op, op.results[0].type)
    fill_by_place(selection, op, result)
    if 0 not in shape_of(source):
        offsets = tuple(selection.mixed(op, "static_low", low))
        _copy_into(selection, op, selection.slot(source, op), result, offsets)
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
            sizes=part.shape,
        )
    )


def _rectangle(
    selection: Selection, op: ir.Operation
) -> tuple[tuple[Index, ...], tuple[int, ...], tuple[Index, ...]]:
    """Offsets, sizes and strides of a slice. Raises UnsupportedError if the sizes are not known."""
    *_, offsets, sizes, strides = segments(op)
    extents = selection.mixed(op, "static_sizes", sizes)
    known = tuple(extent for extent in extents if isinstance(extent, int))
    if len(known) != len(extents):
        raise selection.refusal(op, "the slice has a dynamic size; a buffer needs a static one")
    return (
        tuple(selection.mixed(op, "static_offsets", offsets)),
        known,
        tuple(selection.mixed(op, "static_strides", strides)),
    )


def _zero(element: ir.Type) -> ir.Attribute:
    if isinstance(element, ir.FloatType):
        return ir.FloatAttr.get(element, 0.0)
    return ir.IntegerAttr.get(element, 0)
