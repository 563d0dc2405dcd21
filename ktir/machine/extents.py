"""Which bytes of a memory the rows of a transfer touch, as runs: to compare transfers.

Owns `Extent` and the question whether those who touch two extents meet. The answer may be yes where
they only come close (clipped tiles are taken as one run from their least to their greatest byte),
never no where they meet.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from torch import Tensor

from ktir.machine.footprint import TileBytes
from ktir.machine.patterns import Offsets, span
from ktir.machine.transfer import Clip

_Ints = npt.NDArray[np.int64]

_MOST_RUNS = 1 << 18
"""Runs above which rows are taken as one run each."""


@dataclasses.dataclass(frozen=True)
class Extent:
    """Runs of `length` [rows or 1, 1] bytes at `starts` [rows, runs] of one memory.

    `memory` tells memories apart; all bytes lie in [low, high). `owners` [rows]: who touches each
    row; empty if a single row is touched by several.
    """

    memory: bool
    low: int
    high: int
    starts: _Ints
    length: _Ints
    owners: _Ints

    @property
    def is_shared(self) -> bool:
        """Whether several touch the same bytes."""
        return len(self.owners) == 0

    def near(self, other: Extent) -> bool:
        """Whether the two can have a byte in common."""
        return self.memory == other.memory and self.low < other.high and other.low < self.high


def tile_extent(
    memory: bool,
    offsets: Offsets,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    item: int,
    clips: Sequence[Clip] | None,
    owners: _Ints,
) -> Extent:
    """The extent of tiles at offsets, in elements of `item` bytes, of all `owners`."""
    if clips is not None or min(strides, default=0) < 0 or 0 in sizes:
        pairs = TileBytes.of(offsets, sizes, strides, item, clips).ends()
        return _of_ends(memory, np.array(pairs, dtype=np.int64).reshape(-1, 2), owners)
    low, high = span(sizes, strides)
    inner, length = _runs(sizes, strides)
    first = np.array(offsets, dtype=np.int64)
    if len(first) * len(inner) > _MOST_RUNS:
        ends = np.stack([(first + low) * item, (first + high + 1) * item], 1)
        return _of_ends(memory, ends, owners)
    starts = (first[:, None] + inner) * item
    pattern = offsets.pattern
    least, most = offsets[0] + pattern.low + low, offsets[0] + pattern.high + high + 1
    return _extent(memory, least * item, most * item, starts, np.array([[length * item]]), owners)


def _extent(
    memory: bool, low: int, high: int, starts: _Ints, length: _Ints, owners: _Ints
) -> Extent:
    own = owners if len(starts) == len(owners) else owners[:0]
    return Extent(memory, low, high, starts, length, own)


def _of_ends(memory: bool, ends: _Ints, owners: _Ints) -> Extent:
    held = ends[ends[:, 0] < ends[:, 1]]
    low, high = (int(held[:, 0].min()), int(held[:, 1].max())) if len(held) else (0, 0)
    return _extent(memory, low, high, ends[:, :1], ends[:, 1:] - ends[:, :1], owners)


def _runs(sizes: tuple[int, ...], strides: tuple[int, ...]) -> tuple[_Ints, int]:
    """Starts of the runs of neighbouring elements of a tile, and how many elements each has."""
    dims = sorted((s, n) for s, n in zip(strides, sizes, strict=True) if n > 1 and s)
    length = 1
    while dims and dims[0][0] <= length:
        stride, size = dims.pop(0)
        length = max(length, stride * (size - 1) + length)
    starts = np.zeros(1, dtype=np.int64)
    for stride, size in dims:
        starts = (starts[:, None] + np.arange(size) * stride).reshape(-1)
    return starts, length


def element_extent(
    memory: bool, index: Tensor, inside: Tensor | None, run: int, item: int, owners: _Ints
) -> Extent:
    """The extent of runs of `run` elements from `index` [rows, N] on, where `inside`."""
    starts = index.numpy() * item
    if inside is not None:
        # What is not moved lies nowhere: before all memory.
        starts = np.where(inside.numpy(), starts, -run * item)
    held = starts[starts >= 0]
    low, high = (int(held.min()), int(held.max()) + run * item) if held.size else (0, 0)
    return _extent(memory, low, high, starts, np.array([[run * item]]), owners)


def owners_meet(extent: Extent) -> bool:
    """Whether two owners touch a byte."""
    return extent.is_shared or _foreign(_runs_of(extent, extent.owners))


def others_meet(first: Extent, second: Extent) -> bool:
    """Whether an owner touches in one extent what another one touches in the other, given that no
    two owners meet in the first; true also where two meet in the second."""
    if first.is_shared or second.is_shared:
        return any_meet(first, second)
    return _foreign(_runs_of(first, first.owners), _runs_of(second, second.owners))


def any_meet(first: Extent, second: Extent) -> bool:
    """Whether the two have a byte in common."""
    zeros, ones = (np.full(len(e.starts), n) for n, e in enumerate((first, second)))
    return _foreign(_runs_of(first, zeros), _runs_of(second, ones))


_Runs = tuple[_Ints, _Ints, _Ints]
"""Starts, ends and owners."""


def _runs_of(extent: Extent, owners: _Ints) -> _Runs:
    """All runs that hold bytes, with an owner a row."""
    start = extent.starts.reshape(-1)
    end = (extent.starts + extent.length).reshape(-1)
    owner = np.repeat(owners, extent.starts.shape[1])
    keep = (end > start) & (start >= 0)
    return start[keep], end[keep], owner[keep]


def _foreign(*parts: _Runs) -> bool:
    """Whether runs of different owners have bytes in common.

    Runs are looked at by start. If one begins before others end, it meets the one that reaches
    furthest; if all of those were its own, they would have met any other before it.
    """
    start, end, owner = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    if len(start) < 2:
        return False
    order = np.argsort(start, kind="stable")
    start, end, owner = start[order], end[order], owner[order]
    reach = np.maximum.accumulate(end)
    touching = start[1:] < reach[:-1]
    if not touching.any():
        return False
    furthest = np.maximum.accumulate(np.where(end == reach, np.arange(len(end)), 0))
    return bool((touching & (owner[1:] != owner[furthest[:-1]])).any())
