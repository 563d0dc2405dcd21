"""The bytes that a transfer touches, by point of its tile: for looking things up beside a memory.

Owns `Footprint` and its two forms, of tiles and of single runs of elements. They move bytes between
a flat array of one entry a byte of a memory and arrays [rows, points, item], where there is one row
for all cores of the group or one a core.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Sequence
from typing import Protocol

import torch
from torch import Tensor

from ktir.machine import transfer
from ktir.machine.patterns import Offsets, disjoint, span

BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""Integers by their bytes."""


class Footprint(Protocol):
    """The bytes of all points of a tile, for one row that stands for all cores, or one a core."""

    @property
    def rows(self) -> int:
        """Rows: 1, or the cores of the group."""

    @property
    def is_disjoint(self) -> bool:
        """Whether all points of all rows are sure to lie apart."""

    def ends(self) -> list[tuple[int, int]]:
        """The least byte and the one after the greatest, by row; empty rows are (0, 0)."""

    def take(self, flat: Tensor, outside: int = 0) -> Tensor:
        """The entries of all bytes: [rows, points, item]; `outside` for points that are not
        moved."""

    def put(self, flat: Tensor, values: Tensor) -> None:
        """Sets the entries of all bytes that are moved; values are [1 or rows, points, item]."""

    def row(self, number: int) -> Footprint:
        """One of the rows alone."""

    def address(self, row: int, point: int) -> int:
        """The first byte of a point."""

    def key(self) -> Hashable:
        """What equal footprints have in common, and no others."""


@dataclasses.dataclass(frozen=True)
class TileBytes:
    """Strided tiles in bytes: `sizes` and `strides` end with those of an element's own bytes."""

    offsets: Offsets
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    clips: Sequence[transfer.Clip] | None = None

    @classmethod
    def of(
        cls,
        offsets: Offsets,
        sizes: Sequence[int],
        strides: Sequence[int],
        item: int,
        clips: Sequence[transfer.Clip] | None = None,
    ) -> TileBytes:
        """The bytes of tiles whose numbers count elements of `item` bytes."""
        alike = offsets.is_uniform and (clips is None or all(c == clips[0] for c in clips))
        if alike:
            offsets, clips = offsets.first, None if clips is None else clips[:1]
        elif clips is not None and len(clips) < len(offsets):
            clips = [clips[0]] * len(offsets)
        elif clips is not None and len(offsets) < len(clips):
            offsets = Offsets([offsets[0]] * len(clips))
        return cls(
            Offsets([offset * item for offset in offsets]),
            (*sizes, item),
            (*(stride * item for stride in strides), 1),
            None if clips is None else [(*clip, (0, item)) for clip in clips],
        )

    @property
    def rows(self) -> int:
        return len(self.offsets)

    @property
    def is_disjoint(self) -> bool:
        levels = self.offsets.pattern.levels
        if levels is None:
            return False
        counts, steps = zip(*levels, strict=True) if levels else ((), ())
        return disjoint((*counts, *self.sizes), (*steps, *self.strides))

    def ends(self) -> list[tuple[int, int]]:
        if self.clips is None:
            if 0 in self.sizes:
                return [(0, 0)] * self.rows
            low, high = span(self.sizes, self.strides)
            return [(offset + low, offset + high + 1) for offset in self.offsets]
        found = [(0, 0)] * self.rows
        for rows, clip, offsets in transfer.clipped_runs(self.clips, self.offsets, self.strides):
            low, high = span(tuple(end - begin for begin, end in clip), self.strides)
            for row, offset in zip(range(rows.start, rows.stop), offsets, strict=True):
                found[row] = (offset + low, offset + high + 1)
        return found

    def take(self, flat: Tensor, outside: int = 0) -> Tensor:
        item = self.sizes[-1]
        if flat.dtype is torch.uint8 and item > 1 and item in BITS:
            # Elements lie on multiples of their size: whole ones are moved faster.
            wide = int.from_bytes(bytes([outside] * item), "little")
            return self._elements().take(flat.view(BITS[item]), wide).view(torch.uint8)
        if self.clips is None:
            found = flat.new_empty((self.rows, *self.sizes))
            transfer.read_into(found, flat, self.offsets, self.sizes, self.strides)
            return found.view(self.rows, -1, item)
        found = flat.new_full((self.rows, *self.sizes), outside)
        for rows, clip, offsets in transfer.clipped_runs(self.clips, self.offsets, self.strides):
            part = found[(rows, *(slice(begin, end) for begin, end in clip))]
            transfer.read_into(part, flat, offsets, tuple(part.shape[1:]), self.strides)
        return found.view(self.rows, -1, item)

    def _elements(self) -> TileBytes:
        item = self.sizes[-1]
        clips = None if self.clips is None else [(*clip[:-1], (0, 1)) for clip in self.clips]
        return TileBytes(
            Offsets([offset // item for offset in self.offsets]),
            (*self.sizes[:-1], 1),
            (*(stride // item for stride in self.strides[:-1]), 1),
            clips,
        )

    def put(self, flat: Tensor, values: Tensor) -> None:
        item = self.sizes[-1]
        if flat.dtype is torch.uint8 and item > 1 and item in BITS and values.shape[-1] == 1:
            wide = values.expand(-1, -1, item).contiguous().view(BITS[item])
            self._elements().put(flat.view(BITS[item]), wide)
            return
        shape = (values.shape[0], *self.sizes)
        if values.shape[1:] == (1, 1):
            data = values.view(-1, *[1] * len(self.sizes)).expand(shape)
        else:
            data = values.expand(-1, self._points, item).reshape(shape)
        if self.clips is None:
            transfer.write(flat, self.offsets, self.sizes, self.strides, data)
        else:
            transfer.write_clipped(flat, self.offsets, self.strides, self.clips, data)

    @property
    def _points(self) -> int:
        return torch.Size(self.sizes[:-1]).numel()

    def row(self, number: int) -> TileBytes:
        clips = None if self.clips is None else [self.clips[number]]
        return TileBytes(Offsets([self.offsets[number]]), self.sizes, self.strides, clips)

    def address(self, row: int, point: int) -> int:
        place = self.offsets[row]
        for size, stride in zip(self.sizes[-2::-1], self.strides[-2::-1], strict=True):
            place += point % size * stride
            point //= size
        return place

    def key(self) -> Hashable:
        clips = None if self.clips is None else tuple(map(tuple, self.clips))
        return tuple(self.offsets), self.sizes, self.strides, clips


@dataclasses.dataclass(frozen=True)
class ElementBytes:
    """Runs of `run` elements of `item` bytes at elements `index` [rows, N]; `inside` [rows, N] or
    None: which of them are moved."""

    index: Tensor
    inside: Tensor | None
    run: int
    item: int

    @property
    def rows(self) -> int:
        return self.index.shape[0]

    @property
    def is_disjoint(self) -> bool:
        return False

    def ends(self) -> list[tuple[int, int]]:
        if not self.index.numel():
            return [(0, 0)] * self.rows
        least = most = self.index
        if self.inside is not None:
            kinds = torch.iinfo(torch.int64)
            least = least.masked_fill(~self.inside, kinds.max)
            most = most.masked_fill(~self.inside, kinds.min)
        rows = zip(least.amin(1).tolist(), most.amax(1).tolist(), strict=True)
        return [
            (low * self.item, (high + self.run) * self.item) if low <= high else (0, 0)
            for low, high in rows
        ]

    def take(self, flat: Tensor, outside: int = 0) -> Tensor:
        width = self.run * self.item
        found = transfer.gather(flat, self.index * self.item, self.inside, width)
        if outside and self.inside is not None:
            found = found.masked_fill_(~self.inside.unsqueeze(-1), outside)
        return found.view(self.rows, -1, self.item)

    def put(self, flat: Tensor, values: Tensor) -> None:
        points = self.index.shape[1] * self.run
        data = values.expand(-1, points, self.item).reshape(values.shape[0], -1)
        places = self.index * self.item
        transfer.scatter(flat, places, self.inside, data, self.run * self.item)

    def row(self, number: int) -> ElementBytes:
        inside = None if self.inside is None else self.inside[number : number + 1]
        return ElementBytes(self.index[number : number + 1], inside, self.run, self.item)

    def address(self, row: int, point: int) -> int:
        return (int(self.index[row, point // self.run]) + point % self.run) * self.item

    def key(self) -> Hashable:
        inside = None if self.inside is None else self.inside.numpy().tobytes()
        return self.index.shape, self.index.numpy().tobytes(), inside, self.run, self.item
