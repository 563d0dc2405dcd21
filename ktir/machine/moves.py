"""Moves of tiles that are done again and again at the same places, with all that is the same worked
out once.

Owns the functions that do what those of `transfer` do, to a flat tensor and data of their own each
time: `reader` what `read` and `read_clipped`, `filler` what `read_into` and `read_clipped_into`,
`writer` what `write` and `write_clipped`. And those that do what a `Region` does, in memories of
other launches and without any notice: `reading`, `filling`, `writing`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ktir.machine import transfer
from ktir.machine.access import Access
from ktir.machine.kernel_state import KernelRun
from ktir.machine.patterns import Offsets, disjoint
from ktir.machine.region import Region
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


def reading(region: Region, access: Access) -> Callable[[KernelRun], Tensor]:
    """`Region.take` for other launches."""
    memory, offsets = _memory_of(region, access)
    read = reader(offsets, region.sizes, region.strides, region.clips)
    return lambda run: read(memory(run))


def filling(
    region: Region, access: Access, rows: int, zeros: bool = True
) -> Callable[[Tensor, KernelRun], None]:
    """`Region.read_into`, of so many rows, for other launches; without `zeros` what is clipped
    stays as it is."""
    memory, offsets = _memory_of(region, access)
    clips = region.clips
    if rows == 1:
        offsets, clips = offsets.first, None if clips is None else clips[:1]
    fill = filler(offsets, region.sizes, region.strides, clips, zeros)
    return lambda out, run: fill(out, memory(run))


def writing(region: Region, access: Access) -> Callable[[Tensor, KernelRun], None]:
    """`Region.put` for other launches."""
    memory, offsets = _memory_of(region, access)
    write = writer(offsets, region.sizes, region.strides, region.clips)
    return lambda data, run: write(memory(run), data)


def _memory_of(region: Region, access: Access) -> tuple[Callable[[KernelRun], Tensor], Offsets]:
    """The memory of a launch as one flat tensor, and the offsets in it."""
    space, dtype = region.space, region.dtype
    offsets = access.placed(space, region.offsets, dtype)
    if not space.local:
        return lambda run: run.device.typed(dtype), offsets
    if space.constant:
        constants, _ = access.flat(space, dtype, region.ends)
        return lambda run: constants, offsets
    low, high = (end * dtype.itemsize for end in region.ends())
    end = high + dtype.itemsize

    def memory(run: KernelRun) -> Tensor:
        assert run.scratchpad is not None, "the launch that was recorded has one"
        return run.scratchpad.typed(dtype, low, end).view(-1)

    return memory, offsets
