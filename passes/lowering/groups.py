"""Who sends to whom: the groups of the inter-tile ops, core by core.

Owns the listing of their sets over the cores of a grid, numbered with dimension 0 fastest, and the
tables that a program looks up by its own number.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.lowering.index import ByCore, Index
from ktir.passes.lowering.sets import IntegerSet, contains, points_of, read_set


@dataclasses.dataclass(frozen=True)
class Members:
    """The cores of each group, ascending."""

    cores: int
    groups: dict[int, tuple[int, ...]]

    @staticmethod
    def of(groups: ir.Attribute, tiles: ir.Attribute, cores: int) -> Members:
        """Those in the set `tiles`, `(i)[g]`, for each number in the set `groups`.

        Raises SetError for groups without an end.
        """
        numbers = [int(row[0]) for row in points_of(read_set(groups))]
        set_ = read_set(tiles)
        found = {g: tuple(i for i in range(cores) if _holds(set_, i, [g])) for g in numbers}
        return Members(cores, found)

    @property
    def group_of(self) -> dict[int, int]:
        """The group of each core that is in one."""
        return {core: group for group, members in self.groups.items() for core in members}

    def where(self) -> list[bool]:
        """Which cores are in a group."""
        return [core in self.group_of for core in range(self.cores)]


def _holds(set_: IntegerSet, point: int, symbols: Sequence[int]) -> bool:
    return bool(contains(set_.constraints, [point], [*symbols[: set_.symbols]]))


@dataclasses.dataclass(frozen=True)
class Routes:
    """The sources of every consumer, ascending, and its position among the consumers of its group;
    nothing for other cores."""

    consumers: Members
    sources: tuple[tuple[int, ...], ...]
    positions: tuple[int, ...]

    @staticmethod
    def of(producers: Members, consumers: Members, dependency: ir.Attribute | None) -> Routes:
        """The routes from the producers of a group to its consumers; `dependency`, a set `(p)[c]`
        or `(p)[c, g]`, narrows them."""
        narrowed = None if dependency is None else read_set(dependency)
        sources: list[tuple[int, ...]] = [()] * consumers.cores
        positions = [0] * consumers.cores
        for group, members in consumers.groups.items():
            offered = producers.groups.get(group, ())
            for position, core in enumerate(members):
                positions[core] = position
                sources[core] = tuple(
                    p for p in offered if narrowed is None or _holds(narrowed, p, [core, group])
                )
        return Routes(consumers, tuple(sources), tuple(positions))

    @property
    def most_sources(self) -> int:
        """How many sources the consumer with the most of them has."""
        return max(map(len, self.sources))

    @property
    def consumer_count(self) -> int:
        """How many consumers the largest group has; all have as many where a tile is cut."""
        return max(map(len, self.consumers.groups.values()), default=1)

    def source(self, number: int) -> Index:
        """The running core's source at a position in its list."""
        return by_core([of[number] if number < len(of) else 0 for of in self.sources])

    def source_at(self, number: Index) -> Index:
        """The same for a position that is computed."""
        if all(of == tuple(range(len(of))) for of in self.sources):
            return number
        most = max(self.most_sources, 1)
        rows = [(*of, *([0] * (most - len(of)))) for of in self.sources]
        table = tuple(entry for row in rows for entry in row)
        return ByCore(table, (len(rows), most), (number,))

    def count(self) -> Index:
        """How many sources the running core has."""
        return by_core([len(of) for of in self.sources])

    def position(self) -> Index:
        """The running core's position among the consumers of its group."""
        return by_core(self.positions)


def by_core(table: Sequence[int]) -> Index:
    """The entry of the running core; a constant if all are equal."""
    return table[0] if len(set(table)) == 1 else ByCore(tuple(table), (len(table),))
