"""Integer sets whose symbols may differ by core.

Owns `CoreSet`: the coordinates that are valid on each core, as a box where they are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.machine.percore import PerCore, apply, column, narrow_ints, rows
from ktir.machine.sets import IntegerSet

Limits = tuple[tuple[PerCore, PerCore], ...]
"""The legal coordinates [low, high), one pair a dimension."""


class CoreSet:
    """An integer set whose symbols have one value for all cores of the group, or one a core.

    `sets`: accordingly one bound set, or one a core.
    """

    def __init__(self, source: IntegerSet, symbols: Sequence[PerCore]) -> None:
        self._source, self._symbols = source, symbols
        self.sets = [source.bind(row) for row in rows(symbols)]

    def limits(self, sizes: Sequence[PerCore]) -> Limits | None:
        """The coordinates if they are a box, up to `sizes` where nothing bounds them; else None."""
        if not all(bound.is_box for bound in self.sets):
            return None
        numbers = range(len(self.sets))
        return tuple(
            (
                [0 if bound.empty else bound.low[dim] or 0 for bound in self.sets],
                apply(lambda number, size, d=dim: self._end(number, d, size), numbers, size),
            )
            for dim, size in enumerate(sizes)
        )

    def _end(self, number: int, dim: int, size: int) -> int:
        bound = self.sets[number]
        high = bound.high[dim]
        return 0 if bound.empty else size if high is None else high + 1

    def low(self, dim: int) -> PerCore:
        """The least coordinates along a dimension, 0 where nothing bounds it."""
        return [bound.least[dim] for bound in self.sets]

    def contains(self, coordinates: Sequence[Tensor], rank: int) -> Tensor:
        """Where points are in the set; coordinates are [1 or cores, .. of `rank` axes]."""
        symbols = [column(values, rank) for values in self._symbols]
        inside: Any = self._source.contains([*coordinates, *symbols])
        return torch.as_tensor(inside)

    def narrow(self, positions: Tensor) -> CoreSet:
        """The set of the cores at `positions` of the group."""
        if len(self.sets) == 1:
            return self
        return CoreSet(self._source, [narrow_ints(s, positions) for s in self._symbols])


class PartSet(CoreSet):
    """What a rectangular part of a view has of the view's set.

    Coordinate `c` of the part is `start + step * c` of the view, where `start` and `steps` have one
    entry a dimension of the view; the part has the dimensions `kept`, of these sizes.
    """

    def __init__(
        self,
        source: CoreSet,
        start: Sequence[PerCore],
        steps: Sequence[PerCore],
        sizes: Sequence[PerCore],
        kept: Sequence[int],
    ) -> None:
        self._whole = source
        self._start, self._steps, self._sizes, self._kept = start, steps, sizes, kept
        cores = max(len(entry) for entry in (*start, *steps, *sizes, source.sets))
        self.sets = source.sets if len(source.sets) == cores else source.sets * cores

    def limits(self, sizes: Sequence[PerCore]) -> Limits | None:
        """None: it is no box, or not known to be one."""
        return None

    def contains(self, coordinates: Sequence[Tensor], rank: int) -> Tensor:
        """Where points are in the set; coordinates are [1 or cores, .. of `rank` axes]."""
        whole = [column(start, rank) for start in self._start]
        inside = torch.ones((), dtype=torch.bool)
        for dim, coordinate in zip(self._kept, coordinates, strict=True):
            whole[dim] = whole[dim] + column(self._steps[dim], rank) * coordinate
            inside = inside & (coordinate >= 0) & (coordinate < column(self._sizes[dim], rank))
        return inside & self._whole.contains(whole, rank)

    def narrow(self, positions: Tensor) -> CoreSet:
        """The set of the cores at `positions` of the group."""
        if len(self.sets) == 1:
            return self
        start, steps, sizes = (
            [narrow_ints(entry, positions) for entry in entries]
            for entries in (self._start, self._steps, self._sizes)
        )
        return PartSet(self._whole.narrow(positions), start, steps, sizes, self._kept)
