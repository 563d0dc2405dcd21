"""One transfer of a group of cores: equal tiles at offsets of one memory.

Owns the check that the touched addresses lie in one array or scratchpad, the count of the bytes,
and the choice of the memory. How elements are copied is in `transfer`; which coordinates a tile has
is up to the callers:
`tiles` and `points` for `ktdp`, `sdf_transfers` for `sdf`.

Lists of offsets, coordinates and addresses have one entry for all cores of the group, or one a core
in its order.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import torch
from torch import Tensor

from ktir.errors import BoundsError, MachineError
from ktir.layout import STICK_BYTES
from ktir.machine import transfer
from ktir.machine.clocks import Clocks
from ktir.machine.extents import Extent, tile_extent
from ktir.machine.footprint import Footprint, TileBytes
from ktir.machine.frame import Frame
from ktir.machine.kernel_state import KernelRun
from ktir.machine.memory import DeviceMemory, Scratchpad
from ktir.machine.patterns import Offsets, span
from ktir.machine.percore import PerCore, distinct, narrow_ints, rows
from ktir.machine.shadow import Actor, Shadow
from ktir.machine.sticks import tile_sticks
from ktir.machine.watch import Watch


def _rows_of(data: Tensor) -> Tensor:
    """Tiles [rows, dims ..] as [rows, elements]; one without dimensions has one element."""
    return data.flatten(1) if data.dim() > 1 else data.unsqueeze(1)


@dataclasses.dataclass(frozen=True)
class Space:
    """Where elements lie: device memory; or a scratchpad, of the running core or of `owners`, one
    core for all or one a core; or the constants of a kernel, which count as `local` too."""

    local: bool
    owners: tuple[int, ...] | None = None
    constant: bool = False

    def narrow(self, positions: Tensor) -> Space:
        """The space for the cores at `positions` of the group."""
        if self.owners is None or len(self.owners) == 1:
            return self
        return Space(self.local, tuple(narrow_ints(self.owners, positions)))


DEVICE = Space(local=False)
CONSTANTS = Space(local=True, constant=True)


def local_space(owners: PerCore, cores: int) -> Space:
    """The scratchpads of given cores. Raises MachineError for one that the grid does not have."""
    wrong = [owner for owner in owners if not 0 <= owner < cores]
    if wrong:
        raise MachineError(
            f"the scratchpad of core {wrong[0]} is used; the grid has cores 0 to {cores - 1}"
        )
    return Space(local=True, owners=tuple(owners))


class Transfer(Protocol):
    """Elements that an access moves."""

    @property
    def space(self) -> Space:
        """Where they lie."""

    @property
    def elements(self) -> int:
        """How many they are, a core."""

    def footprint(self, access: Access) -> Footprint:
        """Their bytes, for check "full"."""

    def extent(self, access: Access) -> Extent:
        """Their bytes, for iterations that run at once."""

    def take(self, access: Access) -> Tensor:
        """Reads them: [1 or cores, ..]."""

    def put(self, data: Tensor, access: Access) -> None:
        """Writes them."""


class Access:
    """One execution of an op that moves elements, by the cores of a group.

    `verb`: reads or writes; `what`: what it touches, for messages. `where` gives the coordinates of
    a point of the tile of the core at a position.
    """

    __slots__ = ("group", "run", "verb", "what", "where")

    def __init__(
        self,
        frame: Frame,
        verb: str,
        what: str,
        where: Callable[[int, int], Sequence[int]] | None = None,
    ) -> None:
        assert isinstance(frame.run, KernelRun)
        self.run = frame.run
        self.group = frame.group
        self.verb = verb
        self.what = what
        self.where = where

    def by(self, position: int) -> str:
        """The start of a message about the core at a position of the group."""
        return f"core {int(self.group.numbers[position])} {self.verb} {self.what}"

    def actor(self, clocks: Clocks) -> Actor:
        """Who accesses, as check "full" asks for it."""
        return Actor(self.group.numbers, clocks, self.by, self._at)

    def _at(self, position: int, point: int) -> str:
        if self.where is None:
            return f"at element {point}"
        return f"at coordinates [{', '.join(map(str, self.where(position, point)))}]"

    def loads(self, transfer: Transfer) -> None:
        """Tells those who follow the run of a load that is about to happen."""
        run = self.run
        if run.watch is not None:
            bytes_, actor = transfer.footprint(self), self.actor(run.watch.clocks)
            self._touch(run.watch, transfer.space, bytes_, actor)
            self.shadow(transfer.space).read(bytes_, actor)
        if run.batch is not None or run.trial is not None:
            extent = transfer.extent(self)
            if run.batch is not None:
                run.batch.load(extent)
            if run.trial is not None:
                run.trial.load(transfer.elements, extent.is_shared)

    def stores(self, transfer: Transfer, data: Tensor) -> None:
        """Has a store of `data` [1 or rows, ..] happen, now or when others say so."""
        run = self.run
        if run.trial is not None:
            run.trial.store(transfer.elements, self.group.size)
        if run.batch is not None:
            run.batch.store(transfer.extent(self), lambda: transfer.put(data, self))
            return
        if run.watch is None:
            transfer.put(data, self)
            return
        bytes_, actor = transfer.footprint(self), self.actor(run.watch.clocks)
        self._touch(run.watch, transfer.space, bytes_, actor)
        self.shadow(transfer.space).write(
            bytes_,
            actor,
            _rows_of(data),
            lambda: _rows_of(transfer.take(self)),
            lambda: transfer.put(data, self),
        )
        if run.stores is not None:
            run.stores.note(bytes_, actor, _rows_of(transfer.take(self)))

    def _touch(self, watch: Watch, space: Space, footprint: Footprint, actor: Actor) -> None:
        if space.local:
            return
        ends = [pair for pair in footprint.ends() if pair[0] < pair[1]]
        array = self.run.device.region_of(ends[0][0], ends[0][1]) if ends else None
        if array is not None:
            watch.touch(array, footprint, actor)

    def shadow(self, space: Space) -> Shadow:
        """The history of the memory of a space."""
        memory: DeviceMemory | Scratchpad
        if space.constant:
            memory = self._constants
        else:
            memory = self.scratchpad if space.local else self.run.device
        assert memory.shadow is not None, "check full launches on memories with a history"
        return memory.shadow

    @property
    def _constants(self) -> DeviceMemory:
        assert self.run.constants is not None, "a view of constants was made, so there are some"
        return self.run.constants

    @property
    def scratchpad(self) -> Scratchpad:
        """The scratchpads. Raises MachineError if the kernel runs without."""
        if self.run.scratchpad is None:
            raise MachineError(f"{self.by(0)} in a scratchpad, but the kernel runs without one")
        return self.run.scratchpad

    def flat(
        self, space: Space, dtype: torch.dtype, ends: Callable[[], tuple[int, int]]
    ) -> tuple[Tensor, int]:
        """The memory of a space as one flat tensor, of which elements between `ends`, counted from
        the start of the space, are touched; and the element of the memory that it begins with."""
        if space.constant:
            return self._constants.typed(dtype), 0
        if space.local:
            low, high = ends()
            item = dtype.itemsize
            return self.scratchpad.typed(dtype, low * item, (high + 1) * item).view(-1), 0
        return self.run.device.window(dtype, ends, self.verb == "writes")

    def placed(self, space: Space, offsets: Offsets, dtype: torch.dtype) -> Offsets:
        """Offsets in the memory of a space, all scratchpads one after the other, given those from
        the start of the space."""
        if not space.local or space.constant:
            return offsets
        pitch = self.scratchpad.size // dtype.itemsize
        owners: PerCore = self.group.numbers.tolist() if space.owners is None else space.owners
        return Offsets([offset + core * pitch for offset, core in rows((offsets, owners))])

    def covered(self, space: Space, first: int, last: int, item: int) -> bool:
        """Whether elements first..last of a space lie in one array, or in the scratchpad."""
        low, high = first * item, (last + 1) * item
        if space.constant:
            return self.verb == "reads" and self._constants.region_of(low, high) is not None
        if space.local:
            return low >= 0 and high <= self.scratchpad.size
        device = self.run.device
        allocation = device.region_of(low, high)
        if allocation is not None:
            writes = self.verb == "writes"
            allocation.written |= writes
            allocation.touch(writes)
            if writes and self.run.journal is not None:
                self.run.journal.before_write(allocation)
            return True
        return not self.run.bounds and low >= 0 and high <= device.size

    def check(self, space: Space, first: int, last: int, item: int, position: int) -> None:
        """Raises BoundsError unless elements first..last are `covered`, for the core at
        `position`."""
        if self.covered(space, first, last, item):
            return
        low, high = first * item, (last + 1) * item - 1
        if space.constant:
            legal = "constants are only read, and within their sizes"
        elif space.local:
            legal = f"a scratchpad has bytes 0 to {self.scratchpad.size - 1}"
        else:
            legal = self.run.device.describe(low)
        raise BoundsError(
            f"{self.by(position)} at bytes {low} to {high}, which is outside what it may touch; "
            f"{legal}"
        )


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
