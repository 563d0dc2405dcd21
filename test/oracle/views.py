"""Views, the coordinates that access tiles name, and the elements there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from .affine import Map, Point, Set
from .errors import Fault
from .formats import zero
from .tensors import Tensor, mixed
from .tree import DYNAMIC, Op, Type


class Memory(Protocol):
    """Where elements lie: device memory or a scratchpad."""

    def read(self, address: int, element: str) -> Any:
        """The element at an address."""

    def write(self, address: int, element: str, value: Any) -> None:
        """Replaces the element at an address."""


class Viewed(Protocol):
    """What an access tile is a part of."""

    @property
    def element(self) -> str:
        """The element type."""

    def find(self, point: Sequence[int]) -> tuple[Memory, int] | None:
        """Where the element at a coordinate lies; None if it is masked. Raises Fault outside."""


@dataclass(frozen=True)
class View:
    """Memory as a strided tensor; addresses and strides count elements."""

    memory: Memory
    element: str
    base: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    open: tuple[bool, ...]
    """Whether a size is a value of the program: coordinates beyond it may be masked."""
    valid: Set
    symbols: Point

    def find(self, point: Sequence[int]) -> tuple[Memory, int] | None:
        """Coordinates outside a size in the IR are a fault; outside the set they are masked, and
        those in it must exist."""
        is_valid = self.valid.holds(point, self.symbols)
        for index, size, is_open in zip(point, self.sizes, self.open, strict=True):
            if not 0 <= index < size and (is_valid or not is_open):
                raise Fault(f"coordinates {list(point)} of a view of {list(self.sizes)}")
        if not is_valid:
            return None
        return self.memory, self.address(point)

    @cached_property
    def least(self) -> Point:
        """The least coordinate of the set in each dimension: that of element 0 of a part."""
        points = self.valid.points(self.symbols)
        return tuple(min(point[d] for point in points) for d in range(len(self.sizes)))

    def check_read(self, point: Sequence[int], is_read: Sequence[bool]) -> None:
        """A coordinate that is read from memory must exist, unless the others mask the point."""
        for dim, size in enumerate(self.sizes):
            if is_read[dim] and not 0 <= point[dim] < size:
                others = [(*point[:dim], i, *point[dim + 1 :]) for i in range(size)]
                if not size or any(self.valid.holds(p, self.symbols) for p in others):
                    raise Fault(f"index {point[dim]} in dimension {dim} of {list(self.sizes)}")

    def address(self, point: Sequence[int]) -> int:
        """The address of a coordinate."""
        return self.base + sum(i * stride for i, stride in zip(point, self.strides, strict=True))


@dataclass(frozen=True)
class DistributedView:
    """Views that hold parts of one tensor: the coordinates in their sets, from the least on."""

    element: str
    parts: tuple[View, ...]

    def find(self, point: Sequence[int]) -> tuple[Memory, int]:
        """The element of the only part whose set has the coordinate."""
        holders = [part for part in self.parts if part.valid.holds(point, part.symbols)]
        if len(holders) != 1:
            raise Fault(f"coordinates {list(point)} are held by {len(holders)} parts")
        (part,) = holders
        local = [i - low for i, low in zip(point, part.least, strict=True)]
        for index, size in zip(local, part.sizes, strict=True):
            if not 0 <= index < size:
                raise Fault(f"coordinates {list(point)} of a part of {list(part.sizes)}")
        return part.memory, part.address(local)


@dataclass(frozen=True)
class Tile:
    """Coordinates of a view in the order in which they are visited."""

    view: Viewed
    points: list[Point]
    type: Type

    def shape(self) -> tuple[int, ...]:
        """The shape of its data: an open size is what the points leave."""
        shape = list(self.type.shape or ())
        known = 1
        for size in shape:
            known *= max(size, 1) if size < 0 else size
        if shape.count(-1) == 1 and known:
            shape[shape.index(-1)] = len(self.points) // known
        total = 1
        for size in shape:
            total *= size
        if total != len(self.points):
            raise Fault(f"{len(self.points)} points as {self.type.text}")
        return tuple(shape)

    def load(self) -> Tensor:
        """The elements, zero where they are masked."""
        data = []
        for point in self.points:
            found = self.view.find(point)
            element = self.view.element
            data.append(zero(element) if found is None else found[0].read(found[1], element))
        return Tensor(self.shape(), data)

    def store(self, data: Tensor) -> None:
        """Writes the elements, but for those that are masked."""
        if len(data.data) != len(self.points):
            raise Fault(f"{len(data.data)} elements to {len(self.points)} points")
        for point, value in zip(self.points, data.data, strict=True):
            found = self.view.find(point)
            if found is not None:
                found[0].write(found[1], self.view.element, value)


def view_of(op: Op, values: Sequence[Sequence[Any]], memory: Memory) -> View:
    """The view that `ktdp.construct_memory_view` makes."""
    (base,), sizes, strides = values
    is_open = tuple(size == DYNAMIC for size in op.attributes["static_sizes"])
    valid: Set = op.attributes["coordinate_set"]
    lengths = mixed(op.attributes["static_sizes"], sizes)
    if any(length < 0 for length in lengths):
        raise Fault(f"a view of {lengths}")
    return View(
        memory,
        op.types[0].element,
        base,
        tuple(lengths),
        tuple(mixed(op.attributes["static_strides"], strides)),
        is_open,
        valid,
        tuple(sizes[: valid.symbols]),
    )


def compose(op: Op, parts: Sequence[View]) -> DistributedView:
    """The view that `ktdp.construct_distributed_memory_view` makes. Parts must be disjoint."""
    for number, part in enumerate(parts):
        points = set(part.valid.points(part.symbols))
        for other in parts[:number]:
            if points & set(other.valid.points(other.symbols)):
                raise Fault("two parts of a distributed view hold the same coordinates")
    return DistributedView(op.types[0].element, tuple(parts))


def ordered(points: Sequence[Point], order: Map) -> list[Point]:
    """Points in lexicographic order of the results of the order map, as the RFC says."""
    return sorted(points, key=lambda point: order(*point))


def access_tile(op: Op, values: Sequence[Sequence[Any]]) -> Tile:
    """The points of a set, shifted to where the subscripts say."""
    (view,), indices, symbols = values
    corner = op.attributes["base_map"](*indices)
    visited = ordered(
        op.attributes["access_tile_set"].points(symbols), op.attributes["access_tile_order"]
    )
    points = [tuple(i + c for i, c in zip(point, corner, strict=True)) for point in visited]
    return Tile(view, points, op.types[0])


def indirect_tile(op: Op, values: Sequence[Sequence[Any]]) -> Tile:
    """Coordinates from the variables, some of them read from other views, now."""
    (view,), index_views, captured, symbols = values
    kinds, maps = op.attributes["per_dim_subscript_kinds"], op.attributes["per_dim_subscript_maps"]
    variables = ordered(
        op.attributes["variables_space_set"].points(symbols),
        op.attributes["variables_space_order"],
    )
    points = []
    for point in variables:
        unread = iter(index_views)
        coordinates = []
        for is_indirect, subscript in zip(kinds, maps, strict=True):
            place = subscript(*captured, *point)
            index = _element(next(unread), place) if is_indirect else place[0]
            coordinates.append(index)
        if isinstance(view, View):
            view.check_read(coordinates, kinds)
        points.append(tuple(coordinates))
    return Tile(view, points, op.types[0])


def _element(view: Viewed, place: Point) -> int:
    found = view.find(place)
    return 0 if found is None else int(found[0].read(found[1], view.element))
