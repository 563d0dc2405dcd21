"""How the tiles of several cores lie to each other, worked out once for every list of differences.

Owns `Offsets`, the places of tiles of all cores in one memory, and their `Pattern`: nested
arithmetic progressions, the span, and what of it is distinct. A division of a tensor over a grid
gives few patterns, which all iterations of a loop share.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Sequence

from ktir.machine.percore import PerCore, apply

Level = tuple[int, int]
"""Count and step of one arithmetic progression."""


class Pattern:
    """Differences of offsets to the first of them.

    `levels` are nested progressions, outermost first, or None if there are none without a negative
    step; `low` and `high` the least and greatest difference; `distinct` those that differ.
    """

    __slots__ = ("differences", "distinct", "high", "levels", "low")

    def __init__(self, differences: tuple[int, ...]) -> None:
        self.differences = differences
        self.distinct = tuple(sorted(set(differences)))
        self.low, self.high = self.distinct[0], self.distinct[-1]
        self.levels = progressions(differences)


class Offsets(list[int]):
    """Places of tiles, in elements: one for all cores, or one a core. Not changed once made."""

    __slots__ = ("_pattern",)

    def __init__(self, values: Iterable[int]) -> None:
        super().__init__(values)
        self._pattern: Pattern | None = None

    @property
    def pattern(self) -> Pattern:
        """How they lie to each other."""
        found = self._pattern
        if found is None:
            first = self[0]
            found = self._pattern = _pattern(tuple([offset - first for offset in self]))
        return found

    @property
    def first(self) -> Offsets:
        """The first of them, for all cores."""
        return Offsets((self[0],))

    def since(self, start: int) -> Offsets:
        """The same places, counted from place `start` on."""
        if not start:
            return self
        moved = Offsets([offset - start for offset in self])
        moved._pattern = self._pattern
        return moved

    @property
    def is_uniform(self) -> bool:
        """Whether they are all equal."""
        return len(self) == 1 or len(self.pattern.distinct) == 1


@functools.lru_cache(maxsize=4096)
def _pattern(differences: tuple[int, ...]) -> Pattern:
    return Pattern(differences)


def progressions(offsets: Sequence[int]) -> list[Level] | None:
    """`offsets` as nested arithmetic progressions, outermost first; None if they are not, or
    descend.

    One offset has no level, equal ones have `(len, 0)`. For a tensor cut along two dimensions there
    are two levels.
    """
    count = len(offsets)
    if count == 1:
        return []
    step = offsets[1] - offsets[0]
    if step < 0:
        return None
    run = next((i for i in range(2, count) if offsets[i] - offsets[i - 1] != step), count)
    if run == count:
        return [(count, step)]
    if count % run:
        return None
    starts = range(0, count, run)
    if any(offsets[i + j] != offsets[i] + j * step for i in starts for j in range(run)):
        return None
    outer = progressions(offsets[::run])
    return None if outer is None else [*outer, (run, step)]


def combine(
    address: PerCore, coordinates: Sequence[PerCore], strides: Sequence[PerCore]
) -> Offsets:
    """address + sum(coordinates[d] * strides[d]) a core."""
    constant = 0
    moving: list[tuple[PerCore, int]] = []
    for values, stride in zip((address, *coordinates), ((1,), *strides), strict=True):
        if len(stride) > 1:
            moving.append((apply(operator.mul, values, stride), 1))
        elif len(values) == 1:
            constant += values[0] * stride[0]
        else:
            moving.append((values, stride[0]))
    if not moving:
        return Offsets((constant,))
    first, step = moving[0]
    total = [value * step + constant for value in first]
    for more, step in moving[1:]:
        total = [sum_ + value * step for sum_, value in zip(total, more, strict=True)]
    return Offsets(total)


@functools.lru_cache(maxsize=4096)
def span(sizes: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int]:
    """The least and the greatest offset inside a tile, relative to its element 0."""
    ends = [(size - 1) * stride for size, stride in zip(sizes, strides, strict=True)]
    return sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)


@functools.lru_cache(maxsize=4096)
def disjoint(sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """True if no two elements of such a tile can share a place; may miss it for interleaved
    dimensions.
    """
    reach = 0
    for stride, size in sorted((abs(s), n) for s, n in zip(strides, sizes, strict=True) if n > 1):
        if stride <= reach:
            return False
        reach += stride * (size - 1)
    return True
