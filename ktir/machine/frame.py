"""What decoded programs run on: frames of slots, the cores that run, and values that differ by
core.

Owns `Frame`, `CoreGroup` and `Run`, the two moves of divergent control flow: `narrow` a value
to some cores and `merge` values of disjoint groups, and `Divergence`, by which an op asks for them.
A dialect with memories or counters extends `Run`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ktir.errors import MachineError, UnsupportedError
from ktir.machine.garbage import Garbage


class Divergence(Exception):
    """Raised by an op that needs one value for all cores and found several, before it did anything;
    or when it is `done`, if its results have different shapes.

    What is left of its block then runs for each group of cores with equal values. `groups` are
    positions (int64) in the present group; together they are all of it.
    """

    def __init__(self, values: Sequence[Hashable], done: bool = False) -> None:
        super().__init__("values differ by core")
        self.done = done
        found: dict[Hashable, list[int]] = {}
        for position, value in enumerate(values):
            found.setdefault(value, []).append(position)
        self.groups = [torch.tensor(positions) for positions in found.values()]


@runtime_checkable
class CoreValue(Protocol):
    """A value that is no tensor but may differ by core, such as a view at an address of each."""

    def narrow(self, positions: Tensor) -> Any:
        """The value for the cores at these positions (int64) of the present group."""


class Recorder(Protocol):
    """Follows a run, see `recording`."""

    def perform(self, step: Any, block: Any, frame: Frame) -> None:
        """Runs a step of a block."""

    def part(self, source: Frame, frame: Frame, positions: Tensor, slots: Sequence[int]) -> None:
        """Notes a frame for the cores at positions of another one."""

    def fits(self, steps: int) -> bool:
        """Whether there is room for so many steps more; stops following if not."""

    def give_up(self) -> None:
        """Stops following."""


class CoreGroup:
    """The cores that run together, in ascending order.

    `numbers`: int64 [size], each core's number; dimension 0 of the grid is fastest. `is_all`:
    whether every core of the run is here, once.
    Where several iterations of a loop run at once, a core is here once for each of them, and
    `rounds`, int64 [size], counts them; else it is None.
    `rows`, int64 [size]: each core's row in memories of all that began together, in as many rows;
    `is_whole`: whether they are all here.
    """

    def __init__(self, grid: Sequence[int], numbers: Tensor) -> None:
        self.grid = tuple(grid)
        self.numbers = self.rows = numbers
        self.rounds: Tensor | None = None
        self.size = int(numbers.shape[0])
        self.is_all = self.is_whole = self.size == math.prod(self.grid)

    @functools.cached_property
    def coordinates(self) -> tuple[Tensor, ...]:
        """The coordinates in the grid: one int64 tensor [size] a dimension."""
        strides = [math.prod(self.grid[:d]) for d in range(len(self.grid))]
        zipped = zip(strides, self.grid, strict=True)
        return tuple(self.numbers // stride % extent for stride, extent in zipped)

    def narrow(self, positions: Tensor) -> CoreGroup:
        """The cores at these positions (int64) of this group."""
        group = CoreGroup(self.grid, self.numbers[positions])
        group.rows = self.rows[positions]
        if self.rounds is not None:
            group.rounds = self.rounds[positions]
            group.is_all = group.is_whole = False
        return group

    def stacked(self, count: int) -> CoreGroup:
        """Every core `count` times, one after the other."""
        again = torch.arange(count).repeat(self.size)
        if self.rounds is not None:
            again += self.rounds.repeat_interleave(count) * count
        group = CoreGroup(self.grid, self.numbers.repeat_interleave(count))
        group.rounds, group.rows = again, torch.arange(group.size)
        group.is_all, group.is_whole = False, True
        return group

    @functools.cached_property
    def runs(self) -> npt.NDArray[np.int64]:
        """How often each core of the grid is here, [cores]."""
        return np.bincount(self.numbers.numpy(), minlength=math.prod(self.grid))

    @functools.cached_property
    def owners(self) -> Tensor:
        """A number that tells core and round apart, int64 [size]."""
        cores = math.prod(self.grid)
        return self.numbers if self.rounds is None else self.numbers + cores * self.rounds


class Run:
    """The state of one execution, shared by its frames. Subclasses add memories and counters.

    `live_bytes`: tiles that live around the block that runs, where that is watched. `recorder`
    follows a run that may be repeated. `garbage` are its undefined contents, where those are
    watched.
    """

    live_bytes = 0
    garbage: Garbage | None = None
    recorder: Recorder | None = None

    def __init__(self, grid: Sequence[int] = ()) -> None:
        self.grid = tuple(grid)
        self.cores = math.prod(self.grid)
        self.everyone = _everyone(self.grid)


@functools.lru_cache(maxsize=64)
def _everyone(grid: tuple[int, ...]) -> CoreGroup:
    return CoreGroup(grid, torch.arange(math.prod(grid)))


class Frame(list[Any]):
    """The values of one activation of a function, by slot; with the run and the cores it is for.

    A tensor in a slot has a leading axis of length 1 (the same on all cores) or `group.size`.
    `template` has the constants and None elsewhere.
    """

    __slots__ = ("group", "run", "template")

    def __init__(self, template: Sequence[Any], run: Run, group: CoreGroup) -> None:
        super().__init__(template)
        self.template = template
        self.run = run
        self.group = group

    def narrowed(self, positions: Tensor, slots: Sequence[int]) -> Frame:
        """A frame for the cores at `positions` of the group: constants, and `slots` of this one."""
        frame = Frame(self.template, self.run, self.group.narrow(positions))
        for slot in slots:
            frame[slot] = narrow(self[slot], positions)
        if self.run.recorder is not None:
            self.run.recorder.part(self, frame, positions, slots)
        return frame

    def stacked(self, count: int, slots: Sequence[int]) -> Frame:
        """A frame for every core of the group `count` times: constants, and `slots` of this one."""
        frame = Frame(self.template, self.run, self.group.stacked(count))
        positions = torch.arange(self.group.size).repeat_interleave(count)
        for slot in slots:
            frame[slot] = narrow(self[slot], positions)
        return frame

    def held(self) -> list[int]:
        """The slots that hold something that is not in every new frame."""
        return [
            slot
            for slot, (value, initial) in enumerate(zip(self, self.template, strict=True))
            if value is not initial
        ]


def is_uniform(value: Any) -> bool:
    """Whether a tensor is held once for all cores."""
    return isinstance(value, Tensor) and value.shape[0] == 1


def narrow(value: Any, positions: Tensor) -> Any:
    """`value` for the cores at `positions` (int64) of the group that it is for."""
    if isinstance(value, Tensor):
        return value if value.shape[0] == 1 else value.index_select(0, positions)
    return value.narrow(positions) if isinstance(value, CoreValue) else value


def merge(parts: Sequence[tuple[Tensor, Any]], size: int) -> Any:
    """One value for `size` cores from the values of groups that together are all of them.

    `parts`: positions (int64) and value. Tensors of different shapes become a `Ragged`. Raises
    MachineError for different values that are no tensors.
    """
    values = [value for _, value in parts]
    first = values[0]
    shared = all(value is first for value in values)
    if shared and (not isinstance(first, Tensor) or is_uniform(first) or len(parts) == 1):
        return first
    if any(isinstance(value, Ragged) for value in values):
        return Ragged([part for positions, value in parts for part in _apart(positions, value)])
    if not all(isinstance(value, Tensor) for value in values):
        raise MachineError(
            "cores that took different ways bring different values that are no tensors"
        )
    if len({value.shape[1:] for value in values}) > 1:
        return Ragged(parts)
    result = first.new_empty((size, *first.shape[1:]))
    for positions, value in parts:
        result[positions] = value
    return result


class Ragged:
    """A tensor whose shape differs by core, as `parts`: positions (int64) and a tensor for those.

    No op computes with it: cores with equal shapes go on apart from the others, see `put`.
    """

    def __init__(self, parts: Sequence[tuple[Tensor, Any]]) -> None:
        self.parts = list(parts)
        size = sum(positions.shape[0] for positions, _ in parts)
        self._part = torch.empty(size, dtype=torch.int64)
        self._place = torch.empty(size, dtype=torch.int64)
        for number, (positions, _) in enumerate(parts):
            self._part[positions] = number
            self._place[positions] = torch.arange(positions.shape[0])

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shape on each core."""
        shapes = [tuple(tensor.shape[1:]) for _, tensor in self.parts]
        return [shapes[number] for number in self._part.tolist()]

    def narrow(self, positions: Tensor) -> Any:
        """The value for the cores at these positions: a tensor if their shapes are equal."""
        numbers = self._part[positions]
        found = []
        for number in sorted(set(numbers.tolist())):
            own = (numbers == number).nonzero().flatten()
            places = self._place[positions[own]]
            found.append((own, narrow(self.parts[number][1], places)))
        return merge(found, positions.shape[0])


def _apart(positions: Tensor, value: Any) -> list[tuple[Tensor, Any]]:
    parts = value.parts if isinstance(value, Ragged) else [(slice(None), value)]
    return [(positions[own], tensor) for own, tensor in parts]


def put(frame: Frame, slots: Sequence[int], values: Sequence[Any]) -> None:
    """Puts the results of an op that is done into slots.

    Raises Divergence if one is ragged, so that each shape goes on alone.
    """
    shapes = []
    for slot, value in zip(slots, values, strict=True):
        frame[slot] = value
        if isinstance(value, Ragged):
            shapes.append(value.shapes)
    if shapes:
        raise Divergence(list(zip(*shapes, strict=True)), done=True)


def steady(values: list[Any]) -> list[Any]:
    """Values that a loop carries on. Raises UnsupportedError if one is ragged."""
    for value in values:
        if isinstance(value, Ragged):
            raise UnsupportedError(
                f"a loop carries a tensor whose shape differs by core: {sorted(set(value.shapes))}"
            )
    return values
