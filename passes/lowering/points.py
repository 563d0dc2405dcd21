"""The points of a tile's set as coordinates of a buffer.

Owns the choice of the buffer's shape. A box is visited in the order of its order map, dimension by
dimension, and its bounds may be values of the kernel. Any other set is listed: if its points are
visited as a grid, the buffer has the shape of that grid, else that of the tile.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ktir.mlir import ir
from ktir.mlir.dialects.ktdp import coordinate_set_of
from ktir.passes.lowering.affine import add, constant, constant_value, fold, scale
from ktir.passes.lowering.boxes import Box, box_of
from ktir.passes.lowering.coordinates import ByMap, Coordinate, fitted, grid_of
from ktir.passes.lowering.index import Index
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.sets import (
    IntegerSet,
    SetError,
    growth_with,
    points_of,
    read_set,
    sort_points,
)

_FAR = 1 << 32
"""A value of a symbol beyond which a set does not change any more, or too late."""


@dataclasses.dataclass(frozen=True)
class Points:
    """The shape of a buffer, and a coordinate of its elements for each dimension of a set."""

    shape: tuple[int, ...]
    coordinates: tuple[Coordinate, ...]


def set_of(selection: Selection, op: ir.Operation, name: str) -> tuple[IntegerSet, Box]:
    """The set in the attribute `name`, and the box around it."""
    # A memory view may leave its set out.
    view: Any = op.opview
    attribute = coordinate_set_of(view) if name == "coordinate_set" else op.attributes[name]
    # Kernels name few sets, many times.
    if attribute not in selection.sets:
        try:
            found = read_set(attribute)
        except SetError as error:
            raise selection.refusal(op, f"its {name} cannot be read: {error}") from error
        selection.sets[attribute] = (found, box_of(found))
    return selection.sets[attribute]


def points(
    selection: Selection,
    op: ir.Operation,
    set_name: str,
    order_name: str,
    symbols: Sequence[ir.Value],
    shape: Sequence[int],
) -> Points:
    """The points of the set `set_name` in the order of the map `order_name`, for a tile of `shape`.

    Raises UnsupportedError if the number of points is not known or not that of the tile.
    """
    set_, box = set_of(selection, op, set_name)
    order = ir.AffineMapAttr(op.attributes[order_name]).value
    values = [selection.index(symbol) for symbol in symbols]
    if not box.rest and order.is_permutation:
        found = _box(selection, op, set_name, box, order, values, shape)
    else:
        found = _listed(selection, op, set_name, set_, order, values, shape)
    if math.prod(found.shape) != math.prod(shape):
        text = "x".join(map(str, shape))
        raise selection.refusal(
            op,
            f"its {set_name} has {math.prod(found.shape)} points, which do not fill a tile of "
            f"{text}",
        )
    return found


def _box(
    selection: Selection,
    op: ir.Operation,
    name: str,
    box: Box,
    order: ir.AffineMap,
    symbols: Sequence[Index],
    shape: Sequence[int],
) -> Points:
    visit = [ir.AffineDimExpr(expr).position for expr in order.results]
    lower: list[Index] = []
    extents: list[int | None] = []
    for dim, interval in enumerate(box.intervals):
        low, high = _greatest(interval.lower), _least(interval.upper)
        if low is None or high is None:
            raise selection.refusal(op, f"its {name} has no bounds, or several, in d{dim}")
        lower.append(fold(low, (), symbols))
        extent = fold(add(add(high, scale(low, -1)), constant(1)), (), symbols)
        extents.append(max(extent, 0) if isinstance(extent, int) else None)
    sizes = [
        _size_in_type(selection, op, name, dim, visit, extents, shape) if extent is None else extent
        for dim, extent in enumerate(extents)
    ]
    coordinates = [
        Coordinate(low, ByMap(ir.AffineExpr.get_dim(visit.index(dim))))
        for dim, low in enumerate(lower)
    ]
    return Points(tuple(sizes[dim] for dim in visit), tuple(coordinates))


def _size_in_type(
    selection: Selection,
    op: ir.Operation,
    name: str,
    dim: int,
    visit: Sequence[int],
    extents: Sequence[int | None],
    shape: Sequence[int],
) -> int:
    """The extent of a dimension of a set whose bounds are values: what the tile's type says.

    If it is the only one that is open, it is what the others leave of the tile's size, since the
    type may list the sizes in another order than that of the visit.
    """
    if len(shape) != len(visit) or any(size < 0 for size in shape):
        raise selection.refusal(
            op, f"its {name} has a dynamic extent in d{dim}; a buffer needs a static one"
        )
    known = math.prod(extent for extent in extents if extent is not None)
    if list(extents).count(None) == 1 and known and math.prod(shape) % known == 0:
        return math.prod(shape) // known
    return shape[visit.index(dim)]


def _greatest(bounds: Sequence[ir.AffineExpr]) -> ir.AffineExpr | None:
    """The greatest bound; None if there is none or it is not known which."""
    values = _constants(bounds)
    return constant(max(values)) if values else bounds[0] if len(bounds) == 1 else None


def _least(bounds: Sequence[ir.AffineExpr]) -> ir.AffineExpr | None:
    values = _constants(bounds)
    return constant(min(values)) if values else bounds[0] if len(bounds) == 1 else None


def _constants(bounds: Sequence[ir.AffineExpr]) -> list[int]:
    """The values of bounds that are all constants, else nothing."""
    values = [constant_value(bound) for bound in bounds]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


def _listed(
    selection: Selection,
    op: ir.Operation,
    name: str,
    set_: IntegerSet,
    order: ir.AffineMap,
    symbols: Sequence[Index],
    shape: Sequence[int],
) -> Points:
    try:
        listed = _points(set_, symbols, math.prod(shape))
        if listed is None:
            raise selection.refusal(
                op,
                f"its {name} is no box and depends on values, so that its points cannot be listed; "
                "use constants, or one symbol that bounds it on one side",
            )
        found = sort_points(listed, order)
    except SetError as error:
        raise selection.refusal(op, f"its {name} cannot be listed: {error}") from error
    buffer = grid_of(found)
    if buffer is None:
        if math.prod(shape) != len(found):
            return Points((len(found),), ())
        buffer = tuple(shape)
    columns = [np.ascontiguousarray(column).reshape(buffer) for column in found.T]
    return Points(buffer, tuple(fitted(column) for column in columns))


def _points(set_: IntegerSet, symbols: Sequence[Index], number: int) -> np.ndarray | None:
    """The points of a set; if one symbol is a value, those that it must have to be `number` points.

    None if it is not known which. Raises SetError if they cannot be listed.
    """
    unknown = [at for at, symbol in enumerate(symbols) if not isinstance(symbol, int)]
    known = [symbol if isinstance(symbol, int) else 0 for symbol in symbols]
    if not unknown:
        return points_of(set_, known)
    growth = growth_with(set_, unknown[0]) if len(unknown) == 1 else 0
    if growth == 0 or number < 1:
        return None

    def listed(value: int) -> np.ndarray:
        return points_of(set_, [*known[: unknown[0]], growth * value, *known[unknown[0] + 1 :]])

    # Of sets that only grow, those with as many points are one and the same.
    low, high = -1, 1
    while len(listed(low)) >= number and low > -_FAR:
        low *= 2
    while len(listed(high)) < number and high < _FAR:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if len(listed(middle)) < number else (low, middle)
    return listed(high)
