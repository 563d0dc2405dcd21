"""Where each slot of a kernel lies, and which moves are left to do.

Owns the sharing of places: a slot takes the place of the one it starts as a copy of, or is computed
from, if at no point both are needed. Copies in deep loops are saved first. Then the one allocator
(`ktir.scratchpad`) gives every place an address. The moves of a join happen together, so what is
left of them is put in an order in which none overwrites the source of a later one; a cycle, such as
two iteration arguments that swap, goes through a temporary slot.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ktir.errors import PlanError
from ktir.layout import STICK_BYTES
from ktir.passes.lowering.liveness import Interval, Join, Lifetimes, Transition, lifetimes
from ktir.passes.lowering.steps import Slot, Step
from ktir.scratchpad import Buffer, Range, allocate


@dataclasses.dataclass(frozen=True)
class Placement:
    """Addresses in bytes by slot, the peak, the first byte that may be taken, and the moves of
    every join in a safe order."""

    addresses: dict[Slot, int]
    peak: int
    moves: dict[tuple[Step, str], list[tuple[Slot, Slot]]]
    first: int = 0

    def is_same(self, a: Slot, b: Slot) -> bool:
        """Whether two slots that are alive together have one place."""
        return self.addresses[a] == self.addresses[b]


def place(steps: Sequence[Step], capacity: int, reserved: Sequence[Range] = ()) -> Placement:
    """Gives every slot of `steps` an address below `capacity` bytes and outside what is reserved.

    Raises PlanError, from the allocator, if they do not fit.
    """
    lives = lifetimes(steps)
    places = _Places(lives)
    _unite(lives, places)
    moves = {(join.step, join.place): _ordered(join, places) for join in lives.joins}
    buffers, owners = places.buffers()
    allocation = allocate(buffers, capacity, reserved=reserved)
    addresses = {slot: allocation.addresses[owners[slot]] for slot in owners}
    return Placement(addresses, allocation.peak, moves)


def place_high(steps: Sequence[Step], capacity: int, reserved: Sequence[Range] = ()) -> Placement:
    """As `place`, with all slots as near to the end of the capacity as is found to be possible."""
    found = place(steps, capacity, reserved)
    first = (capacity - found.peak) // STICK_BYTES * STICK_BYTES
    while first > 0:
        try:
            high = place(steps, capacity, [*reserved, (0, first)])
        except PlanError:
            # What is reserved is in the way; less room is left below.
            first = first // 2 // STICK_BYTES * STICK_BYTES
        else:
            return dataclasses.replace(high, first=first)
    return found


def _unite(lives: Lifetimes, places: _Places) -> None:
    """Lets slots share places, in the order of what it saves.

    Copies in the deepest loops come first. A value computed from one that a loop carries takes its
    place before others are considered: then the copy at the end of the loop is saved as well.
    """
    for transition in sorted(lives.moves, key=lambda t: (-t.depth, t.point)):
        places.unite(transition)
    for transition in lives.reuses:
        if places.joins(transition.src):
            places.unite(transition)
    for transition in lives.reuses:
        places.unite(transition)


class _Places:
    """Slots in sets that share a place."""

    def __init__(self, lives: Lifetimes) -> None:
        self._parent: dict[Slot, Slot] = {}
        self._intervals: dict[Slot, list[tuple[int, int, Slot]]] = {}
        self._joining: dict[Slot, bool] = {}
        for slot, intervals in lives.intervals.items():
            self.add(slot, intervals, slot in lives.joining)
        self._harmless = {(t.src, t.dst, t.point) for t in (*lives.moves, *lives.reuses)}

    def add(self, slot: Slot, intervals: Sequence[Interval], joining: bool = False) -> None:
        self._parent[slot] = slot
        self._intervals[slot] = [(start, end, slot) for start, end in intervals]
        self._joining[slot] = joining

    def root(self, slot: Slot) -> Slot:
        while self._parent[slot] is not slot:
            slot = self._parent[slot]
        return slot

    def joins(self, slot: Slot) -> bool:
        """Whether the place of `slot` is that of a slot which a loop carries or a branch yields."""
        return self._joining[self.root(slot)]

    def unite(self, transition: Transition) -> None:
        """Gives source and destination one place if at no point both are needed."""
        src, dst = self.root(transition.src), self.root(transition.dst)
        if src is dst or transition.src.size != transition.dst.size or self._clash(src, dst):
            return
        self._parent[dst] = src
        self._intervals[src] += self._intervals.pop(dst)
        self._joining[src] |= self._joining.pop(dst)

    def _clash(self, a: Slot, b: Slot) -> bool:
        return any(
            max(start, other_start) <= min(end, other_end)
            and not self._hands_over(x, (start, end), y, (other_start, other_end))
            and not self._hands_over(y, (other_start, other_end), x, (start, end))
            for start, end, x in self._intervals[a]
            for other_start, other_end, y in self._intervals[b]
        )

    def _hands_over(self, src: Slot, before: Interval, dst: Slot, after: Interval) -> bool:
        """Whether the only common point is where `src` ends and `dst` starts as its copy."""
        return before[1] == after[0] and (src, dst, after[0]) in self._harmless

    def buffers(self) -> tuple[list[Buffer], dict[Slot, str]]:
        """What to allocate, and the name of the buffer of each slot."""
        buffers = []
        owners: dict[Slot, str] = {}
        names: dict[Slot, str] = {}
        for slot in self._parent:
            root = self.root(slot)
            if root not in names:
                names[root] = f"#{len(names)} {root.name}"
                intervals = self._intervals[root]
                start = min(interval[0] for interval in intervals)
                end = max(interval[1] for interval in intervals)
                buffers.append(Buffer(names[root], root.size, start, end))
            owners[slot] = names[root]
        return buffers, owners


def _ordered(join: Join, places: _Places) -> list[tuple[Slot, Slot]]:
    """The moves of a join that are left, one after the other, cycles broken by temporaries."""
    pending = [
        (t.src, t.dst) for t in join.transitions if places.root(t.src) is not places.root(t.dst)
    ]
    point = join.transitions[0].point
    done = []
    while pending:
        sources = [places.root(src) for src, _ in pending]
        free = [i for i, (_, dst) in enumerate(pending) if places.root(dst) not in sources]
        if free:
            done.append(pending.pop(free[0]))
            continue
        src, dst = pending[0]
        saved = dataclasses.replace(src, name=f"a temporary copy of {src.name}")
        places.add(saved, [(point, point)])
        done.append((src, saved))
        pending[0] = (saved, dst)
    return done
