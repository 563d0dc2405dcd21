"""Selection of indirect access tiles: gathers and scatters.

Owns the subscripts. A subscript is a part in values of the kernel, which becomes an offset, plus a
part in the variables of the tile, which each element of the buffer has of its own. One that mixes
the two is computed for every element when the program runs. For `ind(..)` the box of the index view
that the tile can ask for is loaded beside it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ktir.mlir import ir
from ktir.passes.lowering.affine import (
    add,
    as_expression,
    constant,
    dims_of,
    fold,
    scale,
    split,
    substitute,
    total,
)
from ktir.passes.lowering.coordinates import (
    ByIndex,
    ByMap,
    ByTable,
    Coordinate,
    fitted,
    separated,
)
from ktir.passes.lowering.elements import Elements
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.index import Index, Key
from ktir.passes.lowering.points import Points, points
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.sets import evaluate
from ktir.passes.lowering.tiles import fill, tile_of, tile_shape
from ktir.passes.lowering.values import segments
from ktir.passes.lowering.views import located


@lowers("ktdp.construct_indirect_access_tile")
def _indirect_access_tile(selection: Selection, op: ir.Operation) -> None:
    (base,), index_views, captured, symbols = segments(op)
    found = points(
        selection, op, "variables_space_set", "variables_space_order", symbols, tile_shape(op)
    )
    if 0 in found.shape:
        return
    subscripts = _Subscripts(selection, op, captured, found)
    coordinates: list[Coordinate] = []
    unread = iter(index_views)
    kinds = ir.ArrayAttr(op.attributes["per_dim_subscript_kinds"])
    maps = ir.ArrayAttr(op.attributes["per_dim_subscript_maps"])
    for kind, attribute in zip(kinds, maps, strict=True):
        results = list(ir.AffineMapAttr(attribute).value.results)
        if ir.BoolAttr(kind).value:
            coordinates.append(subscripts.indirect(next(unread), results))
        else:
            coordinates.append(subscripts.direct(results[0]))
    sizes = found.extents or found.shape
    places = located(selection, op, base, coordinates, sizes)
    selection.tiles[op.results[0]] = tile_of(op, places, found.shape, found.extents)


class _Subscripts:
    """The subscripts of one tile, in captured values and in its variables, of whose values at the
    elements of a buffer it is known how they follow."""

    def __init__(
        self,
        selection: Selection,
        op: ir.Operation,
        captured: Sequence[ir.Value],
        points_: Points,
    ) -> None:
        self._selection = selection
        self._op = op
        self._captured = [selection.index(value) for value in captured]
        self._variables = list(points_.coordinates)
        self._shape = points_.shape
        self._extents = points_.extents

    def direct(self, expr: ir.AffineExpr) -> Coordinate:
        """What a subscript is at every element."""
        count = len(self._captured)
        used = [self._variables[dim - count] for dim in dims_of(expr) if dim >= count]
        if any(isinstance(v.inner, ByIndex) for v in used):
            return self._computed(expr)
        if any(isinstance(v.inner, ByTable) for v in used):
            pair = split(expr, count)
            return self._computed(expr) if pair is None else self._tabled(*pair)
        return self._mapped(expr)

    def _tabled(self, outer: ir.AffineExpr, inner: ir.AffineExpr) -> Coordinate:
        """A subscript of variables that are no boxes: they are listed."""
        numbers = [
            (v.offset if isinstance(v.offset, int) else 0) + v.numbers(self._shape)
            for v in self._variables
        ]
        values = evaluate(inner, [*([0] * len(self._captured)), *numbers])
        found = fitted(np.broadcast_to(values, self._shape))
        offset = fold(outer, [*self._captured, *([0] * len(self._variables))])
        return dataclasses.replace(found, offset=total(offset, found.offset))

    def _mapped(self, expr: ir.AffineExpr) -> Coordinate:
        """A subscript as an offset and a map, or computed where it mixes the two."""
        rank = len(self._shape)
        values: list[Key] = []
        outer = [as_expression(value, values) for value in self._captured]
        starts = [as_expression(v.offset, values) for v in self._variables]
        count = len(values)
        places = [ir.AffineExpr.get_dim(count + dim) for dim in range(rank)]
        inner = [
            substitute(v.inner.expr, places) if isinstance(v.inner, ByMap) else constant(0)
            for v in self._variables
        ]
        whole = substitute(expr, [*outer, *(add(a, b) for a, b in zip(starts, inner, strict=True))])
        pair = split(whole, count)
        if pair is None:
            return self._computed(expr)
        back = [constant(0)] * count + [ir.AffineExpr.get_dim(dim) for dim in range(rank)]
        fixed, varying = separated(substitute(pair[1], back))
        offset = fold(pair[0], [*values, *([0] * rank)])
        return Coordinate(total(offset, fixed), ByMap(varying))

    def _computed(self, expr: ir.AffineExpr) -> Coordinate:
        """A subscript that is written to a slot, element by element."""
        elements = Elements(self._selection, self._op, self._shape, self._variables, self._extents)
        captured = [elements.of(value) for value in self._captured]
        slot = elements.numbers(substitute(expr, [*captured, *elements.coordinates]))
        places = tuple(ir.AffineExpr.get_dim(dim) for dim in range(len(self._shape)))
        return Coordinate(0, ByIndex(slot, places))

    def indirect(self, view: ir.Value, subscripts: Sequence[ir.AffineExpr]) -> Coordinate:
        """What `ind(view[subscripts])` says; appends the load of the indices."""
        element = ir.MemRefType(view.type).element_type
        found = [self.direct(subscript) for subscript in subscripts]
        spans = [coordinate.span(self._shape) for coordinate in found]
        known = [span for span in spans if span is not None]
        is_box = len(known) == len(spans) and all(isinstance(c.inner, ByMap) for c in found)
        extents: tuple[Index, ...] = ()
        if is_box and not self._extents:
            # The box of all places is loaded; each element knows its place in it.
            shape = tuple(high - low + 1 for low, high in known)
            coordinates = tuple(
                Coordinate(total(c.offset, low), ByMap(ir.AffineExpr.get_dim(dim)))
                for dim, (c, (low, _)) in enumerate(zip(found, known, strict=True))
            )
            places = tuple(
                add(c.inner.expr, scale(constant(low), -1))
                for c, (low, _) in zip(found, known, strict=True)
                if isinstance(c.inner, ByMap)
            )
        else:
            shape, coordinates, extents = self._shape, tuple(found), self._extents
            places = tuple(ir.AffineExpr.get_dim(dim) for dim in range(len(shape)))
        sizes = extents or shape
        places_ = located(self._selection, self._op, view, coordinates, sizes)
        tile = tile_of(self._op, places_, shape, extents)
        slot = self._selection.new_slot(self._op, ir.RankedTensorType.get(shape, element))
        slot.extents = extents
        fill(self._selection, tile, slot, self._op)
        return Coordinate(0, ByIndex(slot, places, must_exist=True))
