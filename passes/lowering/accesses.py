"""From coordinates of a view to the lists of a transfer.

Owns the choice of its form: plain strides where each dimension of the buffer is one of the view's,
else maps, tables and index buffers. What a coordinate set says beyond bounds becomes more
dimensions, of stride 0: an element is valid where the value of the constraint is in bounds. A
constraint whose value no map or table gives is computed for every element when the program runs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ktir.mlir import ir
from ktir.passes.lowering.affine import (
    add,
    as_expression,
    constant,
    constant_value,
    dims_of,
    fold,
    negated,
    split,
    substitute,
    times,
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
from ktir.passes.lowering.elements import Elements, refuse_marks
from ktir.passes.lowering.index import Index, Key
from ktir.passes.lowering.indices import index_table
from ktir.passes.lowering.sets import evaluate
from ktir.passes.lowering.steps import Access, Slot, Via

if TYPE_CHECKING:
    from ktir.passes.lowering.selection import Selection
    from ktir.passes.lowering.tiles import Tile
    from ktir.passes.lowering.views import Mask, Part

_NO_BOUND = 1 << 62
"""A bound that no coordinate reaches."""

_ANYWHERE = (-_NO_BOUND, _NO_BOUND)
"""Where no coordinate is a fault."""


@dataclasses.dataclass(frozen=True)
class _Dimension:
    """One dimension of memory: coordinates, those that are valid, the distance of two, and those
    that are no fault, as the first and the one after the last.

    `faults`: so is every coordinate that is not valid.
    """

    coordinate: Coordinate
    bound: Index
    stride: Index
    legal: tuple[int, int] = _ANYWHERE
    faults: bool = False


def may_hold(selection: Selection, tile: Tile, part: Part) -> bool:
    """False if it is known that a part holds no element of a tile, on any core."""
    for coordinate, low, bound in zip(tile.coordinates, part.lower, part.bounds, strict=True):
        span, offsets = coordinate.span(tile.shape), selection.ranges.of(coordinate.offset)
        lows, bounds = selection.ranges.of(low), selection.ranges.of(bound)
        if span is None or offsets is None or lows is None or bounds is None:
            continue
        if all(
            offset[1] + span[1] < first[0] or offset[0] + span[0] >= first[1] + count[1]
            for offset, first, count in zip(offsets, lows, bounds, strict=True)
        ):
            return False
    return True


def access_of(selection: Selection, tile: Tile, part: Part) -> Access:
    """The transfer of what a part holds of a tile; appends what it needs."""
    dims = [
        _Dimension(
            coordinate=dataclasses.replace(
                coordinate, offset=total(coordinate.offset, negated(low))
            ),
            bound=bound,
            stride=stride,
            legal=legal,
            faults=_must_exist(part, coordinate) and low == 0 and bound == part.lengths[dim],
        )
        for dim, (coordinate, low, bound, stride, legal) in enumerate(
            zip(tile.coordinates, part.lower, part.bounds, part.strides, _legal(part), strict=True)
        )
    ]
    masks = [_masked(selection, tile, mask) for mask in part.masks]
    listed = [mask for mask in masks if mask is not None]
    if len(listed) < len(masks):
        left = [mask for mask, dim in zip(part.masks, masks, strict=True) if dim is None]
        listed.append(_computed(selection, tile, left))
    access = _access(selection, tile, part, [*dims, *listed])
    open_ = [number for number, dim in enumerate(dims) if dim.legal == _ANYWHERE]
    if access.within:
        _require_existing(selection, tile, part, open_)
    return access


def _require_existing(selection: Selection, tile: Tile, part: Part, open_: Sequence[int]) -> None:
    """Appends what makes it a fault that a coordinate read from memory is outside a view, in the
    dimensions whose size is a value; of the others the transfer says what is legal."""
    read = [dim for dim in open_ if _must_exist(part, tile.coordinates[dim])]
    if not read:
        return
    elements = Elements(selection, tile.op, tile.shape, tile.coordinates, tile.extents)
    exists = [c for dim in read for c in elements.below(dim, part.lengths[dim])]
    refuse_marks(
        selection,
        tile.op,
        elements.marks([exists]),
        f"an index names a coordinate that the view does not have in one of dimensions {read}",
    )


def _must_exist(part: Part, coordinate: Coordinate) -> bool:
    """Whether a coordinate is a fault where a part has none: it is read from memory, and the part
    is all of its view."""
    inner = coordinate.inner
    return isinstance(inner, ByIndex) and inner.must_exist and not part.is_shared


def _legal(part: Part) -> list[tuple[int, int]]:
    """The legal coordinates of each dimension, counted from what the part holds first."""
    if part.sizes is None:
        return [_ANYWHERE] * len(part.lower)
    return [
        (-low, size - low) if isinstance(low, int) and isinstance(size, int) else _ANYWHERE
        for low, size in zip(part.lower, part.sizes, strict=True)
    ]


def _access(selection: Selection, tile: Tile, part: Part, dims: Sequence[_Dimension]) -> Access:
    """The lists of a transfer, in the simplest form that says it."""
    plain = _order(dims, tile.shape, steps=False)
    if plain is not None:
        return _strided(selection, part, tile.shape, [dims[dim] for dim in plain])
    stepped = _order(dims, tile.shape, steps=True)
    if stepped is not None and all(_is_inside(selection, dim, tile.shape) for dim in dims):
        return _with_steps(selection, tile, part, [dims[dim] for dim in stepped])
    rank = len(tile.shape)
    return Access(
        base=part.base,
        shift=part.shift,
        shape=tile.shape,
        offsets=tuple(dim.coordinate.offset for dim in dims),
        bounds=tuple(dim.bound for dim in dims),
        strides=tuple(dim.stride for dim in dims),
        via=tuple(_via(dim.coordinate, rank) for dim in dims),
        core=part.core,
        within=_within(selection, dims, tile.shape),
    )


def _order(dims: Sequence[_Dimension], shape: Sequence[int], *, steps: bool) -> list[int] | None:
    """The dimension of memory that each dimension of the buffer walks along; None if it is not one
    each. With `steps` a walk may leave out coordinates."""
    if len(dims) != len(shape):
        return None
    found: dict[int, int] = {}
    still: list[int] = []
    for number, dim in enumerate(dims):
        walk = _walk(dim.coordinate)
        if walk is None:
            return None
        along, step = walk
        if along is None:
            still.append(number)
        elif along in found or (step != 1 and not steps):
            return None
        else:
            found[along] = number
    # A dimension that stands still is walked by one of a single element.
    single = [dim for dim, size in enumerate(shape) if size == 1 and dim not in found]
    if len(single) < len(still):
        return None
    found |= dict(zip(single, still, strict=False))
    return [found[dim] for dim in range(len(shape))] if len(found) == len(shape) else None


def _walk(coordinate: Coordinate) -> tuple[int | None, int] | None:
    """The dimension of the buffer that a coordinate follows and its step; None if it is not one."""
    if not isinstance(coordinate.inner, ByMap):
        return None
    expr = coordinate.inner.expr
    if constant_value(expr) == 0:
        return None, 1
    if isinstance(expr, ir.AffineDimExpr):
        return expr.position, 1
    if isinstance(expr, ir.AffineMulExpr) and isinstance(expr.lhs, ir.AffineDimExpr):
        step = constant_value(expr.rhs)
        return None if step is None else (expr.lhs.position, step)
    return None


def _strided(
    selection: Selection, part: Part, shape: tuple[int, ...], dims: Sequence[_Dimension]
) -> Access:
    return Access(
        base=part.base,
        shift=part.shift,
        shape=shape,
        offsets=tuple(dim.coordinate.offset for dim in dims),
        bounds=tuple(dim.bound for dim in dims),
        strides=tuple(dim.stride for dim in dims),
        core=part.core,
        within=_within(selection, dims, shape),
    )


def _within(
    selection: Selection, dims: Sequence[_Dimension], shape: Sequence[int]
) -> tuple[int, ...]:
    """The legal coordinates of all dimensions; nothing where it is known that no other occurs.

    Where nothing is said, a coordinate of an index buffer must be valid.
    """
    masks = any(isinstance(dim.coordinate.inner, ByIndex) and not dim.faults for dim in dims)
    if not masks and all(dim.faults or _is_legal(selection, dim, shape) for dim in dims):
        return ()
    return tuple(end for dim in dims for end in dim.legal)


def _is_legal(selection: Selection, dim: _Dimension, shape: Sequence[int]) -> bool:
    """Whether it is known that all coordinates are legal."""
    if dim.legal == _ANYWHERE:
        return True
    span = dim.coordinate.span(shape)
    offsets = selection.ranges.of(dim.coordinate.offset)
    if span is None or offsets is None:
        return False
    first, end = dim.legal
    return all(low + span[0] >= first and high + span[1] < end for low, high in offsets)


def _is_inside(selection: Selection, dim: _Dimension, shape: Sequence[int]) -> bool:
    """Whether it is known that all coordinates are in bounds."""
    span = dim.coordinate.span(shape)
    offsets = selection.ranges.of(dim.coordinate.offset)
    bounds = selection.ranges.of(dim.bound)
    if span is None or offsets is None or bounds is None:
        return False
    return all(
        low + span[0] >= 0 and high + span[1] < bound
        for (low, high), (bound, _) in zip(offsets, bounds, strict=True)
    )


def _with_steps(selection: Selection, tile: Tile, part: Part, dims: Sequence[_Dimension]) -> Access:
    """Strides that leave out coordinates: the first element is the base."""
    shifts = [selection.plain(times(dim.coordinate.offset, dim.stride), tile.op) for dim in dims]
    steps = [(_walk(dim.coordinate) or (None, 1))[1] for dim in dims]
    return Access(
        base=part.base if isinstance(part.base, Slot) else total(part.base, *shifts),
        shift=total(part.shift, *shifts) if isinstance(part.base, Slot) else 0,
        shape=tile.shape,
        offsets=(0,) * len(dims),
        bounds=tile.shape,
        strides=tuple(
            selection.plain(times(dim.stride, step), tile.op)
            for dim, step in zip(dims, steps, strict=True)
        ),
        core=part.core,
    )


def _via(coordinate: Coordinate, rank: int) -> Via:
    inner = coordinate.inner
    if isinstance(inner, ByMap):
        return Via(None, ir.AffineMap.get(rank, 0, [inner.expr]))
    if isinstance(inner, ByIndex):
        return Via(inner.slot, ir.AffineMap.get(rank, 0, list(inner.places)))
    return Via(None, index_table(inner.table))


def _masked(selection: Selection, tile: Tile, mask: Mask) -> _Dimension | None:
    """A constraint as a dimension of stride 0: its value at every element, and which are valid.

    None if that is no offset plus a part that is known.
    """
    coordinates = tile.coordinates
    bound = 1 if mask.constraint.equal else _NO_BOUND
    used = [coordinates[dim] for dim in dims_of(mask.constraint.expr)]
    if any(isinstance(coordinate.inner, ByIndex) for coordinate in used):
        return None
    values: list[Key] = []
    outer = [as_expression(coordinate.offset, values) for coordinate in coordinates]
    symbols = [as_expression(symbol, values) for symbol in mask.symbols]
    count, rank = len(values), len(tile.shape)
    places = [ir.AffineExpr.get_dim(count + dim) for dim in range(rank)]
    # A table counts as one more dimension, until the part without values is known.
    tables: list[np.ndarray] = []
    dims = []
    for start, coordinate in zip(outer, coordinates, strict=True):
        inner = constant(0)
        if isinstance(coordinate.inner, ByMap):
            inner = substitute(coordinate.inner.expr, places)
        elif isinstance(coordinate.inner, ByTable):
            inner = ir.AffineExpr.get_dim(count + rank + len(tables))
            tables.append(coordinate.inner.table)
        dims.append(add(start, inner))
    pair = split(substitute(mask.constraint.expr, dims, symbols), count)
    if pair is None:
        return None
    offset = fold(pair[0], [*values, *([0] * (rank + len(tables)))])
    own = _without_values(pair[1], count, tile.shape, tables)
    return _Dimension(dataclasses.replace(own, offset=total(offset, own.offset)), bound, 0)


def _computed(selection: Selection, tile: Tile, masks: Sequence[Mask]) -> _Dimension:
    """Constraints as a dimension of stride 0 whose coordinate is 0 where all of them hold."""
    elements = Elements(selection, tile.op, tile.shape, tile.coordinates, tile.extents)
    marks = elements.marks([[elements.holds(m.constraint, m.symbols) for m in masks]])
    places = tuple(ir.AffineExpr.get_dim(dim) for dim in range(len(tile.shape)))
    return _Dimension(Coordinate(0, ByIndex(marks, places)), 1, 0)


def _without_values(
    expr: ir.AffineExpr, count: int, shape: tuple[int, ...], tables: Sequence[np.ndarray]
) -> Coordinate:
    """An expression of places, and of tables after them, as a coordinate; its dimensions start at
    `count`."""
    if not tables:
        back = [constant(0)] * count + [ir.AffineExpr.get_dim(dim) for dim in range(len(shape))]
        fixed, varying = separated(substitute(expr, back))
        return Coordinate(fixed, ByMap(varying))
    grid = np.meshgrid(*(np.arange(size) for size in shape), indexing="ij", sparse=True)
    numbers = evaluate(expr, [*([0] * count), *grid, *tables])
    return fitted(np.array(np.broadcast_to(numbers, shape)))
