"""Integer sets whose symbols may differ by core.

Owns `CoreSet`: the coordinates that are valid on each core, as a box where they are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.machine.access import IntegerSet
from ktir.machine.percore import PerCore, apply, column, narrow_ints, rows

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
