"""One execution of an op that moves elements, and the memory that it moves them in or out of.

Owns the choice of the memory (`Space`), the check that the touched addresses lie in one array or
scratchpad, and the notice of loads and stores to those who follow a run. Which elements they are is
up to `region` and `indexing`.

Lists of offsets, coordinates and addresses have one entry for all cores of the group, or one a core
in its order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Protocol

import torch
from torch import Tensor

from ktir.errors import BoundsError, MachineError
from ktir.machine.clocks import Clocks
from ktir.machine.extents import Extent
from ktir.machine.footprint import Footprint
from ktir.machine.frame import Frame
from ktir.machine.kernel_state import KernelRun
from ktir.machine.memory import DeviceMemory, Scratchpad
from ktir.machine.patterns import Offsets
from ktir.machine.percore import PerCore, narrow_ints, rows
from ktir.machine.shadow import Actor, Shadow
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


class Moved(Protocol):
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

    def loads(self, moved: Moved) -> None:
        """Tells those who follow the run of a load that is about to happen."""
        run = self.run
        if run.watch is not None:
            bytes_, actor = moved.footprint(self), self.actor(run.watch.clocks)
            self._touch(run.watch, moved.space, bytes_, actor)
            self.shadow(moved.space).read(bytes_, actor)
        if run.batch is not None or run.trial is not None:
            extent = moved.extent(self)
            if run.batch is not None:
                run.batch.load(extent)
            if run.trial is not None:
                run.trial.load(moved.elements, extent.is_shared)

    def stores(self, moved: Moved, data: Tensor) -> None:
        """Has a store of `data` [1 or rows, ..] happen, now or when others say so."""
        run = self.run
        if run.trial is not None:
            run.trial.store(moved.elements, self.group.size)
        if run.batch is not None:
            run.batch.store(moved.extent(self), lambda: moved.put(data, self))
            return
        if run.watch is None:
            moved.put(data, self)
            return
        bytes_, actor = moved.footprint(self), self.actor(run.watch.clocks)
        self._touch(run.watch, moved.space, bytes_, actor)
        self.shadow(moved.space).write(
            bytes_,
            actor,
            _rows_of(data),
            lambda: _rows_of(moved.take(self)),
            lambda: moved.put(data, self),
        )
        if run.stores is not None:
            run.stores.note(bytes_, actor, _rows_of(moved.take(self)))

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
