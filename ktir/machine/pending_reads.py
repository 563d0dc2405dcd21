"""Reads of a memory that no write of another core has met yet: for `shadow`, which tells whether
one that does is in order.

Owns the spans of accesses (`Touch`) and the reads that wait (`Reads`), so that a write looks at few
of them.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Hashable, Iterator

import torch
from torch import Tensor

from ktir.machine.footprint import Footprint


@dataclasses.dataclass(frozen=True, eq=False)
class Touch:
    """The span of bytes of each row of an access, [low, high), and the core that it is for; -1
    where one row is for several."""

    low: Tensor
    high: Tensor
    core: Tensor

    @classmethod
    def of(cls, footprint: Footprint, numbers: Tensor) -> Touch | None:
        """The spans of an access by cores; None if it touches nothing."""
        spans = torch.tensor(footprint.ends())
        core = numbers
        if footprint.rows == 1 and len(numbers) > 1:
            core = torch.tensor([-1])
        some = spans[:, 0] < spans[:, 1]
        if not bool(some.any()):
            return None
        return cls(spans[some, 0], spans[some, 1], core[some])

    @functools.cached_property
    def ends(self) -> tuple[int, int]:
        """The span of all rows."""
        return int(self.low.min()), int(self.high.max())

    def meets(self, other: Touch) -> bool:
        """Whether rows of different cores may share a byte."""
        (low, high), (first, end) = self.ends, other.ends
        if low >= end or first >= high:
            return False
        shared = (self.low[:, None] < other.high) & (other.low < self.high[:, None])
        apart = (self.core[:, None] != other.core) | (self.core[:, None] < 0)
        return bool((shared & apart).any())


@dataclasses.dataclass(frozen=True, eq=False)
class Read:
    """A read that no write of another core has met yet."""

    footprint: Footprint
    numbers: Tensor
    phase: int
    touch: Touch


class Reads:
    """Reads, each once: loops read the same bytes again and again.

    Those that follow each other often lie near each other, so they are looked through pile by pile.
    """

    PILE = 64

    def __init__(self) -> None:
        self._known: set[Hashable] = set()
        self._piles: list[_Pile] = []

    def __contains__(self, key: Hashable) -> bool:
        return key in self._known

    def add(self, key: Hashable, read: Read) -> None:
        """One more."""
        if not self._piles or len(self._piles[-1].reads) >= self.PILE:
            self._piles.append(_Pile({}, *read.touch.ends))
        self._known.add(key)
        pile, (low, high) = self._piles[-1], read.touch.ends
        pile.reads[key] = read
        pile.low, pile.high = min(pile.low, low), max(pile.high, high)

    def pop(self, touch: Touch) -> Iterator[Read]:
        """Takes away those that an access of other cores may meet."""
        low, high = touch.ends
        for pile in self._piles:
            if pile.low < high and low < pile.high:
                for key in [key for key, read in pile.reads.items() if read.touch.meets(touch)]:
                    self._known.remove(key)
                    yield pile.reads.pop(key)


@dataclasses.dataclass(eq=False)
class _Pile:
    """Reads by what tells them apart, and a span of bytes that holds all of theirs."""

    reads: dict[Hashable, Read]
    low: int
    high: int
