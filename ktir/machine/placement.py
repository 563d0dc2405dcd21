"""Cutting tiles into slices along several dimensions, and joining them.

Owns the one order of slices: coordinates of the listed dimensions, flattened row-major in the order
of the list, cut into equal contiguous chunks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch import Tensor


def cut(tiles: Tensor, dims: Sequence[int], count: int, shape: Sequence[int]) -> Tensor:
    """[n, dims ..] as `count` slices of `shape`: [n, count, *shape]."""
    rest = [dim for dim in range(tiles.dim() - 1) if dim not in dims]
    last = tiles.permute(0, *(dim + 1 for dim in (*rest, *dims)))
    kept = [shape[dim] for dim in rest]
    slices = last.reshape(tiles.shape[0], *kept, count, *(shape[dim] for dim in dims))
    back = _inverse([*rest, *dims])
    front = slices.movedim(1 + len(rest), 1)
    return front.permute(0, 1, *(dim + 2 for dim in back))


def join(tiles: Tensor, dims: Sequence[int], shape: Sequence[int]) -> Tensor:
    """[n, count, dims ..] joined to tiles of `shape`: [n, *shape]."""
    rank = tiles.dim() - 2
    rest = [dim for dim in range(rank) if dim not in dims]
    moved = tiles.permute(0, *(dim + 2 for dim in rest), 1, *(dim + 2 for dim in dims))
    kept = [shape[dim] for dim in rest]
    flat = moved.reshape(tiles.shape[0], *kept, math.prod(shape[dim] for dim in dims))
    whole = flat.reshape(tiles.shape[0], *kept, *(shape[dim] for dim in dims))
    return whole.permute(0, *(dim + 1 for dim in _inverse([*rest, *dims])))


def _inverse(order: Sequence[int]) -> list[int]:
    return [order.index(dim) for dim in range(len(order))]
