"""`sdf` ops of the load and store engines whose elements each have a place: `gather`, `scatter`.

Owns where those elements are, from maps, tables and index buffers, and the ops' decoding and runs,
with or without values. What they share with `read` and `write` is in `sdf_transfers`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import BoundsError
from ktir.machine.access import Access
from ktir.machine.affine import AffineMap, decode_map
from ktir.machine.block import Step
from ktir.machine.buffer_history import Part, history_of, note_read
from ktir.machine.constants import constant_tensor
from ktir.machine.decode import Scope, handler
from ktir.machine.frame import Frame
from ktir.machine.indexing import Elements, elements_at
from ktir.machine.percore import PerCore, all_uniform, column
from ktir.machine.sdf_buffers import Buffer, claim, decode_buffer
from ktir.machine.sdf_transfers import Transfer, first_elements, until_stored
from ktir.machine.slices import static_ints
from ktir.mlir import ir

_Source = Buffer | Tensor | None
"""Where coordinates come from: an index buffer, a constant table of the tile's shape, or nowhere
but from a map."""


def _index_source(attribute: Any) -> _Source:
    if isinstance(attribute, ir.UnitAttr):
        return None
    if isinstance(attribute, ir.DenseElementsAttr):
        return constant_tensor(attribute, attribute.type)[0].to(torch.int64)
    return decode_buffer(attribute)


def _point(
    coordinates: Sequence[Tensor], shape: Sequence[int], position: int, point: int
) -> list[int]:
    """The coordinates of an element, from those of all elements of all cores."""
    found = [values.expand(-1, *shape).flatten(1) for values in coordinates]
    return [int(values[position if len(values) > 1 else 0, point]) for values in found]


@dataclasses.dataclass(frozen=True)
class _Subscript:
    """The coordinate in one dimension: `places` are the values of its map, or table, at all
    elements of the tile, tensors [dims ..] that broadcast; they subscript `buffer` if there is
    one."""

    places: tuple[Tensor, ...]
    buffer: Buffer | None

    def value(self, frame: Frame, sizes: Sequence[PerCore] | None) -> Tensor:
        """The coordinates less the offset: int64 [1 or cores, dims ..]; those of the first `sizes`
        elements count."""
        if self.buffer is None:
            return self.places[0].unsqueeze(0)
        index: tuple[Any, ...] = (slice(None), *self.places)
        if sizes is None or history_of(frame, self.buffer) is None:
            return self.buffer.read(frame)[index].to(torch.int64)
        note_read(frame, self.buffer, self._reached(all_uniform(sizes)))
        return self.buffer.get(frame)[index].to(torch.int64)

    def _reached(self, sizes: Sequence[int]) -> Part:
        """The rectangle of the index buffer from its start on that the first elements reach."""
        if 0 in sizes:
            return first_elements([0] * len(self.places))
        cut = tuple(slice(size) for size in sizes)
        return first_elements([int(place[cut].max()) + 1 for place in self.places])

    def blind(self, rank: int) -> Tensor:
        """`value` with 0 for what an index buffer holds."""
        return column([0], rank) if self.buffer else self.places[0].unsqueeze(0)


class _Indexed(Transfer):
    """A gather or scatter: coordinates of device memory from maps and index buffers."""

    def __init__(self, op: Any, scope: Scope) -> None:
        maps = [decode_map(entry) for entry in op.index_maps]
        buffers = [_index_source(entry) for entry in op.index_buffers]
        claim(scope, [buffer for buffer in buffers if isinstance(buffer, Buffer)])
        super().__init__(op, scope)
        self._shape = self.buffer.shape
        self._subscripts = _subscripts(maps, buffers, self._shape)
        if not self.values:
            self._choose_sample(maps, buffers, static_ints(op, "static_strides"))

    def _choose_sample(
        self, maps: Sequence[AffineMap], buffers: Sequence[_Source], strides: Sequence[int]
    ) -> None:
        """Without values, counts stand for a tile that is cut to one of its indirect places.

        A coordinate of stride 0 says only what is valid.
        """
        indirect = {
            dim
            for subscript, stride in zip(self._subscripts, strides, strict=True)
            if subscript.buffer is not None and stride != 0
            for place in subscript.places
            for dim, size in enumerate(place.shape)
            if size > 1
        }
        shape = tuple(1 if dim in indirect else size for dim, size in enumerate(self._shape))
        self._repeats = math.prod(self._shape[dim] for dim in indirect)
        self._shape = shape
        self._subscripts = _subscripts(maps, buffers, shape)

    def elements(self, frame: Frame, access: Access) -> Elements:
        """The elements of the group's cores, checked if there are values."""
        rank = len(self._shape)
        sizes = self.sizes(frame)
        moved = None if sizes is None else self._moved(sizes)
        inside = moved
        strays: list[tuple[int, Tensor, Tensor, int]] = []
        coordinates: list[Tensor] = []
        for subscript, offset, bound in zip(
            self._subscripts, self.offsets(frame), self.bounds(frame), strict=True
        ):
            found = subscript.value(frame, sizes) if self.values else subscript.blind(rank)
            coordinate = column(offset, rank) + found
            valid = (coordinate >= 0) & (coordinate < column(bound, rank))
            if not bool(valid.all()):
                if subscript.buffer is None or self._legal:
                    inside = valid if inside is None else inside & valid
                else:
                    strays.append((len(coordinates), coordinate, valid, max(bound)))
            coordinates.append(coordinate)
        access.where = functools.partial(_point, coordinates, self._shape)
        if self.values:
            _refuse_strays(strays, inside, access)
            self.check_legal(access, self._ends(coordinates, moved))
        base = column(self.base(frame), rank)
        elements = elements_at(
            self.space(frame),
            self.buffer.dtype,
            base,
            coordinates,
            self.strides(frame),
            self._shape,
            inside,
        )
        if self.values:
            elements.check(access)
        return elements

    def _moved(self, sizes: Sequence[PerCore]) -> Tensor:
        """Which elements of the tile are moved, [1 or cores, dims ..]."""
        rank = len(self._shape)
        moved = torch.ones((1,) * (rank + 1), dtype=torch.bool)
        for dim, (size, most) in enumerate(zip(sizes, self._shape, strict=True)):
            places = torch.arange(most).view([-1 if d == dim else 1 for d in range(rank)])
            moved = moved & (places.unsqueeze(0) < column(size, rank))
        return moved

    def _ends(
        self, coordinates: Sequence[Tensor], moved: Tensor | None
    ) -> list[tuple[PerCore, PerCore]]:
        """The least and the greatest coordinate of each core; what is not moved counts as legal."""
        found: list[tuple[PerCore, PerCore]] = []
        for coordinate, (first, _) in zip(coordinates, self._legal, strict=False):
            kept = coordinate if moved is None else torch.where(moved, coordinate, first)
            low, high = torch.aminmax(kept.flatten(1), dim=1)
            found.append((low.tolist(), high.tolist()))
        return found

    def count(self, frame: Frame, access: Access, write: bool) -> None:
        """Counts without values: as many sticks for every indirect place as for the first."""
        elements = self.elements(frame, access)
        for _ in range(self._repeats):
            (elements.count_write if write else elements.count_read)(access)


def _refuse_strays(
    strays: Sequence[tuple[int, Tensor, Tensor, int]], inside: Tensor | None, access: Access
) -> None:
    """Raises BoundsError for a coordinate from an index buffer that is out of bounds.

    A tile may reach past the end along its own coordinates, which is how tails are masked; a place
    that an index names has to exist.
    """
    for dim, coordinate, valid, bound in strays:
        wrong = ~valid if inside is None else ~valid & inside
        if bool(wrong.any()):
            found = int(coordinate.expand(wrong.shape)[wrong][0])
            position = int(wrong.flatten(1).any(1).nonzero()[0])
            raise BoundsError(
                f"{access.by(position)} at coordinate {found} of dimension {dim}, which an index "
                f"names and is outside the view; legal are 0..{bound - 1}"
            )


def _subscripts(
    maps: Sequence[AffineMap], buffers: Sequence[_Source], shape: Sequence[int]
) -> list[_Subscript]:
    """The maps at all elements of a tile. Raises BoundsError where an index buffer is too small."""
    rank = len(shape)
    counters = [
        torch.arange(size).view([-1 if d == dim else 1 for d in range(rank)])
        for dim, size in enumerate(shape)
    ]
    found = []
    for affine_map, buffer in zip(maps, buffers, strict=True):
        if isinstance(buffer, Tensor):
            cut = buffer[tuple(slice(size) for size in shape)]
            found.append(_Subscript((cut,), None))
            continue
        places = [torch.as_tensor(place) for place in affine_map(counters)]
        places = [place.view(place.shape or [1] * rank) for place in places]
        for place, size in zip(places, buffer.shape if buffer else (), strict=False):
            if place.numel() and not (int(place.min()) >= 0 and int(place.max()) < size):
                raise BoundsError(
                    f"index map reaches {int(place.min())}..{int(place.max())} in index buffer "
                    f"{buffer}, which has {size} elements along that dimension"
                )
        found.append(_Subscript(tuple(places), buffer))
    return found


@handler("sdf.gather")
def decode_gather(op: Any, scope: Scope) -> Step:
    """Device memory to scratchpad at places that index buffers tell; zeros out of bounds."""
    indexed = _Indexed(op, scope)
    buffer = indexed.buffer

    def gather(frame: Frame) -> None:
        access = indexed.access(frame, "reads")
        if not indexed.values:
            indexed.count(frame, access, write=False)
            return
        elements = indexed.elements(frame, access)
        data = elements.gather(access).view(-1, *buffer.shape)
        inside = elements.inside if indexed.keep else None
        if inside is not None:
            inside = inside.unsqueeze(-1).expand(-1, -1, elements.run).reshape(-1, *buffer.shape)
        buffer.write(frame, data, inside)

    return gather


@handler("sdf.scatter")
def decode_scatter(op: Any, scope: Scope) -> Step:
    """Scratchpad to device memory at places that index buffers tell, in bounds only."""
    indexed = _Indexed(op, scope)
    claim(scope).is_steady = False

    def scatter(frame: Frame) -> None:
        access = indexed.access(frame, "writes")
        if not indexed.values:
            indexed.count(frame, access, write=True)
            return
        data = until_stored(indexed.held(frame), access)
        indexed.elements(frame, access).scatter(data.reshape(data.shape[0], -1), access)

    return scatter
