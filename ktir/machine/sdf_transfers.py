"""`sdf` ops of the load and store engines: what all have in common, and `read` and `write`.

Owns their decoding and their runs, with or without values. `gather` and `scatter` are in
`sdf_indexed`, rules of buffers in `sdf_buffers`, ops that compute in `sdf_ops` and `sdf_compute`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from ktir.errors import BoundsError
from ktir.machine import moves, transfer
from ktir.machine.access import DEVICE, Access, Space, local_space
from ktir.machine.block import Step
from ktir.machine.buffer_history import Part, history_of, note_read
from ktir.machine.coverage import Interval
from ktir.machine.decode import Scope, handler
from ktir.machine.frame import Frame
from ktir.machine.kernel_state import kernel_run
from ktir.machine.patterns import combine, span
from ktir.machine.percore import PerCore, all_uniform, apply, per_core, pick, rows
from ktir.machine.region import Region
from ktir.machine.sdf_buffers import claim, decode_buffer
from ktir.machine.slices import Mixed, static_ints
from ktir.machine.values import value_name
from ktir.target import Target

TRANSFERS = {
    "sdf.read": "dst",
    "sdf.gather": "dst",
    "sdf.write": "src",
    "sdf.scatter": "src",
}
"""The attribute of each transfer that holds its scratchpad buffer."""


class Transfer:
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
        note_read(frame, self.buffer, first_elements(all_uniform(sizes)))
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


def first_elements(sizes: Sequence[int]) -> Part:
    """The first elements of each dimension of a buffer, as a part of it."""
    return [[0]] * len(sizes), sizes, [1] * len(sizes)


def _coordinates(
    start: Sequence[PerCore], sizes: Sequence[int], position: int, point: int
) -> list[int]:
    """The coordinates of an element of the tile of the core at a position."""
    found = [pick(values, position) for values in start]
    for dim in reversed(range(len(sizes))):
        found[dim] += point % sizes[dim]
        point //= sizes[dim]
    return found


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
    transfer_ = Transfer(op, scope)
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
    transfer_ = Transfer(op, scope)
    buffer = transfer_.buffer

    def write(frame: Frame) -> None:
        access = transfer_.access(frame, "writes")
        region = transfer_.region(frame, access)
        if transfer_.values:
            region.write(until_stored(transfer_.held(frame), access), access)
        else:
            region.count_write(access)

    def resolve(frame: Frame) -> tuple[Step, tuple[int, ...]]:
        access = transfer_.access(frame, "writes")
        put = moves.writing(transfer_.region(frame, access), access)
        return lambda frame: put(buffer.get(frame), kernel_run(frame)), ()

    return scope.resolves(write, resolve)


def until_stored(data: Tensor, access: Access) -> Tensor:
    """What a buffer holds, for a store: a copy if the buffer may be written before that happens."""
    return data if access.run.batch is None else data.clone()
