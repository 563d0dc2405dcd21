"""When each slot of a kernel lives, in program points.

Owns the numbering of steps and the lifetimes. A lifetime is a list of intervals of points, both
ends included:

- an ordinary slot lives from its first write to its last use. A use inside a loop that the slot
  was written outside of counts as one at the end of that loop, since the next iteration needs it;
- a slot that a loop carries lives from the start of the loop to its last use in the body, and again
  from the end of the loop, where the next value arrives, to its last use behind the loop. Between
  the two the value is dead, so a value that replaces it may be made in the same place;
- what the condition of a while loop passes on lives from there to its last use in the body, and
  again from a point behind the loop. Between the two it is dead: the condition passes it on anew
  before the loop ends;
- the result of a branch lives where each side ends, and from the end of the branch on.

Every join of control flow is a point of its own, at which all its moves happen together.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ktir.layout import STICK_BYTES, element_bytes
from ktir.passes.lowering.control_steps import Branch, Carried, Loop, While
from ktir.passes.lowering.steps import Compute, Move, Reshape, Slot, Step

Interval = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Transition:
    """At `point`, `dst` becomes a copy of `src`; `depth` counts the loops around."""

    point: int
    depth: int
    src: Slot
    dst: Slot


@dataclasses.dataclass(frozen=True)
class Join:
    """The moves that happen together at a point where control flow joins.

    `place` is "entry" or "back" of a loop, "condition" of a while loop, "then" or "otherwise" of a
    branch.
    """

    step: Step
    place: str
    transitions: tuple[Transition, ...]


@dataclasses.dataclass
class Lifetimes:
    """What liveness finds.

    `reuses` are not copies: at that point `dst` is computed from `src`, element by element, so that
    it may take its place. `joining` are the slots that loops carry and branches yield.
    """

    intervals: dict[Slot, list[Interval]]
    moves: list[Transition]
    reuses: list[Transition]
    joins: list[Join]
    joining: set[Slot]


def lifetimes(steps: Sequence[Step]) -> Lifetimes:
    """Numbers the steps and finds when each slot lives."""
    walker = _Walker()
    walker.block(steps)
    return walker.result()


def lie_equally(src: Slot, dst: Slot) -> bool:
    """Whether the padded layouts of two shapes of equally many elements are byte for byte equal."""
    if src.element != dst.element:
        return False
    a, b = _row(src), _row(dst)
    return a == b or (a % STICK_BYTES == 0 and b % STICK_BYTES == 0)


def _row(slot: Slot) -> int:
    """Bytes of a row without padding; a single element is a row of its own."""
    return (slot.shape[-1] if slot.shape else 1) * element_bytes(str(slot.element))


_Repeated = Loop | While
_Stack = tuple[_Repeated, ...]


class _Walker:
    def __init__(self) -> None:
        self._point = 0
        self._stack: _Stack = ()
        self._written: dict[Slot, tuple[int, _Stack]] = {}
        self._uses: dict[Slot, list[tuple[int, _Stack]]] = {}
        self._loop_ends: dict[_Repeated, int] = {}
        self._around: dict[Slot, tuple[_Repeated, int, int]] = {}
        self._branch_ends: dict[Slot, tuple[int, int]] = {}
        self._moves: list[Transition] = []
        self._reuses: list[Transition] = []
        self._joins: list[Join] = []

    def block(self, steps: Sequence[Step]) -> None:
        for step in steps:
            if isinstance(step, Loop):
                self._loop(step)
            elif isinstance(step, While):
                self._while(step)
            elif isinstance(step, Branch):
                self._branch(step)
            else:
                self._simple(step)

    def _simple(self, step: Step) -> None:
        point = self._next()
        for slot in step.reads():
            self._use(slot, point)
        for slot in step.writes():
            self._write(slot, point)
        if isinstance(step, Move) or (
            isinstance(step, Reshape) and lie_equally(step.src, step.dst)
        ):
            self._moves.append(self._transition(point, step.src, step.dst))
        if isinstance(step, Compute):
            output = step.outputs[0]
            self._reuses += [self._transition(point, slot, output) for slot in step.reusable]

    def _loop(self, loop: Loop) -> None:
        entry = self._enter(loop, loop.carried)
        self.block(loop.body)
        self._leave(loop, loop.carried, entry)

    def _while(self, loop: While) -> None:
        entry = self._enter(loop, loop.carried)
        self.block(loop.before)
        condition = self._next()
        for passed in loop.passed:
            self._use(passed.passed, condition)
            self._written[passed.slot] = (condition, self._stack[:-1])
        self._join(loop, "condition", condition, [(p.passed, p.slot) for p in loop.passed])
        self.block(loop.after)
        self._leave(loop, loop.carried, entry)
        behind = self._next()
        for passed in loop.passed:
            self._around[passed.slot] = (loop, condition, behind)

    def _enter(self, loop: _Repeated, carried: Sequence[Carried]) -> int:
        """The point where a loop starts."""
        entry = self._next()
        for value in carried:
            self._use(value.init, entry)
            self._write(value.slot, entry)
        self._join(loop, "entry", entry, [(c.init, c.slot) for c in carried])
        self._stack = (*self._stack, loop)
        return entry

    def _leave(self, loop: _Repeated, carried: Sequence[Carried], entry: int) -> None:
        back = self._loop_ends[loop] = self._next()
        for value in carried:
            self._use(value.yielded, back)
            self._around[value.slot] = (loop, entry, back)
        self._join(loop, "back", back, [(c.yielded, c.slot) for c in carried])
        self._stack = self._stack[:-1]

    def _branch(self, branch: Branch) -> None:
        self.block(branch.then)
        then = self._next()
        for joined in branch.joined:
            self._use(joined.then, then)
            self._write(joined.slot, then)
        self._join(branch, "then", then, [(j.then, j.slot) for j in branch.joined])
        self.block(branch.otherwise)
        otherwise = self._next()
        for joined in branch.joined:
            self._use(joined.otherwise, otherwise)
            self._branch_ends[joined.slot] = (then, otherwise)
        self._join(branch, "otherwise", otherwise, [(j.otherwise, j.slot) for j in branch.joined])

    def _join(self, step: Step, place: str, point: int, pairs: list[tuple[Slot, Slot]]) -> None:
        transitions = tuple(self._transition(point, src, dst) for src, dst in pairs)
        if transitions:
            self._moves += transitions
            self._joins.append(Join(step, place, transitions))

    def _next(self) -> int:
        self._point += 1
        return self._point

    def _transition(self, point: int, src: Slot, dst: Slot) -> Transition:
        return Transition(point, len(self._stack), src, dst)

    def _use(self, slot: Slot, point: int) -> None:
        self._uses.setdefault(slot, []).append((point, self._stack))

    def _write(self, slot: Slot, point: int) -> None:
        if slot in self._written:
            self._use(slot, point)
        else:
            self._written[slot] = (point, self._stack)

    def result(self) -> Lifetimes:
        return Lifetimes(
            intervals={slot: self._intervals(slot) for slot in self._written},
            moves=self._moves,
            reuses=self._reuses,
            joins=self._joins,
            joining={*self._around, *self._branch_ends},
        )

    def _intervals(self, slot: Slot) -> list[Interval]:
        point, stack = self._written[slot]
        uses = self._uses.get(slot, [])
        if slot in self._around:
            return self._intervals_around(slot, stack, uses)
        last = max((self._felt(use, stack) for use in uses), default=point)
        if slot in self._branch_ends:
            then, otherwise = self._branch_ends[slot]
            return [(then, then), (otherwise, max(last, otherwise))]
        return [(point, max(last, point))]

    def _intervals_around(
        self, slot: Slot, stack: _Stack, uses: Sequence[tuple[int, _Stack]]
    ) -> list[Interval]:
        """Of a slot that is written anew in every iteration: one inside the loop, one behind."""
        loop, first, again = self._around[slot]
        inner = (*stack, loop)
        inside = [self._felt(use, inner) for use in uses if use[1][: len(inner)] == inner]
        behind = [self._felt(use, stack) for use in uses if use[1][: len(inner)] != inner]
        return [(first, max(inside, default=first)), (again, max(behind, default=again))]

    def _felt(self, use: tuple[int, _Stack], home: _Stack) -> int:
        """Until when a use keeps a slot alive that was written in the loops `home`."""
        point, stack = use
        return self._loop_ends[stack[len(home)]] if len(stack) > len(home) else point
