"""From coordinates of a view to the lists of a transfer.

Owns the choice of its form: plain strides where each dimension of the buffer is one of the view's,
else maps, tables and index buffers. What a coordinate set says beyond bounds becomes more
dimensions, of stride 0: an element is valid where the value of the constraint is in bounds. A
constraint that divides may depend on the remainder of a value of the kernel: then there is a case
for each remainder.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
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
    divisors_of,
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

_MOST_CASES = 64
"""Cases of one transfer that are written out."""


@dataclasses.dataclass(frozen=True)
class Case:
    """What to move if `key` is `value` when the kernel runs."""

    key: Index
    value: int
    access: Access


@dataclasses.dataclass(frozen=True)
class _Dimension:
    """One dimension of memory: coordinates, those that are valid, the distance of two, and those
    that are no fault, as the first and the one after the last."""

    coordinate: Coordinate
    bound: Index
    stride: Index
    legal: tuple[int, int] = _ANYWHERE


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


def cases(selection: Selection, tile: Tile, part: Part) -> list[Case]:
    """The transfers of what a part holds of a tile; all but the last one with what tells them
    apart. Raises UnsupportedError for a constraint that no transfer can express."""
    local = [
        dataclasses.replace(coordinate, offset=total(coordinate.offset, negated(low)))
        for coordinate, low in zip(tile.coordinates, part.lower, strict=True)
    ]
    dims = [
        _Dimension(coordinate, bound, stride, legal)
        for coordinate, bound, stride, legal in zip(
            local, part.bounds, part.strides, _legal(part), strict=True
        )
    ]
    found = []
    for key, value, coordinates in _remainders(selection, tile, part):
        masks = [_masked(selection, tile, coordinates, mask) for mask in part.masks]
        found.append(Case(key, value, _access(selection, tile, part, [*dims, *masks])))
    return found


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
    """The legal coordinates of all dimensions; nothing where it is known that no other occurs."""
    if all(_is_legal(selection, dim, shape) for dim in dims):
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
    if isinstance(part.base, Slot):
        base: Index | Slot = part.base
        starts: tuple[Index, ...] = tuple(dim.coordinate.offset for dim in dims)
        if any(start != 0 for start in starts):
            raise selection.refusal(tile.op, "it leaves out elements of a constant; use a load")
    else:
        shifts = [
            selection.plain(times(dim.coordinate.offset, dim.stride), tile.op) for dim in dims
        ]
        base = total(part.base, *shifts)
    steps = [(_walk(dim.coordinate) or (None, 1))[1] for dim in dims]
    return Access(
        base=base,
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


def _remainders(
    selection: Selection, tile: Tile, part: Part
) -> list[tuple[Index, int, list[Coordinate]]]:
    """The coordinates of a tile with what is known of their offsets in each case.

    A case is told by one number, made of the remainders of those offsets that are values and occur
    in constraints that divide.
    """
    divisor = math.lcm(*(d for mask in part.masks for d in divisors_of(mask.constraint.expr)))
    dividing = {
        dim
        for mask in part.masks
        if list(divisors_of(mask.constraint.expr))
        for dim in dims_of(mask.constraint.expr)
        if not isinstance(tile.coordinates[dim].offset, int)
    }
    if not dividing:
        return [(0, 0, list(tile.coordinates))]
    order = sorted(dividing)
    divided = [_Divided.of(selection, tile, dim, divisor) for dim in order]
    if math.prod(len(entry.remainders) for entry in divided) > _MOST_CASES:
        raise selection.refusal(
            tile.op,
            f"its view's set divides by {divisor} where the tile starts at values; "
            f"at most {_MOST_CASES} cases are told apart",
        )
    key: Index = 0
    for entry in divided:
        key = total(times(key, divisor), entry.remainder)
    key = selection.plain(key, tile.op)
    found = []
    for remainders in itertools.product(*(entry.remainders for entry in divided)):
        coordinates = list(tile.coordinates)
        number = 0
        for dim, entry, remainder in zip(order, divided, remainders, strict=True):
            offset = total(times(entry.quotient, divisor), remainder)
            coordinates[dim] = dataclasses.replace(coordinates[dim], offset=offset)
            number = number * divisor + remainder
        found.append((key, number, coordinates))
    return found


@dataclasses.dataclass(frozen=True)
class _Divided:
    """The offset of a coordinate divided by a number, and the remainders that occur."""

    quotient: Index
    remainder: Index
    remainders: Sequence[int]

    @staticmethod
    def of(selection: Selection, tile: Tile, dim: int, divisor: int) -> _Divided:
        values: list[Key] = []
        offset = as_expression(tile.coordinates[dim].offset, values)
        by = constant(divisor)
        quotient = fold(ir.AffineExpr.get_floor_div(offset, by).maybe_downcast(), values)
        remainder = fold(ir.AffineExpr.get_mod(offset, by).maybe_downcast(), values)
        exact = selection.ranges.exact(remainder)
        return _Divided(
            selection.made(quotient, "a quotient", tile.op.location),
            remainder,
            range(divisor) if exact is None else sorted(set(exact)),
        )


def _masked(
    selection: Selection, tile: Tile, coordinates: Sequence[Coordinate], mask: Mask
) -> _Dimension:
    """A constraint as a dimension of stride 0: its value at every element, and which are valid."""
    bound = 1 if mask.constraint.equal else _NO_BOUND
    expr = mask.constraint.expr
    used = [coordinates[dim] for dim in dims_of(expr)]
    if any(isinstance(coordinate.inner, ByIndex) for coordinate in used):
        raise selection.refusal(
            tile.op,
            f"its view's set says {mask.constraint} of a coordinate that is read from memory; "
            "only bounds of single dimensions can be checked there",
        )
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
    pair = split(substitute(expr, dims, symbols), count)
    if pair is None:
        raise selection.refusal(
            tile.op, f"its view's set says {mask.constraint}, which mixes values and places"
        )
    offset = fold(pair[0], [*values, *([0] * (rank + len(tables)))])
    own = _without_values(pair[1], count, tile.shape, tables)
    return _Dimension(dataclasses.replace(own, offset=total(offset, own.offset)), bound, 0)


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
