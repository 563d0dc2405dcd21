"""Loads and stores through tiles that are grids of coordinates, which nearly all are.

Owns the checks of their coordinates, the masking of those outside a view's set, and the routing to
the parts of a distributed view. Other tiles are moved by `points`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import torch
from torch import Tensor

from ktir.errors import BoundsError
from ktir.machine import moves, points, transfer
from ktir.machine.access import Access
from ktir.machine.kernel_state import KernelRun
from ktir.machine.patterns import combine
from ktir.machine.percore import apply, pick
from ktir.machine.region import Region
from ktir.machine.views import DistributedView, GridTile, Tile, View, as_points


def load(tile: Tile, access: Access) -> Tensor:
    """The elements at the tile's coordinates: [1 or cores, *shape]; zero outside the view's set.

    Raises BoundsError for coordinates outside the view and addresses outside its memory.
    """
    view = tile.view
    if not isinstance(tile, GridTile):
        return points.load(tile, access)
    if isinstance(view, DistributedView):
        if not view.has_boxes:
            return points.load(as_points(tile), access)
        return _load_parts(tile, view, access)
    if view.limits is None:
        return points.load(as_points(tile), access)
    value = _region(tile, view, access).read(access)
    return value.view(value.shape[0], *tile.shape)


def store(tile: Tile, data: Tensor, access: Access) -> None:
    """Writes `data` [1 or cores, *shape] to the tile's coordinates, but for those outside the set.

    Where cores write to one place, the last core's value stays. Raises BoundsError as `load`.
    """
    view = tile.view
    if not isinstance(tile, GridTile):
        points.store(tile, data, access)
        return
    parts = [view] if isinstance(view, View) else list(view.parts)
    if any(part.limits is None for part in parts):
        points.store(as_points(tile), data, access)
        return
    data = data.reshape(data.shape[0], *tile.grid.counts)
    if isinstance(view, View):
        _region(tile, view, access).write(data, access)
        return
    for region in _part_regions(tile, view, access):
        region.write(data, access)


def loader(tile: Tile, access: Access) -> Callable[[KernelRun], Tensor] | None:
    """`load` for other launches with the same tile; None where it is no region of each part."""
    regions = _regions(tile, access)
    if not regions:
        return None
    counts, shape = regions[0].sizes, tile.shape
    reads = [moves.reading(region, access) for region in regions]
    alone = all(len(region.offsets) == 1 and len(region.clips or "1") == 1 for region in regions)
    if len(reads) > 1 and alone:
        # Together the parts are all of the tile.
        fills = [moves.filling(region, access, rows=1, zeros=False) for region in regions]
        dtype = regions[0].dtype

        def joined(run: KernelRun) -> Tensor:
            value = torch.empty((1, *counts), dtype=dtype)
            for fill in fills:
                fill(value, run)
            return value.view(1, *shape)

        return joined
    first, *others = reads

    def loaded(run: KernelRun) -> Tensor:
        value = first(run)
        for read in others:
            value = _merged(value, read(run))
        return value.view(value.shape[0], *shape)

    return loaded


def storer(tile: Tile, access: Access) -> Callable[[Tensor, KernelRun], None] | None:
    """`store` for other launches with the same tile; None where it is no region of each part."""
    regions = _regions(tile, access)
    if not regions:
        return None
    writes, counts = [moves.writing(region, access) for region in regions], regions[0].sizes

    def stored(data: Tensor, run: KernelRun) -> None:
        data = data.reshape(data.shape[0], *counts)
        for write in writes:
            write(data, run)

    return stored


def _regions(tile: Tile, access: Access) -> list[Region]:
    """The regions of a tile; none where it is moved by its points."""
    if not isinstance(tile, GridTile):
        return []
    view = tile.view
    if isinstance(view, DistributedView):
        return _part_regions(tile, view, access) if view.has_boxes else []
    return [] if view.limits is None else [_region(tile, view, access)]


def _region(tile: GridTile, view: View, access: Access) -> Region:
    """Checks a tile of one view and finds its offsets and what of it is valid."""
    clips = None
    if access.run.bounds:
        _check_sizes(tile, view, access)
    if not view.is_plain:
        assert view.held is not None
        limits = tuple([view.held[dim] for dim in tile.grid.dims])
        clips = transfer.clip(tile.ordered(), tile.grid.counts, limits, tile.grid.steps)
    offsets = combine(view.address, tile.start, view.strides)
    region = Region(
        view.space, view.dtype, offsets, tile.grid.counts, view.strides_of(tile.grid), clips
    )
    region.check(access)
    return region


def _check_sizes(tile: GridTile, view: View, access: Access) -> None:
    """Coordinates must lie within the sizes; along dynamic ones only valid coordinates must."""
    if 0 in tile.grid.counts:
        return
    for dim, step, count in tile.grid.axes:
        if view.dynamic[dim]:
            continue
        starts, sizes, reach = tile.start[dim], view.sizes[dim], (count - 1) * step
        if min(starts) >= 0 and max(starts) + reach < min(sizes):
            continue
        for position in range(access.group.size):
            start = pick(starts, position)
            if start < 0 or start + reach >= pick(sizes, position):
                point = [pick(values, position) for values in tile.start]
                point[dim] = start if start < 0 else start + reach
                view.fault(access, position, point)
    if not (view.is_backed or _has_elements(tile, view)):
        points.check_elements(as_points(tile), view, access)


def _has_elements(tile: GridTile, view: View) -> bool:
    """Whether there are elements at all points, on all cores."""
    reach = {dim: (count - 1) * step for dim, step, count in tile.grid.axes}
    return all(
        min(tile.start[dim]) >= max(view.elements[dim][0])
        and max(tile.start[dim]) + reach[dim] < min(view.elements[dim][1])
        for dim in view.open_dims
    )


def _part_regions(tile: GridTile, view: DistributedView, access: Access) -> list[Region]:
    """What of the tile each part holds. Raises BoundsError if that is not every point of it."""
    regions = []
    cores = access.group.size
    held = [0] * cores
    for part in view.parts:
        assert part.limits is not None
        limits = tuple([part.limits[dim] for dim in tile.grid.dims])
        clips = transfer.clip(tile.ordered(), tile.grid.counts, limits, tile.grid.steps)
        volumes = _volumes(tile, clips, cores)
        held = [sum_ + volume for sum_, volume in zip(held, volumes, strict=True)]
        if not any(volumes):
            continue
        origins = zip(tile.start, part.limits, strict=True)
        local = [apply(operator.sub, values, low) for values, (low, _) in origins]
        offsets = combine(part.address, local, part.strides)
        region = Region(
            part.space, part.dtype, offsets, tile.grid.counts, part.strides_of(tile.grid), clips
        )
        region.check(access)
        regions.append(region)
    wanted = tile.grid.size
    for position, number in enumerate(held):
        if number != wanted:
            first = ", ".join(str(pick(values, position)) for values in tile.start)
            raise BoundsError(
                f"{access.by(position)}: {wanted} elements from [{first}] on, but its parts hold "
                f"{number} of them; the parts' coordinate sets must cover what is accessed"
            )
    return regions


def _volumes(tile: GridTile, clips: list[transfer.Clip] | None, cores: int) -> list[int]:
    """How many points of the tile are left, a core."""
    if clips is None:
        return [tile.grid.size] * cores
    volumes = [math.prod(end - begin for begin, end in part) for part in clips]
    return volumes * cores if len(volumes) == 1 else volumes


def _load_parts(tile: GridTile, view: DistributedView, access: Access) -> Tensor:
    value: Tensor | None = None
    for region in _part_regions(tile, view, access):
        piece = region.read(access)
        value = piece if value is None else _merged(value, piece)
    if value is None:
        value = torch.zeros((1, *tile.grid.counts), dtype=view.dtype)
    return value.view(value.shape[0], *tile.shape)


_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _merged(a: Tensor, b: Tensor) -> Tensor:
    """Parts are disjoint: where one has an element the other has zero bits."""
    bits = _BITS[a.dtype.itemsize]
    return (a.view(bits) | b.view(bits)).view(a.dtype)
