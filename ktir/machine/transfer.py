"""Moving tiles between a flat memory and [core, ...] tensors, for all cores at once.

Owns the strategies: one strided view where the cores' offsets form nested arithmetic progressions
(which a division of a tensor over a grid gives), else one copy a core, else an index. All offsets
and strides are in elements of the flat tensor. Owns also the clipping of tiles at the edges of what
is valid. Whether an access is legal is decided by the callers; moves that are done again and again
at the same places are in `moves`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from ktir.machine.coresets import Limits
from ktir.machine.numerics import EIGHT_BITS
from ktir.machine.patterns import Level, Offsets, disjoint
from ktir.machine.percore import PerCore, rows

_SMALL = 1 << 14
"""Elements below which an index over all cores is cheaper than a copy a core."""


def read(
    flat: Tensor, offsets: Offsets, sizes: tuple[int, ...], strides: tuple[int, ...]
) -> Tensor:
    """Copies the tile at each offset: [len(offsets), *sizes], or [1, *sizes] if all are equal."""
    if offsets.is_uniform:
        offsets = offsets.first
    out = flat.new_empty((len(offsets), *sizes))
    read_into(out, flat, offsets, sizes, strides)
    return out


def read_into(
    out: Tensor, flat: Tensor, offsets: Offsets, sizes: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    """Copies the tile at each offset into `out` [cores, *sizes], which may be strided."""
    if 0 in sizes:
        return
    if min(strides, default=0) < 0:
        _read_indexed(out, flat, offsets, sizes, strides)
        return
    levels = offsets.pattern.levels
    if levels is not None:
        _folded(out, levels).copy_(_strided(flat, levels, offsets[0], sizes, strides))
    elif out.numel() <= _SMALL:
        _read_indexed(out, flat, offsets, sizes, strides)
    else:
        for core, offset in enumerate(offsets):
            out[core].copy_(flat.as_strided(sizes, strides, offset))


def write(
    flat: Tensor,
    offsets: Offsets,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    data: Tensor,
) -> None:
    """Copies `data` [1 or cores, *sizes] to the tile at each offset.

    Where cores write to one place, the last core's value stays; where a tile does, its last element
    in row-major order.
    """
    if 0 in sizes:
        return
    if min(strides, default=0) < 0 or not disjoint(sizes, strides):
        scatter(flat, _indices(offsets, sizes, strides), None, data.flatten(1))
        return
    if offsets.is_uniform:
        flat.as_strided(sizes, strides, offsets[0]).copy_(data[-1])
        return
    levels = offsets.pattern.levels
    if levels is not None and _disjoint_levels(levels, sizes, strides):
        target = _strided(flat, levels, offsets[0], sizes, strides)
        target.copy_(_folded(data, levels) if data.shape[0] > 1 else data)
        return
    for core, offset in enumerate(offsets):
        tile = flat.as_strided(sizes, strides, offset)
        tile.copy_(data[core if data.shape[0] > 1 else 0])


def _folded(tiles: Tensor, levels: Sequence[Level]) -> Tensor:
    """[cores, ...] with the core axis as one axis a level."""
    if len(levels) < 2:
        return tiles
    counts, steps = zip(*levels, strict=True)
    strides = [math.prod(counts[at + 1 :]) * tiles.stride(0) for at in range(len(steps))]
    return tiles.as_strided(
        (*counts, *tiles.shape[1:]), (*strides, *tiles.stride()[1:]), tiles.storage_offset()
    )


def _strided(
    flat: Tensor, levels: Sequence[Level], offset: int, sizes: Sequence[int], strides: Sequence[int]
) -> Tensor:
    counts, steps = zip(*levels, strict=True) if levels else ((1,), (0,))
    return flat.as_strided((*counts, *sizes), (*steps, *strides), offset)


def _disjoint_levels(
    levels: Sequence[Level], sizes: tuple[int, ...], strides: tuple[int, ...]
) -> bool:
    counts, steps = zip(*levels, strict=True)
    return disjoint((*counts, *sizes), (*steps, *strides))


def _indices(offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> Tensor:
    """The place of every element: int64 [len(offsets), prod(sizes)]."""
    index = torch.tensor(list(offsets), dtype=torch.int64)[:, None]
    for size, stride in zip(sizes, strides, strict=True):
        index = (
            index[:, :, None] + torch.arange(0, size * stride, stride)
            if stride
            else index[:, :, None].expand(-1, -1, size)
        ).flatten(1)
    return index


def _read_indexed(
    out: Tensor, flat: Tensor, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> None:
    index = _indices(offsets, sizes, strides)
    found = torch.take(_bits(flat), index).view(flat.dtype)
    out.copy_(found.view(len(offsets), *sizes))


def _bits(flat: Tensor) -> Tensor:
    """Elements as torch can pick and mask them, which it cannot with floats of 8 bits."""
    return flat.view(torch.uint8) if flat.dtype in EIGHT_BITS.values() else flat


def gather(flat: Tensor, index: Tensor, inside: Tensor | None, run: int = 1) -> Tensor:
    """`run` neighbours from each place `index` [K, N] on: [K, N, run].

    Zero where `inside` [1 or K, N] is false, whatever the index there.
    """
    if inside is not None:
        index = index.masked_fill(~inside, 0)
    dtype, flat = flat.dtype, _bits(flat)
    found = _windows(flat, run)[index] if run > 1 else torch.take(flat, index).unsqueeze(-1)
    if inside is not None:
        found.masked_fill_(~inside.unsqueeze(-1), 0)
    return found.view(dtype)


def _windows(flat: Tensor, run: int) -> Tensor:
    """All runs of `run` neighbours, one a place; they overlap."""
    return flat.as_strided((max(flat.shape[0] - run + 1, 0), run), (1, 1))


def scatter(flat: Tensor, index: Tensor, inside: Tensor | None, data: Tensor, run: int = 1) -> None:
    """Writes `data` [1 or K, N * run] to `run` neighbours from `index` [1 or K, N] on, where
    `inside`.

    Of equal places the value of the last core, and of its last element, stays.
    """
    cores = max(index.shape[0], data.shape[0], 1 if inside is None else inside.shape[0])
    number = index.shape[1]
    places = index.expand(cores, number).reshape(-1)
    values = data.view(data.shape[0], number, run).expand(cores, number, run).reshape(-1, run)
    if inside is not None:
        kept = inside.expand(cores, number).reshape(-1)
        places, values = places[kept], values[kept]
    # Of equal places only the last is written: torch leaves the order of duplicates open.
    ordered, rank = torch.sort(places, stable=True)
    if run > 1 and bool((ordered[1:] - ordered[:-1]).remainder(run).any()):
        places = (places[:, None] + torch.arange(run)).reshape(1, -1)
        scatter(flat, places, None, values.reshape(1, -1))
        return
    last = torch.ones_like(ordered, dtype=torch.bool)
    torch.ne(ordered[1:], ordered[:-1], out=last[:-1])
    _windows(flat, run)[ordered[last]] = values[rank[last]]


Clip = tuple[tuple[int, int], ...]
"""The part [begin, end) of a tile that is valid, one pair a dimension."""


def clip(
    coordinates: Sequence[PerCore],
    sizes: Sequence[int],
    limits: Limits,
    steps: Sequence[int] | None = None,
) -> list[Clip] | None:
    """What of each core's tile lies within `limits` [low, high) a dimension; None if all of every
    tile does.

    `coordinates` are those of element 0 of the tile, one list a dimension; the next elements are
    `steps` apart (1 if not given).
    """
    whole = True
    parts: list[list[tuple[int, int]]] = []
    for dim, (starts, size, (low, high)) in enumerate(zip(coordinates, sizes, limits, strict=True)):
        step = 1 if steps is None else steps[dim]
        if min(starts) >= max(low) and max(starts) + (size - 1) * step < min(high):
            parts.append([(0, size)])
            continue
        whole = False
        parts.append([_clip_one(a, size, step, b, c) for a, b, c in rows((starts, low, high))])
    if whole:
        return None
    cores = max(len(part) for part in parts)
    wide = [part * cores if len(part) == 1 else part for part in parts]
    return list(zip(*wide, strict=True))


def _clip_one(start: int, size: int, step: int, low: int, high: int) -> tuple[int, int]:
    begin = min(max(-((start - low) // step), 0), size)
    end = min(max(-((start - high) // step), 0), size)
    return begin, max(begin, end)


def clipped_runs(
    clips: Sequence[Clip], offsets: Offsets, strides: tuple[int, ...]
) -> Iterator[tuple[slice, Clip, Offsets]]:
    """Runs of neighbouring cores with equal clips that are not empty: cores, clip, offsets of the
    clipped tiles."""
    cores = max(len(clips), len(offsets))
    start = 0
    while start < cores:
        part = clips[start if len(clips) > 1 else 0]
        stop = cores if len(clips) == 1 else start + 1
        while stop < cores and clips[stop] == part:
            stop += 1
        if all(begin < end for begin, end in part):
            shift = sum(begin * stride for (begin, _), stride in zip(part, strides, strict=True))
            own = offsets if len(offsets) == 1 else offsets[start:stop]
            yield slice(start, stop), part, Offsets([offset + shift for offset in own])
        start = stop


def read_clipped(
    flat: Tensor,
    offsets: Offsets,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    clips: Sequence[Clip],
) -> Tensor:
    """As `read`, with zeros outside each core's clip: [cores, *sizes]."""
    out = flat.new_empty((max(len(clips), len(offsets)), *sizes))
    read_clipped_into(out, flat, offsets, strides, clips)
    return out


def read_clipped_into(
    out: Tensor,
    flat: Tensor,
    offsets: Offsets,
    strides: tuple[int, ...],
    clips: Sequence[Clip],
    zeros: bool = True,
) -> None:
    """As `read_into`, with zeros outside each core's clip, or with what is there."""
    if zeros:
        out.zero_()
    for run, part, own in clipped_runs(clips, offsets, strides):
        cores = slice(None) if len(clips) == len(offsets) == 1 else run
        target = out[(cores, *(slice(begin, end) for begin, end in part))]
        read_into(target, flat, own, tuple(target.shape[1:]), strides)


def write_clipped(
    flat: Tensor,
    offsets: Offsets,
    strides: tuple[int, ...],
    clips: Sequence[Clip],
    data: Tensor,
) -> None:
    """As `write`, leaving out what is outside each core's clip."""
    alike = data.shape[0] == 1 or len(clips) == len(offsets) == 1
    for run, part, own in clipped_runs(clips, offsets, strides):
        within = tuple(slice(begin, end) for begin, end in part)
        source = data[(slice(None) if alike else run, *within)]
        write(flat, own, tuple(source.shape[1:]), strides, source)
