"""A decoded block: steps on a frame, in order.

Owns how a block runs, where errors gain the place of their op, and what happens to the rest of a
block when an op finds that its cores have to go on apart (`Divergence`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from torch import Tensor

from ktir.errors import KtirError, MachineError
from ktir.machine.frame import Divergence, Frame, merge
from ktir.machine.location import Place

Step = Callable[[Frame], None]
"""A decoded op: reads and writes slots of the frame."""


Resolve = Callable[[Frame], tuple[Step, tuple[int, ...]] | None]
"""A step that does the same once more, to other data at the same places, and the slots it reads;
made when a step has just run. None if that is the step itself."""


class Kind(Enum):
    """What a step is for one who records: `CARRIES` only runs blocks and passes values on, `FIXED`
    depends on data only if its results do, `COMPUTES` as far as what it reads is data, `MOVES`
    always, `FREES` lets go of tensors."""

    CARRIES = 1
    FIXED = 2
    COMPUTES = 3
    MOVES = 4
    FREES = 5


class Interval(Protocol):
    """A buffer: bytes [address, end) of the scratchpad; equal ones have equal elements."""

    @property
    def address(self) -> int: ...
    @property
    def end(self) -> int: ...


@dataclass(frozen=True)
class Touched:
    """The buffers that a step reads and writes; `partly`: it need not write all elements."""

    reads: tuple[Interval, ...] = ()
    writes: tuple[Interval, ...] = ()
    partly: bool = False


@dataclass(frozen=True)
class Flow:
    """The slots that a step reads and writes, as far as others see them, and the buffers."""

    kind: Kind
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    resolve: Resolve | None = None
    buffers: Touched = Touched()


@dataclass(frozen=True)
class Block:
    """A decoded block. `captured` are the slots it reads that were defined outside of it. `flows`
    are there for blocks that may be recorded.

    After `run`, the values that its terminator passes on are in the slots `results`.
    """

    arguments: tuple[int, ...]
    steps: tuple[Step, ...]
    places: Mapping[Step, Place]
    results: tuple[int, ...]
    captured: tuple[int, ...]
    flows: Mapping[Step, Flow] = dataclasses.field(default_factory=dict)

    def run(self, frame: Frame) -> None:
        """Runs the ops in order. An error of this package gains the location of its op."""
        self._run_from(0, frame)

    def _run_from(self, start: int, frame: Frame) -> None:
        step: Step = _nothing
        recorder = frame.run.recorder
        try:
            for step in self.steps[start:] if start else self.steps:
                if recorder is None:
                    step(frame)
                else:
                    recorder.perform(step, self, frame)
        except Divergence as found:
            if recorder is not None:
                recorder.give_up()
            try:
                self._continue(self.steps.index(step) + found.done, frame, found.groups)
            except KtirError as error:
                error.locate(str(self.places[step]))
                raise
        except KtirError as error:
            error.locate(str(self.places[step]))
            raise
        except (MemoryError, RuntimeError) as error:
            if not _is_lack_of_memory(error):
                raise
            raise MachineError(
                f"{self.places[step]}: its result needs more memory than this computer has; values "
                "live in a scratchpad, so use smaller tiles"
            ) from error

    def _continue(self, start: int, frame: Frame, groups: Sequence[Tensor]) -> None:
        """Runs the ops from `start` on for each group of cores in turn."""
        held = frame.held()
        parts = []
        for positions in groups:
            inner = frame.narrowed(positions, held)
            self._run_from(start, inner)
            parts.append((positions, [inner[slot] for slot in self.results]))
        for number, slot in enumerate(self.results):
            values = [(positions, found[number]) for positions, found in parts]
            frame[slot] = merge(values, frame.group.size)


def _is_lack_of_memory(error: Exception) -> bool:
    """Whether numpy or torch could not allocate an array."""
    return isinstance(error, MemoryError) or "allocate memory" in str(error)


def _nothing(frame: Frame) -> None:
    """A step that does nothing."""
