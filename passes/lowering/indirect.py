"""Selection of indirect access tiles: gathers and scatters.

Owns the subscripts. A subscript is a part in values of the kernel, which becomes an offset, plus a
part in the variables of the tile, which becomes a map of the elements of the buffer. For `ind(..)`
the box of the index view that the tile can ask for is loaded beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.lowering.affine import (
    add,
    constant,
    fold,
    range_of,
    scale,
    split,
    substitute,
    terms,
    total,
)
from ktir.passes.lowering.index import Index
from ktir.passes.lowering.memory import box, order_of, view_of
from ktir.passes.lowering.selection import Selection, lowers, segments
from ktir.passes.lowering.steps import Access, Load, Via


@lowers("ktdp.construct_indirect_access_tile")
def _indirect_access_tile(selection: Selection, op: ir.Operation) -> None:
    (base,), index_views, captured, symbols = segments(op)
    view = view_of(selection, op, base)
    order = order_of(selection, op, "variables_space_order")
    lower, extents = box(selection, op, "variables_space_set", symbols)
    shape = tuple(extents[dim] for dim in order)
    subscripts = _Subscripts(
        selection, op, captured, _variables(selection, op, lower, order), shape
    )
    offsets: list[Index] = []
    via: list[Via] = []
    unread = iter(index_views)
    kinds = ir.ArrayAttr(op.attributes["per_dim_subscript_kinds"])
    maps = ir.ArrayAttr(op.attributes["per_dim_subscript_maps"])
    for kind, attribute in zip(kinds, maps, strict=True):
        results = list(ir.AffineMapAttr(attribute).value.results)
        if ir.BoolAttr(kind).value:
            offsets.append(0)
            via.append(subscripts.indirect(next(unread), results))
        else:
            offset, expr = subscripts.parts(results[0])
            offsets.append(offset)
            via.append(Via(None, ir.AffineMap.get(len(shape), 0, [expr])))
    if all(entry.index is None for entry in via):
        raise selection.refusal(op, "it has no ind(..) subscript; use ktdp.construct_access_tile")
    selection.tiles[op.results[0]] = Access(
        base=view.base,
        shape=shape,
        offsets=tuple(offsets),
        bounds=view.bounds,
        strides=view.strides,
        via=tuple(via),
    )


def _variables(
    selection: Selection, op: ir.Operation, lower: Sequence[Index], order: Sequence[int]
) -> list[ir.AffineExpr]:
    """Each variable as an expression of the dimensions of the buffer, which has them in `order`."""
    variables = []
    for variable, low in enumerate(lower):
        if not isinstance(low, int):
            raise selection.refusal(op, f"its variable {variable} does not start at a constant")
        variables.append(add(ir.AffineExpr.get_dim(order.index(variable)), constant(low)))
    return variables


class _Subscripts:
    """The subscripts of one tile, in its `variables` and `captured` values, for a buffer of
    `shape`."""

    def __init__(
        self,
        selection: Selection,
        op: ir.Operation,
        captured: Sequence[ir.Value],
        variables: Sequence[ir.AffineExpr],
        shape: Sequence[int],
    ) -> None:
        self._selection = selection
        self._op = op
        self._captured = [selection.index(value) for value in captured]
        self._variables = list(variables)
        self._shape = shape

    def parts(self, expr: ir.AffineExpr) -> tuple[Index, ir.AffineExpr]:
        """A subscript as an offset, and an expression of the dimensions of the tile."""
        count = len(self._captured)
        pair = split(expr, count)
        if pair is None:
            raise self._selection.refusal(
                self._op,
                f"the subscript {expr} does not add a part of its variables to a part of other "
                f"values (those are d0 to d{count - 1})",
            )
        outer, inner = pair
        varying, fixed = constant(0), 0
        for term in terms(substitute(inner, [constant(0)] * count + self._variables)):
            if isinstance(term, ir.AffineConstantExpr):
                fixed += term.value
            else:
                varying = add(varying, term)
        offset = fold(outer, [*self._captured, *([0] * len(self._variables))])
        return total(offset, fixed), varying

    def indirect(self, view: ir.Value, subscripts: Sequence[ir.AffineExpr]) -> Via:
        """What `ind(view[subscripts])` says; appends the load of the indices."""
        source = view_of(self._selection, self._op, view)
        offsets: list[Index] = []
        shape: list[int] = []
        places: list[ir.AffineExpr] = []
        for subscript in subscripts:
            offset, expr = self.parts(subscript)
            bounds = range_of(expr, self._shape)
            if bounds is None:
                raise self._selection.refusal(
                    self._op, f"the range of the subscript {subscript} is not known"
                )
            offsets.append(total(offset, bounds[0]))
            shape.append(bounds[1] - bounds[0] + 1)
            places.append(add(expr, scale(constant(bounds[0]), -1)))
        element = ir.MemRefType(view.type).element_type
        slot = self._selection.new_slot(self._op, ir.RankedTensorType.get(shape, element))
        access = Access(source.base, slot.shape, tuple(offsets), source.bounds, source.strides)
        self._selection.append(Load(self._op.location, slot, access))
        return Via(slot, ir.AffineMap.get(len(self._shape), 0, places))
