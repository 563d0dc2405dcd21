"""One transfer of a group of cores: equal tiles at offsets of one memory.

Owns which elements are moved, and the count of their bytes. How they are copied is in `transfer`,
what they may touch in `access`; which coordinates a tile has is up to the callers: `tiles` and
`points` for `ktdp`, `sdf_transfers` for `sdf`.

Lists of offsets, coordinates and addresses have one entry for all cores of the group, or one a core
in its order.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import torch
from torch import Tensor

from ktir.layout import STICK_BYTES
from ktir.machine import transfer
from ktir.machine.access import Access, Space
from ktir.machine.extents import Extent, tile_extent
from ktir.machine.footprint import Footprint, TileBytes
from ktir.machine.patterns import Offsets, span
from ktir.machine.percore import distinct, narrow_ints
from ktir.machine.sticks import tile_sticks

_Part = tuple[slice, Offsets, tuple[int, ...]]
"""Positions of cores, and the offsets and sizes of what they move."""


@dataclasses.dataclass(slots=True)
class Region:
    """Tiles of `sizes` at `offsets` of a space, in elements; `clips` is what of each is moved, None
    for all."""

    space: Space
    dtype: torch.dtype
    offsets: Offsets
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    clips: list[transfer.Clip] | None = None
    _parts: list[_Part] | None = dataclasses.field(default=None, init=False, repr=False)

    def alike(self, access: Access) -> bool:
        """Whether all cores touch the same elements."""
        clips = self.clips is None or all(part == self.clips[0] for part in self.clips)
        return clips and self._placed(access).is_uniform

    def inside(self) -> Tensor:
        """Which elements are moved: [1 or cores, *sizes]."""
        clips = self.clips or [tuple((0, size) for size in self.sizes)]
        found = torch.zeros((len(clips), *self.sizes), dtype=torch.bool)
        for row, part in zip(found, clips, strict=True):
            row[tuple(slice(begin, end) for begin, end in part)] = True
        return found

    def check(self, access: Access) -> None:
        """Raises BoundsError if a core touches anything outside one array or its scratchpad."""
        if 0 in self.sizes:
            return
        item = self.dtype.itemsize
        for cores, offsets, sizes in self._runs(access.group.size):
            low, high = span(sizes, self.strides)
            pattern, first = offsets.pattern, offsets[0]
            low_end, high_end = first + pattern.low + low, first + pattern.high + high
            if access.covered(self.space, low_end, high_end, item):
                continue
            for i, offset in enumerate(offsets):
                access.check(self.space, offset + low, offset + high, item, cores.start + i)

    def read(self, access: Access) -> Tensor:
        """Copies the tiles: [1 or cores, *sizes], zero where they are clipped."""
        self.count_read(access)
        access.loads(self)
        return self.take(access)

    @property
    def elements(self) -> int:
        """Elements of a tile."""
        return math.prod(self.sizes)

    def take(self, access: Access) -> Tensor:
        """As `read`, without any notice."""
        flat, offsets = self._memory(access)
        if self.clips is None:
            return transfer.read(flat, offsets, self.sizes, self.strides)
        return transfer.read_clipped(flat, offsets, self.sizes, self.strides, self.clips)

    def read_into(self, out: Tensor, access: Access) -> None:
        """As `read`, into [cores, *sizes], or [1, *sizes] if the region is uniform."""
        self.count_read(access)
        access.loads(self)
        flat, offsets = self._memory(access)
        clips = self.clips
        if out.shape[0] == 1:
            offsets, clips = offsets.first, None if clips is None else clips[:1]
        if clips is None:
            transfer.read_into(out, flat, offsets, self.sizes, self.strides)
        else:
            transfer.read_clipped_into(out, flat, offsets, self.strides, clips)

    def write(self, data: Tensor, access: Access) -> None:
        """Copies [1 or cores, *sizes] to the tiles, but for what is clipped."""
        self.count_write(access)
        access.stores(self, data)

    def put(self, data: Tensor, access: Access) -> None:
        """As `write`, without any notice."""
        flat, offsets = self._memory(access)
        if self.clips is None:
            transfer.write(flat, offsets, self.sizes, self.strides, data)
        else:
            transfer.write_clipped(flat, offsets, self.strides, self.clips, data)

    def footprint(self, access: Access) -> Footprint:
        """The bytes that are moved."""
        offsets, item = self._placed(access), self.dtype.itemsize
        return TileBytes.of(offsets, self.sizes, self.strides, item, self.clips)

    def extent(self, access: Access) -> Extent:
        """The bytes that are moved, or somewhat more."""
        offsets, item = self._placed(access), self.dtype.itemsize
        owners = access.group.owners.numpy()
        return tile_extent(
            self.space.local, offsets, self.sizes, self.strides, item, self.clips, owners
        )

    def count_read(self, access: Access) -> None:
        """Counts the sticks that the cores read, and which of them others read as well."""
        if self.space.local:
            return
        total = distinct = 0
        for alike, touched, apart in self._counts(access.group.size):
            total += touched * alike
            distinct += apart
        rounds = access.group.rounds
        if rounds is not None and total != distinct:
            distinct = self._distinct(rounds)
        shared = (total - distinct) * STICK_BYTES
        access.run.counters.read(total * STICK_BYTES, shared, self.dtype)

    def _distinct(self, rounds: Tensor) -> int:
        """Sticks that differ by core within a round, of all rounds."""
        found = 0
        for number in distinct(rounds):
            positions = (rounds == number).nonzero().flatten()
            clips = self.clips
            if clips is not None and len(clips) > 1:
                clips = [clips[position] for position in positions.tolist()]
            offsets = Offsets(narrow_ints(self.offsets, positions))
            part = Region(self.space, self.dtype, offsets, self.sizes, self.strides, clips)
            found += sum(apart for _, _, apart in part._counts(len(positions)))
        return found

    def count_write(self, access: Access) -> None:
        """Counts the sticks that the cores write."""
        if self.space.local:
            return
        total = sum(touched * alike for alike, touched, _ in self._counts(access.group.size))
        access.run.counters.write(total * STICK_BYTES, self.dtype)

    def _counts(self, cores: int) -> Iterator[tuple[int, int, int]]:
        """By run of cores: tiles an offset stands for, sticks of all and of distinct offsets."""
        for run, offsets, sizes in self._runs(cores):
            alike = run.stop - run.start if len(offsets) == 1 else 1
            yield alike, *tile_sticks(offsets, sizes, self.strides, self.dtype.itemsize)

    def _memory(self, access: Access) -> tuple[Tensor, Offsets]:
        flat, start = access.flat(self.space, self.dtype, self.ends)
        return flat, self._placed(access).since(start)

    def _placed(self, access: Access) -> Offsets:
        return access.placed(self.space, self.offsets, self.dtype)

    def ends(self) -> tuple[int, int]:
        """The least and the greatest element that is moved, from the start of the space."""
        tiles = [(self.offsets, self.sizes)]
        if self.clips is not None:
            runs = transfer.clipped_runs(self.clips, self.offsets, self.strides)
            tiles = [(own, tuple([end - begin for begin, end in part])) for _, part, own in runs]
        ends = [(own, span(sizes, self.strides)) for own, sizes in tiles]
        low = min((min(own) + least for own, (least, _) in ends), default=0)
        return low, max((max(own) + most for own, (_, most) in ends), default=low - 1)

    def _runs(self, cores: int) -> list[_Part]:
        """The parts that are moved."""
        if self.clips is None:
            return [(slice(0, cores), self.offsets, self.sizes)]
        if self._parts is None:
            self._parts = []
            alike = len(self.clips) == len(self.offsets) == 1
            for run, part, offsets in transfer.clipped_runs(self.clips, self.offsets, self.strides):
                sizes = tuple([end - begin for begin, end in part])
                self._parts.append((slice(0, cores) if alike else run, offsets, sizes))
        return self._parts
