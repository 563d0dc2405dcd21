"""The sizes of tensors that loops carry and branches yield.

Owns which of them change on the way: those become scalars that go with the tensor, under one key
inside and behind the loop. A buffer has room for the largest size that arrives, so the body of a
loop is read again when it turns out that a size changes or needs more room.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.lowering.control_steps import CarriedScalar, JoinedScalar, PassedScalar
from ktir.passes.lowering.index import Index, Made
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.shapes import widened
from ktir.passes.lowering.steps import Slot, Step, extents_in
from ktir.passes.lowering.values import Passed

_ANY = 1 << 40
"""Room for more than any scratchpad has."""


@dataclasses.dataclass(frozen=True)
class Fitted:
    """What a loop carries from `starts` on and what its body yields, in buffers of the room; the
    sizes that go with it, and the `steps` behind the body that move what it yields."""

    starts: list[Passed]
    yielded: list[Passed]
    scalars: tuple[CarriedScalar, ...]
    steps: list[Step]


class CarriedSizes:
    """The room for what a loop carries from `starts` on, and the sizes that change."""

    def __init__(self, selection: Selection, op: ir.Operation, starts: Sequence[Passed]) -> None:
        self._selection = selection
        self._op = op
        self._first: dict[tuple[int, int], int] = {}
        self._own: set[Made] = set()
        self._slots = [
            dataclasses.replace(start) if isinstance(start, Slot) else None for start in starts
        ]

    def slot(self, number: int) -> Slot:
        """The slot that carries a tensor."""
        slot = self._slots[number]
        assert slot is not None
        return slot

    def settles(self, yielded: Sequence[Passed]) -> bool:
        """Whether the room and what is known of the sizes hold for what the body yields; else they
        are other ones from now on. Raises UnsupportedError for a size that only grows."""
        found = True
        for number, (slot, end) in enumerate(zip(self._slots, yielded, strict=True)):
            if slot is None or not isinstance(end, Slot):
                continue
            shape = tuple(
                self._room((number, dim), room, needed)
                for dim, (room, needed) in enumerate(zip(slot.shape, end.shape, strict=True))
            )
            sizes = tuple(
                a if a == b or a in self._own else self._key()
                for a, b in zip(slot.sizes, end.sizes, strict=True)
            )
            if shape != slot.shape or sizes != slot.sizes:
                found = False
                extents = extents_in(shape, sizes)
                self._slots[number] = dataclasses.replace(slot, shape=shape, extents=extents)
        for carried in self._slots:
            for key, room in ({} if carried is None else self._keys(carried)).items():
                self._selection.bounds.limit(key, room)
        if not found:
            self._selection.ranges.forget()
        return found

    def _room(self, place: tuple[int, int], room: int, needed: int) -> int:
        """The room for a dimension in the next reading of the body, whose end needed so much.

        Where it is too small, the body is read once as if there were room for any size, to see
        whether it bounds the size by itself.
        """
        if room == _ANY:
            room = max(self._first[place], needed)
        elif needed > room and place not in self._first:
            self._first[place], room = room, _ANY
            return room
        if needed > room or room >= _ANY:
            raise self._selection.refusal(
                self._op,
                "it carries a tensor whose size grows without a bound that is known; bound the "
                "size with arith.minsi, or carry a tensor of the final size",
            )
        return room

    def fit(self, starts: Sequence[Passed], yielded: Sequence[Passed]) -> Fitted:
        """Appends what moves the starts, once the sizes have settled."""
        scalars = self._scalars(starts, yielded)
        first = self._fitted(starts)
        with self._selection.nested() as steps:
            return Fitted(first, self._fitted(yielded), scalars, steps)

    def _scalars(
        self, starts: Sequence[Passed], yielded: Sequence[Passed]
    ) -> tuple[CarriedScalar, ...]:
        """The sizes that the loop carries."""
        return tuple(
            CarriedScalar(key, start.sizes[dim], end.sizes[dim], key)
            for slot, start, end in zip(self._slots, starts, yielded, strict=True)
            if slot is not None and isinstance(start, Slot) and isinstance(end, Slot)
            for dim, key in enumerate(slot.sizes)
            if isinstance(key, Made) and key in self._own
        )

    def _fitted(self, values: Sequence[Passed]) -> list[Passed]:
        """What arrives, in buffers of the room; appends what moves it."""
        return [
            widened(self._selection, self._op, value, slot.shape)
            if slot is not None and isinstance(value, Slot)
            else value
            for slot, value in zip(self._slots, values, strict=True)
        ]

    def _key(self) -> Made:
        key = Made("a size that a loop carries", ir.IndexType.get())
        self._own.add(key)
        return key

    def _keys(self, slot: Slot) -> dict[Made, int]:
        """The sizes of a slot that are scalars which the loop carries, and the room for them."""
        return {
            size: room
            for size, room in zip(slot.sizes, slot.shape, strict=True)
            if isinstance(size, Made) and size in self._own
        }


def passed_sizes(
    selection: Selection, inside: Sequence[Passed], passed: Sequence[Passed]
) -> tuple[list[Passed], list[PassedScalar]]:
    """Slots for what the condition of a while loop passes on, and their sizes that do so as
    scalars: all but those that are known, or that a tensor carried into the condition, of
    `inside`, has had before the loop."""
    before = {size for slot in inside if isinstance(slot, Slot) for size in slot.sizes}
    slots: list[Passed] = []
    scalars: list[PassedScalar] = []
    for value in passed:
        if not isinstance(value, Slot) or not value.extents:
            slots.append(dataclasses.replace(value) if isinstance(value, Slot) else value)
            continue
        extents: list[Index] = []
        for size, room in zip(value.sizes, value.shape, strict=True):
            if isinstance(size, int) or (size in before and not isinstance(size, Made)):
                extents.append(size)
                continue
            key = Made("a size that a condition passes on", ir.IndexType.get())
            selection.bounds.limit(key, room)
            scalars.append(PassedScalar(key, size, key))
            extents.append(key)
        slots.append(dataclasses.replace(value, extents=tuple(extents)))
    return slots, scalars


def joined_sizes(
    selection: Selection,
    op: ir.Operation,
    sides: Sequence[tuple[list[Step], list[Passed]]],
    number: int,
) -> tuple[Slot, list[JoinedScalar]]:
    """A slot for what both sides of a branch yield as its value `number`, of open size, and the
    sizes that the branch yields with it. Both sides get buffers of the room of the slot."""
    a, b = (yielded[number] for _, yielded in sides)
    assert isinstance(a, Slot)
    assert isinstance(b, Slot)
    shape = tuple(max(pair) for pair in zip(a.shape, b.shape, strict=True))
    extents: list[Index] = []
    scalars: list[JoinedScalar] = []
    for size, other, room in zip(a.sizes, b.sizes, shape, strict=True):
        if size == other:
            extents.append(size)
            continue
        key = Made("a size that a branch yields", ir.IndexType.get())
        selection.bounds.limit(key, room)
        scalars.append(JoinedScalar(key, size, other))
        extents.append(key)
    for steps, yielded in sides:
        with selection.nested() as more:
            value = yielded[number]
            assert isinstance(value, Slot)
            yielded[number] = widened(selection, op, value, shape)
        steps += more
    slot = dataclasses.replace(a, shape=shape, extents=extents_in(shape, extents))
    return slot, scalars
