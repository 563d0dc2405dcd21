"""Moves of tiles that are done again and again at the same places, with all that is the same worked
out once.

Owns the functions that do what those of `transfer` do, to a flat tensor and data of their own each
time: `reader` what `read` and `read_clipped`, `filler` what `read_into` and `read_clipped_into`,
`writer` what `write` and `write_clipped`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ktir.machine import transfer
from ktir.machine.patterns import Offsets, disjoint
from ktir.machine.transfer import Clip

Read = Callable[[Tensor], Tensor]
"""From a flat memory to tiles [1 or cores, *sizes]."""

Fill = Callable[[Tensor, Tensor], None]
"""From a flat memory, the second, into tiles [1 or cores, *sizes], the first."""

Write = Callable[[Tensor, Tensor], None]
"""Into a flat memory, the first, from tiles [1 or cores, *sizes], the second."""


class _Strided(NamedTuple):
    """Tiles that are one view of a memory: [cores, *sizes]."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    start: int

    def of(self, flat: Tensor) -> Tensor:
        """The view."""
        return flat.as_strided(self.shape, self.strides, self.start)


def _strided(offsets: Offsets, sizes: tuple[int, ...], strides: tuple[int, ...]) -> _Strided | None:
    """Tiles at one offset, or at offsets in one progression, as a view; None for others."""
    levels = offsets.pattern.levels
    if levels is None or len(levels) > 1 or 0 in sizes or min(strides, default=0) < 0:
        return None
    ((count, step),) = levels or [(1, 0)]
    return _Strided((count, *sizes), (step, *strides), offsets[0])


def reader(
    offsets: Offsets,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    clips: Sequence[Clip] | None,
) -> Read:
    """Copies the tile at each offset, with zeros outside each core's clip."""
    if clips is None:
        view = _strided(offsets.first if offsets.is_uniform else offsets, sizes, strides)
        if view is None:
            return lambda flat: transfer.read(flat, offsets, sizes, strides)
        return lambda flat: view.of(flat).clone(memory_format=torch.contiguous_format)
    shape = (max(len(clips), len(offsets)), *sizes)
    fill = filler(offsets, sizes, strides, clips)

    def read(flat: Tensor) -> Tensor:
        out = flat.new_empty(shape)
        fill(out, flat)
        return out

    return read


def filler(
    offsets: Offsets,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    clips: Sequence[Clip] | None,
    zeros: bool = True,
) -> Fill:
    """Copies the tile at each offset into memory of the caller, with `zeros` outside each core's
    clip, else with what is there."""
    if clips is None:
        view = _strided(offsets, sizes, strides)
        if view is None:
            return lambda out, flat: transfer.read_into(out, flat, offsets, sizes, strides)
        return lambda out, flat: _copy(out, view.of(flat))
    parts = _parts(offsets, strides, clips)
    if parts is None:
        return lambda out, flat: transfer.read_clipped_into(
            out, flat, offsets, strides, clips, zeros
        )

    def fill(out: Tensor, flat: Tensor) -> None:
        if zeros:
            out.zero_()
        for index, part in parts:
            out[index].copy_(part.of(flat))

    return fill


def _copy(target: Tensor, source: Tensor) -> None:
    target.copy_(source)


_Part = tuple[tuple[slice, ...], _Strided]
"""Where in the tiles of all cores a part lies, and where in memory."""


def _parts(offsets: Offsets, strides: tuple[int, ...], clips: Sequence[Clip]) -> list[_Part] | None:
    """What is moved of clipped tiles; None if that is not one view for each run of cores."""
    found: list[_Part] = []
    for run, clip, own in transfer.clipped_runs(clips, offsets, strides):
        cores = slice(None) if len(clips) == len(offsets) == 1 else run
        view = _strided(own, tuple(end - begin for begin, end in clip), strides)
        if view is None:
            return None
        found.append(((cores, *(slice(begin, end) for begin, end in clip)), view))
    return found


def writer(
    offsets: Offsets,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    clips: Sequence[Clip] | None,
) -> Write:
    """Copies tiles to each offset, leaving out what is outside each core's clip."""
    if clips is not None:
        return _clipped_writer(offsets, strides, clips)
    view = _written(offsets, sizes, strides)
    if view is None:
        return lambda flat, data: transfer.write(flat, offsets, sizes, strides, data)
    if len(offsets) == 1:
        return lambda flat, data: _copy(view.of(flat), data[-1:])
    return lambda flat, data: _copy(view.of(flat), data)


def _written(offsets: Offsets, sizes: tuple[int, ...], strides: tuple[int, ...]) -> _Strided | None:
    """Tiles as one view in which no two elements share a place."""
    view = _strided(offsets, sizes, strides)
    return view if view is not None and disjoint(view.shape, view.strides) else None


def _clipped_writer(offsets: Offsets, strides: tuple[int, ...], clips: Sequence[Clip]) -> Write:
    parts = _parts(offsets, strides, clips)
    alone = parts is not None and len(clips) == len(offsets) == 1
    if parts is None or not alone or not all(disjoint(v.shape, v.strides) for _, v in parts):
        return lambda flat, data: transfer.write_clipped(flat, offsets, strides, clips, data)

    def write(flat: Tensor, data: Tensor) -> None:
        for index, part in parts:
            part.of(flat).copy_(data[index][-1:])

    return write
