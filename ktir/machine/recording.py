"""Launches that repeat: the steps of one that depend on data, to be run again without the others.

Owns `Recorder`, which watches a launch of a kernel whose way and places depend on no data
(`fixed`), and `Recording`, what is left of it. Another launch with the same scalars, on arrays of
the same types at the same places, goes the same way: of its steps only those that move or compute
data run again; loops and branches are gone, places are known and have been checked, and index
values are as they were.

Values are told apart by the objects that hold them: where a step finds a result of an earlier one
in another slot, control flow has carried it there.
"""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from ktir.errors import KtirError
from ktir.machine.block import Block, Flow, Interval, Kind, Step, Touched
from ktir.machine.frame import CoreGroup, Divergence, Frame, narrow
from ktir.machine.futures import OutOfStep
from ktir.machine.kernel_state import KernelRun
from ktir.machine.location import Place

LONGEST = 512
"""Steps of a recording. In longer launches, what is not data weighs little, and loops run
together (`stacked`)."""

MOST_BYTES = 1 << 24
"""Bytes of tensors that a recording keeps because they depend on no data."""


class _Datum:
    """Stands for what holds a value that depends on data, in every launch another object."""

    __slots__ = ()


@dataclasses.dataclass
class _Taken:
    """A step that ran, by the number of its frame: what it found in slots, and what it left in
    them. `is_fixed`: it depends on no data, and matters for what it leaves in `buffers` only."""

    frame: int
    step: Step
    place: Place
    fixed: list[tuple[int, Any]] = dataclasses.field(default_factory=list)
    data: list[tuple[int, _Datum]] = dataclasses.field(default_factory=list)
    left: list[tuple[int, _Datum]] = dataclasses.field(default_factory=list)
    freed: tuple[int, ...] = ()
    buffers: Touched = dataclasses.field(default_factory=Touched)
    is_fixed: bool = False


@dataclasses.dataclass
class _Parted:
    """A frame that was made of another one for some of its cores, with data in these slots."""

    frame: int
    source: int
    group: CoreGroup
    positions: Tensor
    place: Place | None = None
    data: list[tuple[int, _Datum]] = dataclasses.field(default_factory=list)
    left: list[tuple[int, _Datum]] = dataclasses.field(default_factory=list)


class Recorder:
    """Watches a launch that begins with `frame`. `data` are the slots of values that may depend on
    data; with `local`, buffers are memory that is addressed too. Gives up without a word where it
    cannot follow."""

    def __init__(self, frame: Frame, data: frozenset[int], local: bool) -> None:
        self._template = frame.template
        self._data, self._local = data, local
        self._buffers: set[Interval] = set()
        self._frames = [frame]
        self._taken: list[_Taken | _Parted] = []
        self._known: dict[int, tuple[Callable[[], Any], _Datum]] = {}
        self._fixed = {id(value): value for value in frame if value is not None}
        self._inside = self._lost = False

    def perform(self, step: Step, block: Block, frame: Frame) -> None:
        """Runs a step of a block."""
        flow = block.flows.get(step)
        if self._lost or self._inside or (flow is not None and flow.kind is Kind.CARRIES):
            step(frame)
        elif flow is None or not self.fits(1):
            self.give_up()
            step(frame)
        elif flow.kind is Kind.FIXED and self._data.isdisjoint(flow.writes):
            step(frame)
            self._fixed.update((id(frame[slot]), frame[slot]) for slot in flow.writes)
        else:
            self._take(step, flow, block.places[step], frame)

    def fits(self, steps: int) -> bool:
        """Whether there is room for so many steps more; gives up if not."""
        if len(self._taken) + steps > LONGEST:
            self.give_up()
        return not self._lost

    def give_up(self) -> None:
        """There will be no recording."""
        self._lost = True
        self._taken.clear()

    def part(self, source: Frame, frame: Frame, positions: Tensor, slots: Sequence[int]) -> None:
        """Notes a frame for the cores at positions of another one."""
        if self._lost or self._inside:
            return
        number = self._number_of(source)
        taken = _Parted(len(self._frames), number, frame.group, positions)
        self._frames.append(frame)
        for slot in slots:
            found = self._datum(source[slot])
            if found is not None:
                taken.data.append((slot, found))
                taken.left.append((slot, self._leave(frame, slot)))
            elif slot not in self._data:
                self._fixed[id(frame[slot])] = frame[slot]
        self._taken.append(taken)

    def _number_of(self, frame: Frame) -> int:
        for number, known in enumerate(self._frames):
            if known is frame:
                return number
        self.give_up()
        return 0

    def _take(self, step: Step, flow: Flow, place: Place, frame: Frame) -> None:
        number = self._number_of(frame)
        found = [(slot, frame[slot]) for slot in flow.reads if frame[slot] is not None]
        self._inside = True
        try:
            step(frame)
            if self._lost:
                return
            resolved = None if flow.resolve is None else flow.resolve(frame)
            again, reads = resolved or (step, flow.reads)
        finally:
            self._inside = False
        taken = _Taken(number, again, place, buffers=flow.buffers)
        for slot, value in found:
            if slot in reads and not self._read(taken, slot, value):
                self.give_up()
                return
        written = [slot for slot in flow.writes if frame[slot] is not None]
        if flow.kind is Kind.FREES:
            taken.freed = flow.writes
        elif self._is_fixed(taken, flow):
            self._fixed.update((id(frame[slot]), frame[slot]) for slot in written)
            taken.is_fixed = True
            if not flow.buffers.writes:
                return
        else:
            taken.left = [(slot, self._leave(frame, slot)) for slot in written]
        self._overwrite(taken)
        self._taken.append(taken)

    def _is_fixed(self, taken: _Taken, flow: Flow) -> bool:
        """Whether what a step does depends on no data, here where it has found none."""
        touched = flow.buffers
        if flow.kind not in (Kind.COMPUTES, Kind.FIXED) or taken.data:
            return False
        if not touched.reads and not touched.writes:
            return True
        kept = touched.writes if touched.partly else ()
        follows = taken.frame == 0 and not self._local
        return follows and all(buffer in self._buffers for buffer in (*touched.reads, *kept))

    def _overwrite(self, taken: _Taken) -> None:
        """Follows which buffers hold no data."""
        for buffer in taken.buffers.writes:
            self._buffers = {other for other in self._buffers if not _meet(buffer, other)}
        if taken.is_fixed:
            self._buffers.update(taken.buffers.writes)

    def _read(self, taken: _Taken, slot: int, value: Any) -> bool:
        """Notes what a step finds in a slot. False for data of which it is not known how it came
        there."""
        datum = self._datum(value)
        if datum is not None:
            taken.data.append((slot, datum))
        elif slot in self._data and id(value) not in self._fixed:
            return False
        else:
            taken.fixed.append((slot, value))
        return True

    def _datum(self, value: Any) -> _Datum | None:
        """What stands for an object; None if that depends on no data, or is not known."""
        found = self._known.get(id(value))
        return found[1] if found is not None and found[0]() is value else None

    def _leave(self, frame: Frame, slot: int) -> _Datum:
        """What stands for the object in a slot from now on. An object that is known already is
        replaced: another launch need not have one object for both."""
        value = frame[slot]
        if isinstance(value, Tensor):
            if self._datum(value) is not None or id(value) in self._fixed:
                value = frame[slot] = value.detach()
        elif (known := self._datum(value)) is not None:
            return known
        datum = _Datum()
        self._known[id(value)] = (weakref.ref(value), datum)
        return datum

    def finish(self, touched: tuple[int, int] | None) -> Recording | None:
        """What was recorded; None if it could not be followed. `touched`: see `Recording`."""
        if self._lost:
            return None
        self._taken = list(_needed(self._taken))
        kept = {
            id(value): value.untyped_storage().nbytes()
            for taken in self._taken
            if isinstance(taken, _Taken)
            for slot, value in taken.fixed
            if isinstance(value, Tensor) and value is not self._template[slot]
        }
        if sum(kept.values()) > MOST_BYTES:
            return None
        actions = _Player(self._template).play(self._taken)
        return Recording(tuple(self._template), tuple(actions), touched)


def _meet(one: Interval, other: Interval) -> bool:
    return one.address < other.end and other.address < one.end


def _needed(taken: Sequence[_Taken | _Parted]) -> list[_Taken | _Parted]:
    """What is left without steps that depend on no data and write what only such steps read."""
    read: set[Interval] = set()
    found = []
    for entry in reversed(taken):
        if isinstance(entry, _Taken):
            writes = entry.buffers.writes
            if entry.is_fixed and not any(_meet(a, b) for a in writes for b in read):
                continue
            if entry.frame == 0 and not entry.buffers.partly:
                read.difference_update(writes)
            read.update(entry.buffers.reads)
        found.append(entry)
    return found[::-1]


_Action = tuple[int, Step, Place | None]
"""The number of a frame, what is done with it, and the op that does it."""


class _Player:
    """Turns what was taken into actions: follows what is in the slots, and carries values over
    where that is not what a step found."""

    def __init__(self, template: Sequence[Any]) -> None:
        self._template = template
        self._held: dict[tuple[int, int], Any] = {}

    def play(self, taken: Sequence[_Taken | _Parted]) -> list[_Action]:
        """All actions, in order."""
        last: dict[_Datum, int] = {}
        for at, entry in enumerate(taken):
            source = entry.source if isinstance(entry, _Parted) else entry.frame
            for slot, datum in entry.data:
                if self._holds(source, slot) is not datum:
                    last[datum] = at
            self._follow(entry, source)
        self._held.clear()
        actions: list[_Action] = []
        for at, entry in enumerate(taken):
            source = entry.source if isinstance(entry, _Parted) else entry.frame
            for slot, datum in entry.data:
                if self._holds(source, slot) is not datum:
                    actions.append((source, _carry(slot, datum, last[datum] == at), None))
            if isinstance(entry, _Taken):
                wanted = [(s, v) for s, v in entry.fixed if self._holds(source, s) is not v]
                if wanted:
                    actions.append((source, _set(tuple(wanted)), None))
                actions.append((source, entry.step, entry.place))
            else:
                slots = [slot for slot, _ in entry.data]
                actions.append((source, _part(entry.group, entry.positions, slots), None))
            actions += [
                (entry.frame, _keep(slot, datum), None)
                for slot, datum in entry.left
                if last.get(datum, -1) > at
            ]
            self._follow(entry, source)
        return actions

    def _holds(self, frame: int, slot: int) -> Any:
        return self._held.get((frame, slot), self._template[slot])

    def _follow(self, entry: _Taken | _Parted, source: int) -> None:
        self._held.update({(source, slot): datum for slot, datum in entry.data})
        if isinstance(entry, _Taken):
            self._held.update({(source, slot): value for slot, value in entry.fixed})
            self._held.update({(source, slot): None for slot in entry.freed})
        self._held.update({(entry.frame, slot): datum for slot, datum in entry.left})


def _set(values: tuple[tuple[int, Any], ...]) -> Step:
    def put(frame: Frame) -> None:
        for slot, value in values:
            frame[slot] = value

    return put


def _keep(slot: int, datum: _Datum) -> Step:
    def keep(frame: Frame) -> None:
        assert isinstance(frame.run, Repetition)
        frame.run.kept[datum] = frame[slot]

    return keep


def _carry(slot: int, datum: _Datum, is_last: bool) -> Step:
    def carry(frame: Frame) -> None:
        assert isinstance(frame.run, Repetition)
        kept = frame.run.kept
        frame[slot] = kept.pop(datum) if is_last else kept[datum]

    return carry


def _part(group: CoreGroup, positions: Tensor, slots: Sequence[int]) -> Step:
    def part(frame: Frame) -> None:
        assert isinstance(frame.run, Repetition)
        inner = Frame(frame.template, frame.run, group)
        for slot in slots:
            inner[slot] = narrow(frame[slot], positions)
        frame.run.frames.append(inner)

    return part


class Repetition(KernelRun):
    """A launch that repeats another one: its frames, by number, and values that will be carried to
    other slots."""

    frames: list[Frame]
    kept: dict[_Datum, Any]


class ChangedError(Exception):
    """A launch turns out not to repeat the one that was recorded."""


@dataclasses.dataclass(frozen=True)
class Recording:
    """The steps of a launch that depend on data, for others that repeat it. `touched`: the bytes of
    scratchpads that it addresses, if any."""

    template: tuple[Any, ...]
    actions: tuple[_Action, ...]
    touched: tuple[int, int] | None

    def play(self, run: Repetition) -> None:
        """Runs the steps. Raises what they raise, located, and ChangedError."""
        frames = run.frames = [Frame(self.template, run, run.everyone)]
        run.kept = {}
        place: Place | None = None
        try:
            for number, step, place in self.actions:  # noqa: B007  (an error needs the place)
                step(frames[number])
        except (Divergence, OutOfStep) as error:
            raise ChangedError from error
        except KtirError as error:
            error.locate(str(place))
            raise
