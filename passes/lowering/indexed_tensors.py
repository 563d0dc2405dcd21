"""Selection of `tensor.gather` and `tensor.scatter`: elements of a slot at computed places.

Owns the reading of their dimensions. The moves are transfers inside the running core's scratchpad,
see `local_access`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.index import Index
from ktir.passes.lowering.local_access import Place, local_access
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.steps import Load, Store, Via
from ktir.passes.lowering.structured import start_as, started_slot


@lowers("tensor.gather")
def _gather(selection: Selection, op: ir.Operation) -> None:
    source, indices = op.operands
    whole = selection.sizes(source)
    sizes = _gathered_sizes(selection, op, indices, whole)
    result = selection.new_slot(op, op.results[0].type, sizes)
    places = _places(selection, op, indices, "gather_dims", whole, len(result.shape))
    access = local_access(selection, selection.slot(source, op), result.shape, places)
    selection.append(Load(op.location, result, access))
    selection.bind(op.results[0], result)


@lowers("tensor.scatter")
def _scatter(selection: Selection, op: ir.Operation) -> None:
    source, dest, indices = op.operands
    result = started_slot(selection, op, op.results[0].type, dest)
    start_as(selection, op, dest, result)
    part = selection.slot(source, op)
    places = _places(selection, op, indices, "scatter_dims", result.sizes, len(part.shape))
    access = local_access(selection, result, part.shape, places)
    selection.append(Store(op.location, part, access))
    selection.bind(op.results[0], result)


def _gathered_sizes(
    selection: Selection, op: ir.Operation, indices: ir.Value, whole: Sequence[Index]
) -> tuple[Index, ...]:
    """The sizes of what is gathered from a tensor of the sizes `whole`."""
    indexed = list(ir.DenseI64ArrayAttr(op.attributes["gather_dims"]))
    batch = selection.sizes(indices)[:-1]
    rank = ir.RankedTensorType(op.results[0].type).rank
    is_dropped = rank - len(batch) != len(whole)
    rest = [
        1 if dim in indexed else size
        for dim, size in enumerate(whole)
        if not (dim in indexed and is_dropped)
    ]
    return (*batch, *rest)


def _places(
    selection: Selection,
    op: ir.Operation,
    indices: ir.Value,
    dims_name: str,
    whole: Sequence[Index],
    rank: int,
) -> list[Place]:
    """The place along each dimension of `whole` of the elements of a part of so many dimensions.

    The part has the leading dimensions of the indices, then those of the whole; the indexed ones
    have size 1 there, or are left out.
    """
    indexed = list(ir.DenseI64ArrayAttr(op.attributes[dims_name]))
    batch = len(selection.sizes(indices)) - 1
    is_dropped = rank - batch != len(whole)
    coordinates = selection.slot(indices, op)
    counters = [ir.AffineExpr.get_dim(dim) for dim in range(rank)]
    places: list[Place] = []
    at = batch
    for dim in range(len(whole)):
        if dim in indexed:
            number = ir.AffineExpr.get_constant(indexed.index(dim))
            inner = ir.AffineMap.get(rank, 0, [*counters[:batch], number])
            places.append(Via(coordinates, inner))
            at += 0 if is_dropped else 1
        else:
            places.append(Via(None, ir.AffineMap.get(rank, 0, [counters[at]])))
            at += 1
    return places
