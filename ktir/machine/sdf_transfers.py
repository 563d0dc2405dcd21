"""`sdf` ops of the load and store engines: `read`, `write`, `gather`, `scatter`.

Owns their decoding and their runs, with or without values. Rules of buffers are in `sdf_buffers`,
compute ops in `sdf_ops`.
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
from ktir.machine import moves, transfer
from ktir.machine.access import AffineMap, decode_map
from ktir.machine.block import Step
from ktir.machine.buffer_history import Part, history_of, note_read
from ktir.machine.constants import constant_tensor
from ktir.machine.coverage import Interval
from ktir.machine.decode import Scope, handler
from ktir.machine.frame import Frame
from ktir.machine.indexing import Elements, elements_at
from ktir.machine.kernel_state import kernel_run
from ktir.machine.patterns import combine, span
from ktir.machine.percore import PerCore, all_uniform, apply, column, per_core, pick, rows
from ktir.machine.region import DEVICE, Access, Region, Space, local_space
from ktir.machine.sdf_buffers import Buffer, claim, decode_buffer
from ktir.machine.slices import Mixed, static_ints
from ktir.machine.values import value_name
from ktir.mlir import ir
from ktir.target import Target

TRANSFERS = {
    "sdf.read": "dst",
    "sdf.gather": "dst",
    "sdf.write": "src",
    "sdf.scatter": "src",
}
"""The attribute of each transfer that holds its scratchpad buffer."""


class _Transfer:
    """What all four ops have: a buffer and a strided tensor in device memory with bounds."""

    def __init__(self, op: Any, scope: Scope) -> None:
        self.buffer = decode_buffer(op.attributes[TRANSFERS[op.operation.name]])
        reads = TRANSFERS[op.operation.name] == "src"
        self.keep = "keep" in op.attributes
        buffers = [self.buffer]
        kernel = claim(
            scope, buffers if reads or self.keep else (), () if reads else buffers, self.keep
        )
        self.values = kernel.values
        self._core = None if op.core is None else scope.slot(op.core)
        self.name = value_name(op.base, scope)
        self._base = scope.slot(op.base)
        self._offsets = _mixed(op, scope, "offsets")
        self._bounds = _mixed(op, scope, "bounds")
        self._strides = _mixed(op, scope, "strides")
        stated = list(op.static_sizes or ())
        self._sizes = Mixed(stated, scope.slots(list(op.sizes))) if stated else None
        if self._core is not None:
            kernel.has_local_views = True
            kernel.reach.append(self._reach(scope.constant_of(op.base), kernel.target))
        within = list(op.within or ())
        self._legal = list(zip(within[::2], within[1::2], strict=True))

    def _reach(self, base: Tensor | None, target: Target) -> Interval:
        """The bytes of a scratchpad that the transfer may touch; all where values decide."""
        bounds, strides = self._bounds.constants, self._strides.constants
        if base is None or bounds is None or strides is None:
            return 0, target.scratchpad.bytes
        low, high = span(tuple(max(bound, 1) for bound in bounds), strides)
        first, item = int(base), self.buffer.dtype.itemsize
        return (first + low) * item, (first + high + 1) * item

    def access(self, frame: Frame, verb: str) -> Access:
        """The present execution."""
        return Access(frame, verb, self.name)

    def space(self, frame: Frame) -> Space:
        """The memory: of the device, or the scratchpad of a core of each core's choice."""
        if self._core is None:
            return DEVICE
        return local_space(per_core(frame[self._core]), frame.run.cores)

    def base(self, frame: Frame) -> PerCore:
        """The address of element 0 of the tensor."""
        return per_core(frame[self._base])

    def offsets(self, frame: Frame) -> list[PerCore]:
        """The coordinates at which the tile starts, one entry a dimension."""
        return self._offsets.per_core(frame)

    def bounds(self, frame: Frame) -> list[PerCore]:
        """The number of valid coordinates of each dimension."""
        return self._bounds.per_core(frame)

    def strides(self, frame: Frame) -> list[PerCore]:
        """Elements between neighbours of each dimension."""
        return self._strides.per_core(frame)

    def sizes(self, frame: Frame) -> list[PerCore] | None:
        """How much of each dimension of the buffer is moved; None for all. Raises BoundsError for
        what the buffer does not have."""
        if self._sizes is None:
            return None
        sizes = self._sizes.per_core(frame)
        for dim, (size, most) in enumerate(zip(sizes, self.buffer.shape, strict=True)):
            wrong = [n for n in size if not 0 <= n <= most]
            if wrong:
                raise BoundsError(
                    f"{wrong[0]} elements of dimension {dim} of {self.buffer} are moved; it has "
                    f"{most}"
                )
        return sizes

    def held(self, frame: Frame) -> Tensor:
        """The elements of the buffer, of which those that are moved are read."""
        sizes = self.sizes(frame)
        if sizes is None or history_of(frame, self.buffer) is None:
            return self.buffer.read(frame)
        # A history is told of rectangles that are the same on all cores.
        note_read(frame, self.buffer, _first(all_uniform(sizes)))
        return self.buffer.get(frame)

    def check_legal(self, access: Access, ends: Sequence[tuple[PerCore, PerCore]]) -> None:
        """Raises BoundsError where the least or greatest coordinates of a dimension, which `ends`
        gives, are outside the range that the transfer states."""
        if not (self._legal and access.run.bounds):
            return
        for dim, ((lows, highs), (first, end)) in enumerate(zip(ends, self._legal, strict=True)):
            if min(lows) >= first and max(highs) < end:
                continue
            for position in range(access.group.size):
                low, high = pick(lows, position), pick(highs, position)
                if low < first or high >= end:
                    raise BoundsError(
                        f"{access.by(position)} at coordinate {low if low < first else high} of "
                        f"dimension {dim}, which is outside the view; legal are {first}..{end - 1}"
                    )

    def region(self, frame: Frame, access: Access) -> Region:
        """The tiles of the group's cores for `read` and `write`, checked."""
        sizes, strides, start = self.buffer.shape, self.strides(frame), self.offsets(frame)
        bounds, moved = self.bounds(frame), self.sizes(frame)
        if moved is not None:
            bounds = [apply(_least_end, *dim) for dim in zip(bounds, start, moved, strict=True)]
            self.check_legal(access, self._touched(start, moved))
        elif self._legal:
            ends = [(s, [n + size - 1 for n in s]) for s, size in zip(start, sizes, strict=True)]
            self.check_legal(access, ends)
        apart = all_uniform([s if n > 1 else [0] for s, n in zip(strides, sizes, strict=True)])
        clips = transfer.clip(start, sizes, tuple(((0,), bound) for bound in bounds))
        offsets = combine(self.base(frame), start, strides)
        region = Region(self.space(frame), self.buffer.dtype, offsets, sizes, apart, clips)
        access.where = functools.partial(_coordinates, start, sizes)
        region.check(access)
        return region

    def _touched(
        self, start: Sequence[PerCore], counts: Sequence[PerCore]
    ) -> list[tuple[PerCore, PerCore]]:
        """The least and greatest coordinates of each dimension; legal ones for an empty tile."""
        found: list[tuple[list[int], list[int]]] = [([], []) for _ in self._legal]
        rank = len(start)
        for tile in rows((*start, *counts)):
            is_empty = 0 in tile[rank:]
            for dim, (lows, highs) in enumerate(found):
                low = self._legal[dim][0] if is_empty else tile[dim]
                lows.append(low)
                highs.append(low if is_empty else low + tile[rank + dim] - 1)
        return list(found)


def _first(sizes: Sequence[int]) -> Part:
    """The first elements of each dimension of a buffer, as a part of it."""
    return [[0]] * len(sizes), sizes, [1] * len(sizes)


def _least_end(bound: int, start: int, count: int) -> int:
    return min(bound, start + count)


def _mixed(op: Any, scope: Scope, name: str) -> Mixed:
    return Mixed(
        static_ints(op, f"static_{name}"),
        scope.slots(list(getattr(op, name))),
    )


@handler("sdf.read")
def decode_read(op: Any, scope: Scope) -> Step:
    """Device memory to scratchpad; zeros out of bounds."""
    transfer_ = _Transfer(op, scope)
    buffer = transfer_.buffer

    def read(frame: Frame) -> None:
        access = transfer_.access(frame, "reads")
        region = transfer_.region(frame, access)
        if not transfer_.values:
            region.count_read(access)
        elif transfer_.keep and region.clips is not None:
            buffer.write(frame, region.read(access), region.inside())
        elif frame.group.is_whole and not region.space.local and history_of(frame, buffer) is None:
            region.read_into(buffer.target(frame, region.alike(access)), access)
        else:
            buffer.write(frame, region.read(access))

    def resolve(frame: Frame) -> tuple[Step, tuple[int, ...]]:
        access, size = transfer_.access(frame, "reads"), frame.group.size
        region = transfer_.region(frame, access)
        keeps, alike = transfer_.keep and region.clips is not None, region.alike(access)
        if frame.group.is_whole and not region.space.local and (size == 1 or not keeps):
            fill = moves.filling(region, access, 1 if alike else size, zeros=not keeps)
            return lambda frame: fill(buffer.target(frame, alike), kernel_run(frame)), ()
        take, inside = moves.reading(region, access), region.inside() if keeps else None
        return lambda frame: buffer.write(frame, take(kernel_run(frame)), inside), ()

    return scope.resolves(read, resolve)


@handler("sdf.write")
def decode_write(op: Any, scope: Scope) -> Step:
    """Scratchpad to device memory, in bounds only."""
    transfer_ = _Transfer(op, scope)
    buffer = transfer_.buffer

    def write(frame: Frame) -> None:
        access = transfer_.access(frame, "writes")
        region = transfer_.region(frame, access)
        if transfer_.values:
            region.write(_held(transfer_.held(frame), access), access)
        else:
            region.count_write(access)

    def resolve(frame: Frame) -> tuple[Step, tuple[int, ...]]:
        access = transfer_.access(frame, "writes")
        put = moves.writing(transfer_.region(frame, access), access)
        return lambda frame: put(buffer.get(frame), kernel_run(frame)), ()

    return scope.resolves(write, resolve)


def _held(data: Tensor, access: Access) -> Tensor:
    """What a buffer holds, for a store: a copy if the buffer may be written before that happens."""
    return data if access.run.batch is None else data.clone()


_Source = Buffer | Tensor | None
"""Where coordinates come from: an index buffer, a constant table of the tile's shape, or nowhere
but from a map."""


def _index_source(attribute: Any) -> _Source:
    if isinstance(attribute, ir.UnitAttr):
        return None
    if isinstance(attribute, ir.DenseElementsAttr):
        return constant_tensor(attribute, attribute.type)[0].to(torch.int64)
    return decode_buffer(attribute)


def _coordinates(
    start: Sequence[PerCore], sizes: Sequence[int], position: int, point: int
) -> list[int]:
    """The coordinates of an element of the tile of the core at a position."""
    found = [pick(values, position) for values in start]
    for dim in reversed(range(len(sizes))):
        found[dim] += point % sizes[dim]
        point //= sizes[dim]
    return found


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
            return _first([0] * len(self.places))
        cut = tuple(slice(size) for size in sizes)
        return _first([int(place[cut].max()) + 1 for place in self.places])

    def blind(self, rank: int) -> Tensor:
        """`value` with 0 for what an index buffer holds."""
        return column([0], rank) if self.buffer else self.places[0].unsqueeze(0)


class _Indexed(_Transfer):
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
            _refuse_strays(strays, inside)
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
    strays: Sequence[tuple[int, Tensor, Tensor, int]], inside: Tensor | None
) -> None:
    """Raises BoundsError for a coordinate from an index buffer that is out of bounds.

    A tile may reach past the end along its own coordinates, which is how tails are masked; a place
    that an index names has to exist.
    """
    for dim, coordinate, valid, bound in strays:
        wrong = ~valid if inside is None else ~valid & inside
        if bool(wrong.any()):
            found = int(coordinate.expand(wrong.shape)[wrong][0])
            raise BoundsError(
                f"an index names coordinate {found} along dimension {dim} of device memory; "
                f"expected 0 to {bound - 1}"
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
        data = _held(indexed.held(frame), access)
        indexed.elements(frame, access).scatter(data.reshape(data.shape[0], -1), access)

    return scatter
