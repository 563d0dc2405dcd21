"""Selection of `linalg.softmax`: a maximum, differences and exponentials, a sum, a division.

Owns its steps. Each is rounded to the element type.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import identity_map
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.steps import Arguments, Body, Compute, Slot, extents_in, for_each
from ktir.passes.lowering.structured import tensor_result


@lowers("linalg.softmax")
def _softmax(selection: Selection, op: ir.Operation) -> None:
    result = tensor_result(selection, op)
    axis = ir.IntegerAttr(op.attributes["dimension"]).value
    source = selection.slot(op.operands[0], op)
    element = source.element
    if not isinstance(element, ir.FloatType):
        raise selection.refusal(op, f"its elements are {element}; expected floats")
    lowest = ir.FloatAttr.get(element, float("-inf"))
    zero = ir.FloatAttr.get(element, 0.0)
    most = _along(selection, op, axis, source, "arith.maximumf", lowest)
    powers = _elementwise(selection, op, axis, [source, most], ["arith.subf", "math.exp"])
    total = _along(selection, op, axis, powers, "arith.addf", zero)
    selection.bind(result, _elementwise(selection, op, axis, [powers, total], ["arith.divf"]))


def _without(axis: int, rank: int) -> ir.AffineMap:
    dims = [ir.AffineExpr.get_dim(dim) for dim in range(rank) if dim != axis]
    return ir.AffineMap.get(rank, 0, dims)


def _along(
    selection: Selection, op: ir.Operation, axis: int, source: Slot, name: str, start: ir.Attribute
) -> Slot:
    """Appends a reduction along `axis`."""
    rank = len(source.shape)
    shape = tuple(size for dim, size in enumerate(source.shape) if dim != axis)
    sizes = tuple(size for dim, size in enumerate(source.sizes) if dim != axis)
    result = selection.new_slot(op, ir.RankedTensorType.get(shape, source.element))
    result.extents = extents_in(shape, sizes)
    selection.fill(result, start, op)

    def body(arguments: Arguments) -> list[ir.Value]:
        (new,), _, (so_far,) = arguments
        return [_made(name, so_far, new)]

    selection.append(
        Compute(
            location=op.location,
            engine="vector",
            inputs=(source,),
            scalars=(),
            outputs=(result,),
            maps=(identity_map(rank), _without(axis, rank)),
            iterators=tuple("reduction" if d == axis else "parallel" for d in range(rank)),
            body=body,
            accumulates=True,
        )
    )
    return result


def _elementwise(
    selection: Selection, op: ir.Operation, axis: int, inputs: Sequence[Slot], names: Sequence[str]
) -> Slot:
    """Appends a chain of ops on the elements of a slot and of one without `axis`."""
    whole = inputs[0]
    rank = len(whole.shape)
    result = selection.new_slot(op, ir.RankedTensorType.get(whole.shape, whole.element))
    result.extents = whole.extents
    selection.append(
        for_each(
            op.location,
            result,
            _chain(names),
            inputs=inputs,
            maps=(identity_map(rank), _without(axis, rank)),
            reusable=(whole,),
        )
    )
    return result


def _chain(names: Sequence[str]) -> Body:
    """The first op takes both elements, the others what the one before made."""

    def build(arguments: Arguments) -> list[ir.Value]:
        values = list(arguments[0])
        for name in names:
            values = [_made(name, *values)]
        return values

    return build


def _made(name: str, *operands: ir.Value) -> ir.Value:
    op = ir.Operation.create(name, results=[operands[0].type], operands=list(operands))
    return op.results[0]
