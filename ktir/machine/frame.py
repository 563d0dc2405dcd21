"""What decoded programs run on: frames of slots, the cores that run, and values that differ by
core.

Owns `Frame`, `CoreGroup` and `Run`, and the two moves of divergent control flow: `narrow` a value
to some cores and `merge` values of disjoint groups. A dialect with memories or counters extends
`Run`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from ktir.errors import MachineError


@runtime_checkable
class CoreValue(Protocol):
    """A value that is no tensor but may differ by core, such as a view at an address of each."""

    def narrow(self, positions: Tensor) -> Any:
        """The value for the cores at these positions (int64) of the present group."""


class CoreGroup:
    """The cores that run together, in ascending order.

    `numbers`: int64 [size], each core's number; dimension 0 of the grid is fastest. `coordinates`:
    one int64 tensor [size] a grid dimension. `is_all`: whether every core of the run is here.
    """

    def __init__(self, grid: Sequence[int], numbers: Tensor) -> None:
        self.grid = tuple(grid)
        self.numbers = numbers
        self.size = int(numbers.shape[0])
        self.is_all = self.size == math.prod(self.grid)
        strides = [math.prod(self.grid[:d]) for d in range(len(self.grid))]
        self.coordinates = tuple(
            numbers // stride % extent for stride, extent in zip(strides, self.grid, strict=True)
        )

    def narrow(self, positions: Tensor) -> CoreGroup:
        """The cores at these positions (int64) of this group."""
        return CoreGroup(self.grid, self.numbers[positions])


class Run:
    """The state of one execution, shared by its frames. Subclasses add memories and counters."""

    def __init__(self, grid: Sequence[int] = ()) -> None:
        self.grid = tuple(grid)
        self.cores = math.prod(self.grid)
        self.everyone = CoreGroup(self.grid, torch.arange(self.cores))


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
        return frame


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

    `parts`: positions (int64) and value. Raises MachineError for values that cannot be put
    together: tensors of different shapes, and different values that are no tensors.
    """
    values = [value for _, value in parts]
    first = values[0]
    shared = all(value is first for value in values)
    if shared and (not isinstance(first, Tensor) or is_uniform(first) or len(parts) == 1):
        return first
    if not all(isinstance(value, Tensor) for value in values):
        raise MachineError(
            "cores that took different ways bring different values that are no tensors"
        )
    shapes = {tuple(value.shape[1:]) for value in values}
    if len(shapes) > 1:
        raise MachineError(f"a value has different shapes on different cores: {sorted(shapes)}")
    result = first.new_empty((size, *first.shape[1:]))
    for positions, value in parts:
        result[positions] = value
    return result
