"""Affine sets and orders as text, with the points that they hold.

A tile of n points may be typed in any shape of the right rank if its set is no box; a box must be
typed with its extents, in any order.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from .kernel import Builder


def names(rank: int) -> str:
    """`d0, d1`."""
    return ", ".join(f"d{i}" for i in range(rank))


def affine_set(rank: int, constraints: Sequence[str], symbols: int = 0) -> str:
    """The text of a set."""
    bound = f"[{', '.join(f's{i}' for i in range(symbols))}]" if symbols else ""
    return f"affine_set<({names(rank)}){bound} : ({', '.join(constraints) or '0 == 0'})>"


def interval(dim: int, low: int, high: int) -> list[str]:
    """low <= d <= high, as constraints."""
    first = f"d{dim} - {low} >= 0" if low else f"d{dim} >= 0"
    last = f"-d{dim} + {high} >= 0" if high >= 0 else f"-d{dim} - {-high} >= 0"
    return [first, last]


def box(extents: Sequence[int]) -> str:
    """All points from 0 on."""
    constraints = [c for i, n in enumerate(extents) for c in interval(i, 0, n - 1)]
    return affine_set(len(extents), constraints)


def order_map(order: Sequence[int]) -> str:
    """The map whose results are these dimensions."""
    return f"affine_map<({names(len(order))}) -> ({', '.join(f'd{i}' for i in order)})>"


def identity(rank: int) -> str:
    """The map to all dimensions in order."""
    return order_map(range(rank))


@dataclasses.dataclass(frozen=True)
class PointSet:
    """A set for tiles of a shape: its text, the range of each dimension, its symbols.

    `is_odd`: it is no box.
    """

    text: str
    ranges: tuple[tuple[int, int], ...]
    symbols: tuple[str, ...] = ()
    is_odd: bool = False

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.ranges)


def point_set(builder: Builder, shape: Sequence[int]) -> PointSet:
    """A set with as many points as the shape, which may be typed so."""
    extents = builder.shuffled(shape)
    if 0 not in shape and builder.form("set that is no box", 3):
        return dataclasses.replace(_odd(builder, shape, extents), is_odd=True)
    kind = builder.pick(["box", "box", "box", "symbols", "shifted"])
    if kind == "symbols" and builder.form("set with symbols"):
        return _symbolic(builder, extents)
    low = [builder.number(0, 2) if kind == "shifted" else 0 for _ in extents]
    constraints = []
    for dim, (first, count) in enumerate(zip(low, extents, strict=True)):
        if count == 1 and builder.chance(2):
            constraints.append(f"d{dim} - {first} == 0" if first else f"d{dim} == 0")
        else:
            constraints += interval(dim, first, first + count - 1)
    ranges = tuple((first, first + n - 1) for first, n in zip(low, extents, strict=True))
    return PointSet(affine_set(len(extents), builder.shuffled(constraints)), ranges)


def _odd(builder: Builder, shape: Sequence[int], extents: Sequence[int]) -> PointSet:
    """A set that is no box."""
    if len(shape) == 2 and (side := _triangle_side(math.prod(shape))) and builder.chance(2):
        return _triangle(builder, side)
    kind = builder.pick(["strided", "skewed", "holes"])
    if kind == "skewed" and len(extents) >= 2:
        return _skewed(builder, extents)
    return _holes(builder, extents) if kind == "holes" else _strided(builder, extents)


def _strided(builder: Builder, extents: Sequence[int]) -> PointSet:
    """Every second or third coordinate of some dimensions."""
    constraints, ranges = [], []
    symbols: tuple[str, ...] = ()
    for dim, count in enumerate(extents):
        step = builder.number(1, 3)
        rest = builder.number(0, step - 1)
        high = rest + (count - 1) * step
        constraints += interval(dim, 0, high + builder.number(0, step - 1))
        if step > 1:
            term = f"d{dim} - {rest}" if rest else f"d{dim}"
            constraints.append(f"({term}) mod {step} == 0")
        ranges.append((rest, high))
        if step > 1 and not symbols and builder.form("set with symbols that is no box", 4):
            constraints[-1] = f"(d{dim} - s0) mod {step} == 0"
            symbols = (builder.scalar(rest),)
    return PointSet(affine_set(len(extents), constraints, len(symbols)), tuple(ranges), symbols)


def _skewed(builder: Builder, extents: Sequence[int]) -> PointSet:
    """The last dimension starts later the further on the first is."""
    slope = builder.pick([1, 2, -1])
    last = len(extents) - 1
    constraints = [c for d, n in enumerate(extents[:-1]) for c in interval(d, 0, n - 1)]
    shift = max(0, -slope * (extents[0] - 1))
    symbols: tuple[str, ...] = ()
    start = f"{shift}"
    if builder.form("set with symbols that is no box", 3):
        start, symbols = "s0", (builder.scalar(shift),)
    constraints.append(f"d{last} + d0 * {-slope} - {start} >= 0")
    constraints.append(f"-d{last} + d0 * {slope} + {start} + {extents[-1] - 1} >= 0")
    reach = (min(0, slope * (extents[0] - 1)), max(0, slope * (extents[0] - 1)))
    ranges = [(0, n - 1) for n in extents[:-1]]
    ranges.append((shift + reach[0], shift + extents[-1] - 1 + reach[1]))
    return PointSet(affine_set(len(extents), constraints, len(symbols)), tuple(ranges), symbols)


def _holes(builder: Builder, extents: Sequence[int]) -> PointSet:
    """Two of three coordinates of the last dimension."""
    count = extents[-1]
    high = (count - 1) // 2 * 3 + (count - 1) % 2
    last = len(extents) - 1
    constraints = [c for d, n in enumerate(extents[:-1]) for c in interval(d, 0, n - 1)]
    ranges = (*((0, n - 1) for n in extents[:-1]), (0, high))
    constraints.append(f"-(d{last} mod 3) + 1 >= 0")
    if builder.form("set with symbols that is no box", 3):
        constraints += [f"d{last} >= 0", f"-d{last} + s0 >= 0"]
        symbol = builder.scalar(high)
        return PointSet(affine_set(len(extents), constraints, 1), ranges, (symbol,))
    constraints += interval(last, 0, high)
    return PointSet(affine_set(len(extents), constraints), ranges)


def _triangle_side(count: int) -> int:
    """n if count is n (n + 1) / 2 and n is not 1, else 0."""
    side = (math.isqrt(8 * count + 1) - 1) // 2
    return side if side > 1 and side * (side + 1) // 2 == count else 0


def _triangle(builder: Builder, side: int) -> PointSet:
    """The lower or the upper triangle."""
    term = builder.pick(["d0 - d1 >= 0", "d1 - d0 >= 0"])
    ranges = ((0, side - 1), (0, side - 1))
    if builder.form("set with symbols that is no box", 3):
        ends = [
            f"{sign}d{dim}{rest} >= 0"
            for dim in (0, 1)
            for sign, rest in (("", " - s0"), ("-", " + s1"))
        ]
        symbols = (builder.scalar(0), builder.scalar(side - 1))
        return PointSet(affine_set(2, [*ends, term], 2), ranges, symbols)
    constraints = [*interval(0, 0, side - 1), *interval(1, 0, side - 1), term]
    return PointSet(affine_set(2, constraints), ranges)


def _symbolic(builder: Builder, extents: Sequence[int]) -> PointSet:
    """One end is a symbol, bound to an argument."""
    dim = builder.number(0, len(extents) - 1)
    constraints = [c for d, n in enumerate(extents) if d != dim for c in interval(d, 0, n - 1)]
    constraints += [f"d{dim} >= 0", f"-d{dim} + s0 - 1 >= 0"]
    symbol = builder.scalar(extents[dim])
    ranges = tuple((0, n - 1) for n in extents)
    return PointSet(affine_set(len(extents), constraints, 1), ranges, (symbol,))
