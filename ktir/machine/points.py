"""Tiles whose coordinates are not a grid: skewed sets, sets with holes, and coordinates read from
memory.

Owns the checks and masks of `PointTile`; elements are moved by an index of every one. That is
slower than a grid by about the size of the index, so a tile is made one only if nothing else fits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from ktir.errors import BoundsError
from ktir.machine.access import Access
from ktir.machine.indexing import Elements, elements_at, flattened, pick_row
from ktir.machine.percore import column
from ktir.machine.views import DistributedView, PointTile, View


def load(tile: PointTile, access: Access) -> Tensor:
    """The elements at the tile's points: [1 or cores, *shape]; zero outside the view's set."""
    if isinstance(tile.view, View):
        value = _elements(tile, tile.view, access).gather(access)
    else:
        value = torch.zeros((1, math.prod(tile.points)), dtype=tile.view.dtype)
        for elements, mark in _part_elements(tile, tile.view, access):
            value = torch.where(mark, elements.gather(access), value)
    return value.view(value.shape[0], *tile.shape)


def store(tile: PointTile, data: Tensor, access: Access) -> None:
    """Writes `data` [1 or cores, *shape] to the tile's points, but for those outside the set.

    Of equal points the last stays, of the last core that has one.
    """
    data = data.reshape(data.shape[0], -1)
    if isinstance(tile.view, View):
        _elements(tile, tile.view, access).scatter(data, access)
        return
    for elements, _ in _part_elements(tile, tile.view, access):
        elements.scatter(data, access)


def _elements(tile: PointTile, view: View, access: Access) -> Elements:
    """The elements of one view; raises BoundsError for points outside it."""
    if access.run.bounds:
        _check_sizes(tile, view, access)
    inside: Tensor | None = None
    if not view.is_plain:
        rank = len(tile.points)
        valid = view.valid.contains(tile.coordinates, rank)
        valid = valid & view.has_elements(tile.coordinates, rank)
        inside = None if bool(valid.all()) else _with_rank(valid, tile)
    return _at(tile, view, tile.coordinates, inside, access)


def _at(
    tile: PointTile,
    view: View,
    coordinates: Sequence[Tensor],
    inside: Tensor | None,
    access: Access,
) -> Elements:
    base = column(view.address, len(tile.points))
    elements = elements_at(
        view.space, view.dtype, base, coordinates, view.strides, tile.points, inside
    )
    elements.check(access)
    return elements


def _check_sizes(tile: PointTile, view: View, access: Access) -> None:
    """Points must lie within the sizes that are not dynamic, coordinates read from memory within
    all, and valid ones where there are elements."""
    for dim, (coordinate, size) in enumerate(zip(tile.coordinates, view.sizes, strict=True)):
        if (view.dynamic[dim] and dim not in tile.read) or not coordinate.numel():
            continue
        low, high = (int(end) for end in torch.aminmax(coordinate))
        if low < 0 or high >= min(size):
            wrong = (coordinate < 0) | (coordinate >= column(size, len(tile.points)))
            if not bool(wrong.any()):
                continue
            position, point = _first(_flat(wrong, tile), tile)
            view.fault(access, position, point)
    if not view.is_backed:
        check_elements(tile, view, access)


def check_elements(tile: PointTile, view: View, access: Access) -> None:
    """Raises BoundsError for a point of the view's set that has no element."""
    rank = len(tile.points)
    wrong = view.valid.contains(tile.coordinates, rank)
    wrong = wrong & ~view.has_elements(tile.coordinates, rank)
    if bool(wrong.any()):
        position, point = _first(_flat(wrong, tile), tile)
        view.fault(access, position, point)


def _first(wrong: Tensor, tile: PointTile) -> tuple[int, list[int]]:
    """The first core with a point that is marked, and that point's coordinates."""
    position, number = (int(at) for at in wrong.nonzero()[0])
    values = [_flat(coordinate, tile) for coordinate in tile.coordinates]
    return position, [int(value[pick_row(value, position), number]) for value in values]


def _flat(values: Tensor, tile: PointTile) -> Tensor:
    return flattened(_with_rank(values, tile), tile.points)


def _with_rank(values: Tensor, tile: PointTile) -> Tensor:
    """A truth value for all points gets the axes of the points."""
    return values.view(values.shape or (1,) * (len(tile.points) + 1))


def _part_elements(
    tile: PointTile, view: DistributedView, access: Access
) -> list[tuple[Elements, Tensor]]:
    """What each part holds, with a mark of it a point, [1 or cores, N].

    Raises BoundsError if that is not every point of the tile, or one twice.
    """
    found = []
    held = torch.zeros((1, math.prod(tile.points)), dtype=torch.bool)
    for part in view.parts:
        rank = len(tile.points)
        inside = _with_rank(part.valid.contains(tile.coordinates, rank), tile)
        local = [
            coordinate - column(part.valid.low(dim), rank)
            for dim, coordinate in enumerate(tile.coordinates)
        ]
        mark = flattened(inside, tile.points)
        if bool((held & mark).any()):
            position, point = _first(held & mark, tile)
            raise BoundsError(
                f"{access.by(position)} at coordinates [{', '.join(map(str, point))}], which "
                f"{part.name} and a part before it hold; parts must be disjoint"
            )
        found.append((_at(tile, part, local, inside, access), mark))
        held = held | mark
    if not bool(held.all()):
        position, point = _first(~held, tile)
        raise BoundsError(
            f"{access.by(position)} at coordinates [{', '.join(map(str, point))}], which no part "
            "holds; the parts' coordinate sets must cover what is accessed"
        )
    return found
