"""How passes make `linalg.generic`, at the current insertion point."""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import element_type, shape_of

Access = tuple[int | None, ...]
"""One entry a dimension of an operand: the loop that it follows, or None for the constant
coordinate 0.
"""


def maps_attribute(accesses: Sequence[Access], loops: int) -> ir.ArrayAttr:
    """The indexing maps of a generic with `loops` loops."""
    return ir.ArrayAttr.get(
        [ir.AffineMapAttr.get(_affine_map(access, loops)) for access in accesses]
    )


def iterators_attribute(iterators: Sequence[str]) -> ir.ArrayAttr:
    """The iterator types of a generic, one a loop: "parallel" or "reduction"."""
    return ir.ArrayAttr.get(
        [ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in iterators]
    )


def build(
    inputs: Sequence[ir.Value],
    inits: Sequence[ir.Value],
    accesses: Sequence[Access],
    iterators: Sequence[str],
    location: ir.Location,
) -> tuple[ir.Operation, ir.Block]:
    """A generic whose body has its arguments, but nothing else yet; `finish` ends it."""
    op = ir.Operation.create(
        "linalg.generic",
        [init.type for init in inits],
        [*inputs, *inits],
        {
            "indexing_maps": maps_attribute(accesses, len(iterators)),
            "iterator_types": iterators_attribute(iterators),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), len(inits)]),
        },
        regions=1,
        loc=location,
    )
    kinds = [element_type(value) for value in (*inputs, *inits)]
    return op, op.regions[0].blocks.append(*kinds, arg_locs=[location] * len(kinds))


def finish(block: ir.Block, yielded: Sequence[ir.Value], location: ir.Location) -> None:
    """Ends the body of a structured op."""
    with ir.InsertionPoint(block):
        ir.Operation.create("linalg.yield", operands=list(yielded), loc=location)


def empty(extents: Sequence[int], kind: ir.Type, location: ir.Location) -> ir.Value:
    """A new `tensor.empty` of `extents` and element type `kind`."""
    result = ir.RankedTensorType.get(list(extents), kind, loc=location)
    return ir.Operation.create("tensor.empty", [result], loc=location).result


def identity(
    values: Sequence[ir.Value], accesses: Sequence[Access], loops: int, location: ir.Location
) -> ir.Operation:
    """A generic that yields its inputs unchanged; dimension d of value i follows loop
    `accesses[i][d]`.
    """
    inits = [empty(shape_of(value), element_type(value), location) for value in values]
    op, block = build(values, inits, [*accesses, *accesses], ["parallel"] * loops, location)
    finish(block, list(block.arguments)[: len(values)], location)
    return op


def copy(value: ir.Value, location: ir.Location) -> ir.Value:
    """An elementwise copy of the tensor `value`."""
    rank = len(shape_of(value))
    return identity([value], [tuple(range(rank))], rank, location).result


def _affine_map(access: Access, loops: int) -> ir.AffineMap:
    zero = ir.AffineExpr.get_constant(0)
    results = [zero if loop is None else ir.AffineExpr.get_dim(loop) for loop in access]
    return ir.AffineMap.get(loops, 0, results)
