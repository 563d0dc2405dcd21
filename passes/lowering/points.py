"""The points of a tile's set as coordinates of a buffer.

Owns the choice of the buffer's shape. A box is visited in the order of its order map, dimension by
dimension, and its bounds may be values of the kernel. Any other set is listed: if its points are
visited as a grid, the buffer has the shape of that grid, else that of the tile. What values decide
is checked, or listed when the program runs.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ktir.mlir import ir
from ktir.mlir.dialects.ktdp import coordinate_set_of
from ktir.passes.lowering.affine import fold, greatest, least, negated, times, total
from ktir.passes.lowering.boxes import Box, Interval, box_of
from ktir.passes.lowering.coordinates import ByIndex, ByMap, Coordinate, fitted, grid_of
from ktir.passes.lowering.index import Greatest, Index, Key, Least, Made, Test
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.sets import (
    MOST_POINTS,
    IntegerSet,
    SetError,
    growth_with,
    points_of,
    read_set,
    sort_points,
)
from ktir.passes.lowering.steps import Enumerate, extents_in

_FAR = 1 << 32
"""A value of a symbol beyond which a set does not change any more, or too late."""


@dataclasses.dataclass(frozen=True)
class Points:
    """The shape of a buffer, and a coordinate of its elements for each dimension of a set.

    `extents` are the sizes of the tile where some are values, of which `shape` has the bounds.
    `limits` are values that it takes to be no larger than a view has room for.
    """

    shape: tuple[int, ...]
    coordinates: tuple[Coordinate, ...]
    extents: tuple[Index, ...] = ()
    limits: tuple[tuple[Key, int], ...] = ()


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
    rooms: Sequence[int] = (),
) -> Points:
    """The points of the set `set_name` in the order of the map `order_name`, for a tile of `shape`,
    which has -1 for a size that is a value. `rooms` bound the extents of the set: -1 where nothing
    is known.

    Raises UnsupportedError if the number of points is not known or not that of the tile.
    """
    set_, box = set_of(selection, op, set_name)
    order = ir.AffineMapAttr(op.attributes[order_name]).value
    values = [selection.index(symbol) for symbol in symbols]
    bounds = [_bounds(interval, values) for interval in box.intervals]
    is_box = not box.rest and order.is_permutation and all(bound is not None for bound in bounds)
    if is_box:
        known = [bound for bound in bounds if bound is not None]
        if -1 in shape and len(shape) == len(known):
            return _open_box(selection, op, known, order, rooms)
        found = _box(selection, op, set_name, known, order, shape)
    else:
        found = _listed(selection, op, (set_name, order_name), set_, values, shape)
    if math.prod(found.shape) != math.prod(shape):
        text = "x".join(map(str, shape))
        raise selection.refusal(
            op,
            f"its {set_name} has {math.prod(found.shape)} points, which do not fill a tile of "
            f"{text}",
        )
    return found


def _bounds(interval: Interval, symbols: Sequence[Index]) -> tuple[Index, Index] | None:
    """The first and the last coordinate of a dimension; None if there is none or it is not known
    which of several bounds it is."""
    low = (
        greatest([fold(bound, (), symbols) for bound in interval.lower]) if interval.lower else None
    )
    high = least([fold(bound, (), symbols) for bound in interval.upper]) if interval.upper else None
    if low is None or high is None or isinstance(low, Greatest) or isinstance(high, Least):
        return None
    return low, high


def _box(
    selection: Selection,
    op: ir.Operation,
    name: str,
    bounds: Sequence[tuple[Index, Index]],
    order: ir.AffineMap,
    shape: Sequence[int],
) -> Points:
    visit = [ir.AffineDimExpr(expr).position for expr in order.results]
    extents = [total(high, negated(low), 1) for low, high in bounds]
    known = [max(extent, 0) if isinstance(extent, int) else None for extent in extents]
    sizes = []
    for dim, (extent, size) in enumerate(zip(extents, known, strict=True)):
        if size is None:
            size = _size_in_type(selection, op, name, dim, visit, known, shape)
            # A box that is empty along another dimension may have any extent in this one.
            if 0 not in known:
                _require_extent(selection, op, name, dim, extent, size)
        sizes.append(size)
    coordinates = [
        Coordinate(low, ByMap(ir.AffineExpr.get_dim(visit.index(dim))))
        for dim, (low, _) in enumerate(bounds)
    ]
    return Points(tuple(sizes[dim] for dim in visit), tuple(coordinates))


def _open_box(
    selection: Selection,
    op: ir.Operation,
    bounds: Sequence[tuple[Index, Index]],
    order: ir.AffineMap,
    rooms: Sequence[int],
) -> Points:
    """A box of as many points as values of the kernel say, visited in order."""
    visit = [ir.AffineDimExpr(expr).position for expr in order.results]
    extents: list[Index] = []
    shape: list[int] = []
    limits: list[tuple[Key, int]] = []
    for dim, (low, high) in enumerate(bounds):
        key = count = selection.plain(total(high, negated(low), 1), op)
        ends = selection.bounds.of(count)
        if not (ends[0] is not None and ends[0] >= 0):
            count = selection.plain(greatest([count, 0]), op)
        room = rooms[dim] if rooms else -1
        if ends[1] is None and room >= 0:
            shape.append(max(room, 1))
            limits += [(key, room)] if isinstance(key, (ir.Value, Made)) else []
        else:
            shape.append(selection.bound(op, count))
        extents.append(count)
    coordinates = [
        Coordinate(low, ByMap(ir.AffineExpr.get_dim(visit.index(dim))))
        for dim, (low, _) in enumerate(bounds)
    ]
    sizes, own = tuple(shape[dim] for dim in visit), tuple(extents[dim] for dim in visit)
    return Points(sizes, tuple(coordinates), extents_in(sizes, own), tuple(limits))


def _require_extent(
    selection: Selection, op: ir.Operation, name: str, dim: int, extent: Index, size: int
) -> None:
    """Appends a check of the extent of a dimension, unless it is known to be what it has to be."""
    exact = selection.ranges.exact(extent)
    if exact is None or set(exact) != {size}:
        selection.require(
            Test("eq", extent, size),
            f"the extent of d{dim} in the {name} is not {size}, which its tile has",
            op,
        )


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


def _listed(
    selection: Selection,
    op: ir.Operation,
    names: tuple[str, str],
    set_: IntegerSet,
    symbols: Sequence[Index],
    shape: Sequence[int],
) -> Points:
    order = ir.AffineMapAttr(op.attributes[names[1]]).value
    try:
        listed = _points(selection, op, names[0], set_, symbols, math.prod(shape))
    except SetError as error:
        raise selection.refusal(op, f"its {names[0]} cannot be listed: {error}") from error
    if listed is None:
        return _enumerated(selection, op, names, symbols, shape)
    found = sort_points(listed, order)
    buffer = grid_of(found)
    if buffer is None:
        if math.prod(shape) != len(found):
            return Points((len(found),), ())
        buffer = tuple(shape)
    columns = [np.ascontiguousarray(column).reshape(buffer) for column in found.T]
    return Points(buffer, tuple(fitted(column) for column in columns))


def _enumerated(
    selection: Selection,
    op: ir.Operation,
    names: tuple[str, str],
    symbols: Sequence[Index],
    shape: Sequence[int],
) -> Points:
    """Appends what lists the points when the program runs, each dimension in a slot."""
    set_, order = (op.attributes[name] for name in names)
    rank = ir.AffineMapAttr(order).value.n_dims
    if any(size < 1 for size in shape):
        raise selection.refusal(
            op,
            f"its {names[0]} is no box and depends on values; a tile of it needs a static shape "
            "with elements",
        )
    number = ir.RankedTensorType.get(shape, ir.IntegerType.get_signless(64))
    slots = tuple(selection.new_slot(op, number) for _ in range(rank))
    selection.append(Enumerate(op.location, slots, set_, order, tuple(symbols)))
    places = tuple(ir.AffineExpr.get_dim(dim) for dim in range(len(shape)))
    return Points(tuple(shape), tuple(Coordinate(0, ByIndex(slot, places)) for slot in slots))


def _points(
    selection: Selection,
    op: ir.Operation,
    name: str,
    set_: IntegerSet,
    symbols: Sequence[Index],
    number: int,
) -> np.ndarray | None:
    """The points of a set; if one symbol is a value, those that it must have to be `number` points,
    with a check of that value.

    None if it is not known which. Raises SetError if they cannot be listed.
    """
    unknown = [at for at, symbol in enumerate(symbols) if not isinstance(symbol, int)]
    known = [symbol if isinstance(symbol, int) else 0 for symbol in symbols]
    if not unknown:
        return points_of(set_, known)
    growth = growth_with(set_, unknown[0]) if len(unknown) == 1 else 0
    if growth == 0 or number < 1:
        return None
    at = unknown[0]

    def listed(value: int) -> np.ndarray:
        return points_of(set_, [*known[:at], growth * value, *known[at + 1 :]])

    def count(value: int) -> int:
        try:
            return len(listed(value))
        except SetError:
            return MOST_POINTS

    # Of sets that only grow, those with as many points are one and the same.
    first = _first_with(number, count)
    found = listed(first)
    if len(found) != number:
        return found
    symbol = times(symbols[at], growth)
    message = f"with the symbol s{at}, the {name} has another number of points than its tile"
    selection.require(Test("sge", symbol, first), message, op)
    if (end := _first_with(number + 1, count)) < _FAR:
        selection.require(Test("slt", symbol, end), message, op)
    return found


def _first_with(number: int, count: Callable[[int], int]) -> int:
    """The least value for which a set that only grows has at least `number` points; `_FAR` or
    beyond if none has."""
    low, high = -1, 1
    while count(low) >= number and low > -_FAR:
        low *= 2
    while count(high) < number and high < _FAR:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if count(middle) < number else (low, middle)
    return high
