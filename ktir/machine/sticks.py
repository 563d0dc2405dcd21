"""How many sticks a transfer touches: whole sticks of every run of a row, as hardware moves them.

Owns the counts for tiles and for single elements. They depend on few things that repeat, so they
are remembered.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ktir.layout import STICK_BYTES
from ktir.machine.patterns import Offsets, Pattern, span

_Ints = npt.NDArray[np.int64]


def tile_sticks(
    offsets: Offsets, sizes: tuple[int, ...], strides: tuple[int, ...], item: int
) -> tuple[int, int]:
    """Sticks that tiles at `offsets` touch, of elements of `item` bytes: of all of them, and of the
    distinct ones.

    Dimensions that continue each other are one run; places that a stride of 0 repeats count once.
    """
    return _pattern_sticks(offsets.pattern, offsets[0] * item % STICK_BYTES, sizes, strides, item)


@functools.lru_cache(maxsize=65536)
def _pattern_sticks(
    pattern: Pattern, residue: int, sizes: tuple[int, ...], strides: tuple[int, ...], item: int
) -> tuple[int, int]:
    def total(differences: tuple[int, ...]) -> int:
        places = ((residue + difference * item) % STICK_BYTES for difference in differences)
        return sum(_sticks(place, sizes, strides, item) for place in places)

    return total(pattern.differences), total(pattern.distinct)


@functools.lru_cache(maxsize=65536)
def _sticks(residue: int, sizes: tuple[int, ...], strides: tuple[int, ...], item: int) -> int:
    """Sticks of one tile whose element 0 is `residue` bytes into a stick."""
    if 0 in sizes:
        return 0
    pairs = zip(strides, sizes, strict=True)
    dims = sorted((abs(stride), size) for stride, size in pairs if stride and size > 1)
    step, count = dims[0] if dims else (1, 1)
    rest = dims[1:]
    while rest and rest[0][0] == step * count:
        count *= rest[0][1]
        rest = rest[1:]
    starts = np.full(1, residue + span(sizes, strides)[0] * item, dtype=np.int64)
    for stride, size in rest:
        # Rows at equal places of their sticks touch equally many.
        if stride * item % STICK_BYTES:
            starts = (starts[:, None] + np.arange(size) * (stride * item)).reshape(-1)
    repeats = math.prod(size for stride, size in rest if stride * item % STICK_BYTES == 0)
    return int(_runs(starts, step * item, count, item).sum()) * repeats


def _runs(starts: _Ints, step: int, count: int, item: int) -> _Ints:
    """Sticks of runs of `count` elements of `item` bytes, `step` bytes apart, from bytes `starts`
    on.
    """
    if step > STICK_BYTES:
        starts = (starts[:, None] + np.arange(count) * step).reshape(-1)
        count = 1
    last = starts + (count - 1) * step + item - 1
    touched: _Ints = last // STICK_BYTES - starts // STICK_BYTES + 1
    return touched


def element_sticks(index: Tensor, inside: Tensor | None, item: int, run: int = 1) -> int:
    """Sticks that runs of `run` elements at `index` [K, N] touch, `item` bytes each.

    A run counts each of its sticks, but for the first one if the core's run before it ended there.
    """
    if inside is None:
        return _element_runs(index, item, run)
    total = 0
    for core in range(max(index.shape[0], inside.shape[0])):
        places, kept = (rows[core if rows.shape[0] > 1 else 0] for rows in (index, inside))
        total += _element_runs(places[kept][None], item, run)
    return total


def _element_runs(index: Tensor, item: int, run: int) -> int:
    if not index.shape[1] or not run:
        return 0
    first = torch.div(index * item, STICK_BYTES, rounding_mode="floor")
    last = first
    if run > 1:
        last = torch.div((index + run) * item - 1, STICK_BYTES, rounding_mode="floor")
    again = int((first[:, 1:] == last[:, :-1]).sum())
    return int((last - first).sum()) + first.numel() - again
