"""Writes to computed places, and top-k, as comparisons and reductions.

linalg reads at computed places but does not write there. Each destination finds instead which
source it takes: the place is compared with every index, and the last index that names it wins, as
in torch's sequential kernels. The work is destinations times sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.frontend.decompose_reductions import first_hit
from ktir.frontend.opmath import Scalar, aten, constant, decomposes, rounded, scaled, widen

MOST_TOP = 32
"""Largest k of top-k: each of the k costs two passes over the operand."""


def _along(x: Tensor, rank: int, dim: int) -> Tensor:
    """A vector as a tensor of `rank` that extends along `dim` alone."""
    return x.view([-1 if place == dim else 1 for place in range(rank)])


def _matches(extent: int, index: Tensor) -> Tensor:
    """[extent, count]: whether index j names place i; negative indices count from the end."""
    index = torch.where(index < 0, index + extent, index)
    return torch.arange(extent, device=index.device).unsqueeze(1) == index.unsqueeze(0)


@decomposes(aten.index_copy.default)
def index_copy(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """x with its slices `index` along `dim` replaced by those of `source`."""
    dim = dim % x.dim()
    index = index.reshape(-1)
    order = torch.arange(index.shape[0], device=index.device)
    last = torch.where(_matches(x.shape[dim], index), order, constant(-1, order)).amax(1)
    taken = torch.index_select(source, dim, torch.clamp(last, min=0))
    return torch.where(_along(last >= 0, x.dim(), dim), taken, x)


@decomposes(aten.index_add.default)
def index_add(x: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Scalar = 1) -> Tensor:
    """x with the slices of `source` added at `index` along `dim`, narrow floats in f32."""
    dim = dim % x.dim()
    matches = _matches(x.shape[dim], index.reshape(-1))
    rows = widen(source).movedim(dim, 0).unsqueeze(0)
    chosen = torch.where(_trailing(matches, rows.dim()), rows, constant(0, rows))
    added = scaled(chosen.sum(1), alpha).movedim(0, dim)
    return (widen(x) + added).to(x.dtype)


def _trailing(x: Tensor, rank: int) -> Tensor:
    """`x` with dimensions of extent 1 behind, up to `rank`."""
    return x.view([*x.shape, *[1] * (rank - x.dim())])


@decomposes(aten.index_put.default, aten._unsafe_index_put.default)
def index_put(
    x: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False
) -> Any:
    """x[indices] = values for a bool mask with one value, or one vector of indices.

    NotImplemented for several index tensors.
    """
    given = [(dim, index) for dim, index in enumerate(indices) if index is not None]
    if len(given) != 1:
        return NotImplemented
    dim, index = given[0]
    if index.dtype == torch.bool:
        if accumulate or values.numel() != 1:
            return NotImplemented
        mask = index.view([*[1] * dim, *index.shape, *[1] * (x.dim() - dim - index.dim())])
        return torch.where(mask, values.reshape(()).to(x.dtype), x)
    if index.dim() != 1:
        return NotImplemented
    shape = [index.shape[0] if place == dim else extent for place, extent in enumerate(x.shape)]
    source = values.to(x.dtype).expand(shape)
    if accumulate:
        return index_add(x, dim, torch.where(index < 0, index + x.shape[dim], index), source)
    return index_copy(x, dim, index, source)


@decomposes(aten.topk.default)
def topk(x: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """(the k largest or smallest, their indices), in order; the first of equals comes first.

    NotImplemented for k above `MOST_TOP`.
    """
    dim = dim % x.dim()
    extent = x.shape[dim]
    if k > MOST_TOP:
        return NotImplemented
    extreme = torch.amax if largest else torch.amin
    places = _along(torch.arange(extent, device=x.device), x.dim(), dim)
    free = torch.ones_like(x, dtype=torch.bool)
    lowest = constant(_beyond(x.dtype, largest), x)
    # NaN counts as the largest: it wins amax as it is, and must lose amin.
    keys = torch.where(x != x, lowest, x) if x.dtype.is_floating_point and not largest else x
    values, indices = [], []
    for _ in range(k):
        best = extreme(torch.where(free, keys, lowest), [dim], True)
        place = first_hit(keys, best, dim, free)
        values.append(
            best if keys is x else extreme(torch.where(places == place, x, lowest), [dim], True)
        )
        indices.append(place)
        free = free & (places != place)
    return torch.cat(values, dim), torch.cat(indices, dim)


def _beyond(dtype: torch.dtype, largest: bool) -> Scalar:
    """The value that loses to every other."""
    if dtype.is_floating_point:
        return rounded(float("-inf") if largest else float("inf"), dtype)
    return torch.iinfo(dtype).min if largest else torch.iinfo(dtype).max
