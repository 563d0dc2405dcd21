"""Which bytes of a memory the rows of a transfer touch, as runs of neighbours: to compare transfers.

Owns `Extent` and the question whether different rows of two extents meet. It may say yes where rows
only come close (clipped tiles are taken as one run from their least to their greatest byte), never
no where they meet.
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
    """Runs of `length` bytes at `starts` [rows, runs] of one memory. `memory` tells memories apart;
    `low`, `high`: all bytes lie in [low, high). A single row stands for all."""

    memory: bool
    low: int
    high: int
    starts: _Ints
    length: _Ints
    """Bytes of the runs, [rows, 1] or [1, 1]."""

    def near(self, other: Extent) -> bool:
        """Whether the two can have a byte in common."""
        return self.memory == other.memory and self.low < other.high and other.low < self.high

    def same(self, other: Extent) -> bool:
        """Whether the two are equal row by row."""
        return self.starts.shape == other.starts.shape and bool(
            (self.starts == other.starts).all() and (self.length == other.length).all()
        )


def tile_extent(
    memory: bool,
    offsets: Offsets,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    item: int,
    clips: Sequence[Clip] | None,
) -> Extent:
    """The extent of tiles at offsets, in elements of `item` bytes."""
    if clips is not None or min(strides, default=0) < 0 or 0 in sizes:
        ends = TileBytes.of(offsets, sizes, strides, item, clips).ends()
        return _of_ends(memory, np.array(ends, dtype=np.int64).reshape(-1, 2))
    low, high = span(sizes, strides)
    inner, length = _runs(sizes, strides)
    first = np.array(offsets, dtype=np.int64)
    if len(first) * len(inner) > _MOST_RUNS:
        ends = np.stack([(first + low) * item, (first + high + 1) * item], 1)
        return _of_ends(memory, ends)
    starts = (first[:, None] + inner) * item
    pattern = offsets.pattern
    least, most = offsets[0] + pattern.low + low, offsets[0] + pattern.high + high + 1
    return Extent(memory, least * item, most * item, starts, np.array([[length * item]]))


def _of_ends(memory: bool, ends: _Ints) -> Extent:
    held = ends[ends[:, 0] < ends[:, 1]]
    low, high = (int(held[:, 0].min()), int(held[:, 1].max())) if len(held) else (0, 0)
    return Extent(memory, low, high, ends[:, :1], ends[:, 1:] - ends[:, :1])


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
    memory: bool, index: Tensor, inside: Tensor | None, run: int, item: int
) -> Extent:
    """The extent of runs of `run` elements from `index` [rows, N] on, where `inside`."""
    starts = index.numpy() * item
    if inside is not None:
        # What is not moved lies nowhere: before all memory.
        starts = np.where(inside.numpy(), starts, -run * item)
    held = starts[starts >= 0]
    low, high = (int(held.min()), int(held.max()) + run * item) if held.size else (0, 0)
    return Extent(memory, low, high, starts, np.array([[run * item]]))


def rows_meet(first: Extent, second: Extent, rows: int) -> bool:
    """Whether a row of one extent and another row of the other have a byte in common.

    `rows`: of the group; a single row of an extent stands for all of them.
    """
    if rows > 1 and 1 in (len(first.starts), len(second.starts)):
        return bool(_overlap(*_sorted([first, second]), by_row=False))
    return _overlap(*_sorted([first, second]), by_row=True)


def _sorted(extents: Sequence[Extent]) -> tuple[_Ints, _Ints, _Ints]:
    """Starts, ends and rows of all runs, by start."""
    starts, ends, owners = [], [], []
    for extent in extents:
        own = extent.starts
        starts.append(own.reshape(-1))
        ends.append((own + extent.length).reshape(-1))
        owners.append(np.repeat(np.arange(own.shape[0]), own.shape[1]))
    start, end = np.concatenate(starts), np.concatenate(ends)
    keep = (end > start) & (start >= 0)
    start, end, owner = start[keep], end[keep], np.concatenate(owners)[keep]
    order = np.argsort(start, kind="stable")
    return start[order], end[order], owner[order]


def _overlap(start: _Ints, end: _Ints, owner: _Ints, by_row: bool) -> bool:
    """Whether runs, by start, have bytes in common; with `by_row`, runs of different rows."""
    if len(start) < 2:
        return False
    if not by_row:
        return bool((start[1:] < np.maximum.accumulate(end)[:-1]).any())
    # Runs in bytes of one row may follow each other; the furthest end so far and its row decide.
    reach = np.maximum.accumulate(end)
    touching = start[1:] < reach[:-1]
    if not touching.any():
        return False
    furthest = np.maximum.accumulate(np.where(end == reach, np.arange(len(end)), 0))
    foreign = owner[1:] != owner[furthest[:-1]]
    near = owner[1:] != owner[:-1]
    return bool((touching & (foreign | near)).any())
