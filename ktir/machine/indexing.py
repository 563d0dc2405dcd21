"""From coordinates to places of elements, in runs where the last axis of a tile lies contiguously.

Owns `Elements`: single runs of elements anywhere in one memory, checked and counted like those of
a `region`. `points` makes them for `ktdp` tiles, `sdf_indexed` for gathers and scatters.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import torch
from torch import Tensor

from ktir.layout import STICK_BYTES
from ktir.machine import transfer
from ktir.machine.access import Access, Space
from ktir.machine.batch import Dependent
from ktir.machine.extents import Extent, element_extent
from ktir.machine.footprint import ElementBytes, Footprint
from ktir.machine.patterns import Offsets
from ktir.machine.percore import PerCore, column, distinct
from ktir.machine.sticks import element_sticks


@dataclasses.dataclass(frozen=True)
class Elements:
    """Runs of `run` neighbours that start at `index` [1 or cores, N] of a space, in elements.

    Only runs that are `inside` [1 or cores, N] are moved; None for all.
    """

    space: Space
    dtype: torch.dtype
    index: Tensor
    inside: Tensor | None
    run: int = 1

    @property
    def rows(self) -> int:
        """1 if all cores touch the same elements, else the number of cores."""
        return max(self.index.shape[0], 1 if self.inside is None else self.inside.shape[0])

    def check(self, access: Access) -> None:
        """Raises BoundsError for a run outside every array, or outside the scratchpad."""
        item, reach = self.dtype.itemsize, self.run - 1
        if not self.index.numel() or self.run == 0:
            return
        touched = self.index
        if self.inside is not None:
            touched = touched.expand(self.rows, -1)[self.inside.expand(self.rows, -1)]
            if not touched.numel():
                return
        first, last = (int(end) for end in torch.aminmax(touched))
        if access.covered(self.space, first, last + reach, item):
            return
        for position in range(self.rows):
            own = self.index[pick_row(self.index, position)]
            if self.inside is not None:
                own = own[self.inside[pick_row(self.inside, position)]]
            # Scattered elements may lie in several arrays; each run has to lie in one.
            for at in sorted(set(own.tolist())):
                access.check(self.space, at, at + reach, item, position)

    def gather(self, access: Access) -> Tensor:
        """The elements [1 or cores, N * run]; zero where not inside."""
        self.count_read(access)
        access.loads(self)
        return self.take(access)

    @property
    def elements(self) -> int:
        """Elements of a core."""
        return self.index.shape[1] * self.run

    def take(self, access: Access) -> Tensor:
        """As `gather`, without any notice."""
        flat, index = self._memory(access)
        return transfer.gather(flat, index, self.inside, self.run).flatten(1)

    def scatter(self, data: Tensor, access: Access) -> None:
        """Writes `data` [1 or cores, N * run]; of equal places the last core's last one stays."""
        self.count_write(access)
        access.stores(self, data)

    def put(self, data: Tensor, access: Access) -> None:
        """As `scatter`, without any notice."""
        flat, index = self._memory(access)
        transfer.scatter(flat, index, self.inside, data, self.run)

    def footprint(self, access: Access) -> Footprint:
        """The bytes that are moved."""
        index, inside = self._expanded(access)
        return ElementBytes(index, inside, self.run, self.dtype.itemsize)

    def extent(self, access: Access) -> Extent:
        """The same, to compare transfers."""
        index, inside = self._expanded(access)
        owners = access.group.owners.numpy()
        item = self.dtype.itemsize
        return element_extent(self.space.local, index, inside, self.run, item, owners)

    def _expanded(self, access: Access) -> tuple[Tensor, Tensor | None]:
        """Places in the memory and what of them is moved, with equally many rows."""
        index = self._placed(access)
        if self.inside is None:
            return index, None
        rows = max(index.shape[0], self.inside.shape[0])
        return index.expand(rows, -1), self.inside.expand(rows, -1)

    def count_read(self, access: Access) -> None:
        """Counts the sticks that the cores read."""
        if not self.space.local:
            once, alike = self._sticks(), access.group.size if self.rows == 1 else 1
            rounds = access.group.rounds
            if rounds is not None and alike == 1 and self._any_alike(rounds):
                # Alone, that round would count as read by several at a time.
                raise Dependent
            times = alike if rounds is None or alike == 1 else alike // len(distinct(rounds))
            shared = once * (alike - alike // times) * STICK_BYTES
            access.run.counters.read(once * alike * STICK_BYTES, shared, self.dtype)

    def _any_alike(self, rounds: Tensor) -> bool:
        """Whether several rows of one of the rounds, [rows], are all equal."""
        numbers, inverse, counts = torch.unique(rounds, return_inverse=True, return_counts=True)
        one = torch.empty_like(numbers)
        one[inverse] = torch.arange(len(rounds))
        differs = torch.zeros(len(rounds), dtype=torch.bool)
        for rows in (self.index, self.inside):
            if rows is not None and rows.shape[0] > 1:
                differs |= (rows != rows[one[inverse]]).any(1)
        is_apart = counts == 1
        is_apart[inverse[differs]] = True
        return not bool(is_apart.all())

    def count_write(self, access: Access) -> None:
        """Counts the sticks that the cores write."""
        if not self.space.local:
            alike = access.group.size if self.rows == 1 else 1
            access.run.counters.write(self._sticks() * alike * STICK_BYTES, self.dtype)

    def _ends(self) -> tuple[int, int]:
        """The least and the greatest element, from the start of the space; all are in it where
        they are moved."""
        if not self.index.numel():
            return 0, -1
        low, high = (int(end) for end in torch.aminmax(self.index))
        return low, high + self.run - 1

    def _sticks(self) -> int:
        return element_sticks(self.index, self.inside, self.dtype.itemsize, self.run)

    def _memory(self, access: Access) -> tuple[Tensor, Tensor]:
        flat, start = access.flat(self.space, self.dtype, self._ends)
        index = self._placed(access)
        return flat, index - start if start else index

    def _placed(self, access: Access) -> Tensor:
        if not self.space.local or self.space.constant:
            return self.index
        starts = access.placed(self.space, Offsets((0,)), self.dtype)
        return self.index + column(starts, 1)


def pick_row(rows: Tensor, position: int) -> int:
    """The row of a core in a tensor of one row for all, or one a core."""
    return position if rows.shape[0] > 1 else 0


def elements_at(
    space: Space,
    dtype: torch.dtype,
    base: Tensor,
    coordinates: Sequence[Tensor],
    strides: Sequence[PerCore],
    points: Sequence[int],
    inside: Tensor | None,
) -> Elements:
    """The elements at coordinates of a strided tensor.

    `base`: the address of its element 0; `base`, `coordinates` and `inside` are [1 or cores,
    points..] and broadcast.
    """
    run = _run(coordinates, strides, points, inside)
    if run > 1:
        coordinates = [coordinate[..., :1] for coordinate in coordinates]
        points = [*points[:-1], 1]
    index = base
    for coordinate, stride in zip(coordinates, strides, strict=True):
        apart = stride[0] if len(stride) == 1 else column(stride, len(points))
        index = index + coordinate * apart
    mask = None if inside is None else flattened(inside, points)
    return Elements(space, dtype, flattened(index, points), mask, run)


def flattened(values: Tensor, points: Sequence[int]) -> Tensor:
    """[1 or cores, points..] that broadcast as [1 or cores, N]."""
    return values.expand(values.shape[0], *points).reshape(values.shape[0], -1)


def _run(
    coordinates: Sequence[Tensor],
    strides: Sequence[PerCore],
    points: Sequence[int],
    inside: Tensor | None,
) -> int:
    """How many points along the last axis are neighbours in memory, alike in `inside`: all or 1."""
    if not points or points[-1] < 2 or (inside is not None and inside.shape[-1] > 1):
        return 1
    changing = [d for d, coordinate in enumerate(coordinates) if coordinate.shape[-1] > 1]
    if len(changing) != 1 or set(strides[changing[0]]) != {1}:
        return 1
    coordinate = coordinates[changing[0]]
    steady = bool((coordinate[..., 1:] - coordinate[..., :-1] == 1).all())
    return points[-1] if steady else 1
