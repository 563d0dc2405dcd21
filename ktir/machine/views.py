"""The values of `ktdp` while a kernel runs: views of memory, and the coordinates that tiles name.

Owns what they hold, which coordinates of a view are legal, and the message for one that is not. How
ops make them is in `ktdp_ops`; how their elements move, in `tiles` and `points`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from collections.abc import Sequence
from typing import NoReturn

import torch
from torch import Tensor

from ktir.errors import BoundsError
from ktir.machine.access import Access, Space
from ktir.machine.coresets import CoreSet, Limits
from ktir.machine.frame import narrow
from ktir.machine.percore import PerCore, all_uniform, apply, column, narrow_ints, pick

_ENDLESS = 1 << 48
"""Where a set without a bound is taken to end."""


@dataclasses.dataclass(frozen=True)
class View:
    """Memory seen as a strided tensor. Address and strides in elements; one entry of `sizes` and
    `strides` a dimension.

    `dynamic` marks sizes given as values of the program or open in the view's type: coordinates
    there may lie outside the set, where loads read zero. `valid` is the coordinate set with its
    symbols bound. `backed` are the coordinates that have elements, where those are fewer than the
    sizes say: of parts of views with dynamic sizes.
    """

    name: str
    dtype: torch.dtype
    space: Space
    address: PerCore
    sizes: tuple[PerCore, ...]
    strides: tuple[PerCore, ...]
    dynamic: tuple[bool, ...]
    valid: CoreSet
    backed: Limits | None = None
    _strides: dict[Grid, tuple[int, ...]] = dataclasses.field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def learn(self) -> None:
        """Works out now what views at other addresses will share."""
        _ = self.is_plain

    def at(self, address: PerCore) -> View:
        """The same view at another address, with all that is known of it."""
        moved = object.__new__(View)
        moved.__dict__.update(self.__dict__, address=address)
        return moved

    def strides_of(self, grid: Grid) -> tuple[int, ...]:
        """Elements between neighbours along each axis of a grid.

        Raises Divergence if that differs by core along an axis of more than one point.
        """
        found = self._strides.get(grid)
        if found is None:
            apart = [self.strides[dim] if n > 1 else [0] for dim, _, n in grid.axes]
            steps = zip(all_uniform(apart), grid.steps, strict=True)
            found = self._strides[grid] = tuple(stride * step for stride, step in steps)
        return found

    @functools.cached_property
    def limits(self) -> Limits | None:
        """The valid coordinates if they are a box, up to the sizes where the set has no bound."""
        return self.valid.limits(self.sizes)

    @functools.cached_property
    def stated(self) -> Limits | None:
        """The valid coordinates if they are a box, far beyond the sizes where the set has no
        bound."""
        return self.valid.limits([[_ENDLESS]] * len(self.sizes))

    @functools.cached_property
    def elements(self) -> Limits:
        """The coordinates that have elements."""
        return self.backed or tuple(([0], size) for size in self.sizes)

    @functools.cached_property
    def open_dims(self) -> tuple[int, ...]:
        """The dimensions where a coordinate that is no fault may be one without an element."""
        return tuple(dim for dim, is_open in enumerate(self.dynamic) if is_open or self.backed)

    @functools.cached_property
    def held(self) -> Limits | None:
        """The valid coordinates that have elements, if they are a box."""
        if self.limits is None or not self.open_dims:
            return self.limits
        ends = list(self.limits)
        for dim in self.open_dims:
            (low, high), (first, end) = ends[dim], self.elements[dim]
            ends[dim] = (apply(max, low, first), apply(min, high, end))
        return tuple(ends)

    @functools.cached_property
    def is_backed(self) -> bool:
        """Whether it is known that all valid coordinates have elements, but for those outside a
        size that is not dynamic."""
        if not self.open_dims:
            return True
        if self.stated is None:
            return False
        pairs = [(self.stated[dim], self.elements[dim]) for dim in self.open_dims]
        return all(
            all(apply(operator.ge, low, first)) and all(apply(operator.le, high, end))
            for (low, high), (first, end) in pairs
        )

    def has_elements(self, coordinates: Sequence[Tensor], rank: int) -> Tensor:
        """Where there are elements along `open_dims`; coordinates are [1 or cores, .. of `rank`
        axes]."""
        found = torch.ones((), dtype=torch.bool)
        for dim in self.open_dims:
            first, end = (column(ends, rank) for ends in self.elements[dim])
            found = found & (coordinates[dim] >= first) & (coordinates[dim] < end)
        return found

    @functools.cached_property
    def is_plain(self) -> bool:
        """Whether every coordinate within the sizes is valid, and every other one is a fault."""
        limits = self.limits
        return (
            limits is not None
            and not self.open_dims
            and all(
                max(a) <= 0 and max(n) <= min(b)
                for (a, b), n in zip(limits, self.sizes, strict=True)
            )
        )

    def narrow(self, positions: Tensor) -> View:
        """The view of the cores at `positions` of the group."""
        backed = [end for pair in self.backed or () for end in pair]
        lists = (self.address, *self.sizes, *self.strides, self.valid.sets, *backed)
        if all(len(entries) == 1 for entries in lists):
            return self
        return dataclasses.replace(
            self,
            space=self.space.narrow(positions),
            address=narrow_ints(self.address, positions),
            sizes=tuple(narrow_ints(entry, positions) for entry in self.sizes),
            strides=tuple(narrow_ints(entry, positions) for entry in self.strides),
            valid=self.valid.narrow(positions),
            backed=self.backed
            and tuple(
                (narrow_ints(low, positions), narrow_ints(high, positions))
                for low, high in self.backed
            ),
        )

    def fault(self, access: Access, position: int, point: Sequence[int]) -> NoReturn:
        """Raises the BoundsError for a coordinate that the core at `position` may not touch."""
        sizes = [pick(entry, position) for entry in self.sizes]
        legal = ", ".join(f"0..{size - 1}" if size else "none" for size in sizes)
        raise BoundsError(
            f"{access.by(position)} at coordinates [{', '.join(map(str, point))}], which is "
            f"outside the view; legal are [{legal}]"
        )


@dataclasses.dataclass(frozen=True)
class DistributedView:
    """Views that hold parts of one tensor: each the coordinates in its `valid` set, from its least
    one on."""

    name: str
    dtype: torch.dtype
    parts: tuple[View, ...]

    @property
    def has_boxes(self) -> bool:
        """Whether all parts hold boxes."""
        return all(part.limits is not None for part in self.parts)

    def narrow(self, positions: Tensor) -> DistributedView:
        """The view of the cores at `positions` of the group."""
        parts = tuple(part.narrow(positions) for part in self.parts)
        return dataclasses.replace(self, parts=parts)


class Grid:
    """A grid of points: `start[dim] + step * i` for i in [0, count), one axis a dimension.

    `axes` are (dim, step, count), in the order in which the points are visited, outermost first.
    """

    __slots__ = ("axes", "counts", "dims", "size", "steps")

    def __init__(self, axes: Sequence[tuple[int, int, int]]) -> None:
        self.axes = tuple(axes)
        self.dims = tuple(dim for dim, _, _ in axes)
        self.steps = tuple(step for _, step, _ in axes)
        self.counts = tuple(count for _, _, count in axes)
        self.size = math.prod(self.counts)


@dataclasses.dataclass(slots=True)
class GridTile:
    """The coordinates of a grid that starts at `start`, one entry a dimension of the view.

    `shape` is that of the data, with as many elements.
    """

    view: View | DistributedView
    start: Sequence[PerCore]
    grid: Grid
    shape: tuple[int, ...]

    def ordered(self) -> list[PerCore]:
        """The coordinates of the first point, one entry an axis."""
        return [self.start[dim] for dim in self.grid.dims]

    def point(self, position: int, number: int) -> list[int]:
        """The coordinates of a point, by its number, of the core at a position."""
        found = [pick(values, position) for values in self.start]
        for dim, step, count in reversed(self.grid.axes):
            found[dim] += number % count * step
            number //= count
        return found

    def narrow(self, positions: Tensor) -> GridTile:
        """The tile of the cores at `positions` of the group."""
        start = [narrow_ints(values, positions) for values in self.start]
        return GridTile(self.view.narrow(positions), start, self.grid, self.shape)


@dataclasses.dataclass(frozen=True)
class PointTile:
    """Coordinates of a view as int64 tensors [1 or cores, points..], one a dimension, that
    broadcast.

    `points` is what they broadcast to without the core axis; `shape` is that of the data, with as
    many elements. `read` are the dimensions whose coordinates were read from memory: those must
    exist, also where a size is a value of the program.
    """

    view: View | DistributedView
    coordinates: Sequence[Tensor]
    points: tuple[int, ...]
    shape: tuple[int, ...]
    read: frozenset[int] = frozenset()

    def point(self, position: int, number: int) -> list[int]:
        """The coordinates of a point, by its number, of the core at a position."""
        found = []
        for values in self.coordinates:
            row = values[position if values.shape[0] > 1 else 0]
            found.append(int(row.expand(self.points).reshape(-1)[number]))
        return found

    def narrow(self, positions: Tensor) -> PointTile:
        """The tile of the cores at `positions` of the group."""
        return dataclasses.replace(
            self,
            view=self.view.narrow(positions),
            coordinates=[narrow(values, positions) for values in self.coordinates],
        )


Tile = GridTile | PointTile


def as_points(tile: GridTile) -> PointTile:
    """The same tile, by its points."""
    rank = len(tile.grid.axes)
    coordinates = [column(values, rank) for values in tile.start]
    for axis, (dim, step, count) in enumerate(tile.grid.axes):
        shape = [1] * (rank + 1)
        shape[axis + 1] = count
        coordinates[dim] = coordinates[dim] + (torch.arange(count) * step).view(shape)
    return PointTile(tile.view, coordinates, tile.grid.counts, tile.shape)
