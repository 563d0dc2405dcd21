"""`tensor.extract` inside structured ops: elements of a whole tensor at computed indices.

Owns the gather and its bounds check. Where the last dimensions are simply counted by the last
loops, whole rows are taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ktir.errors import BoundsError
from ktir.machine.scalar import Meaning


def extraction(loops: int, index_loops: Sequence[int | None]) -> Meaning:
    """The meaning of `tensor.extract` in a body of so many loops.

    `index_loops`: for each index the loop that it counts if it is a `linalg.index`. The meaning
    takes the source [1 or C, dims ..] and one int64 array [1 or C, loops ..] a dimension. It raises
    BoundsError.
    """
    rank = len(index_loops)
    counted = _counted_rows(loops, index_loops)

    def extract(source: Tensor, *indices: Tensor) -> Tensor:
        for axis, index in enumerate(indices):
            _check(source, axis, index)
        if counted and _whole_rows(source, indices, counted):
            return _rows(source, indices[: rank - counted], counted)
        return _elements(source, indices)

    return extract


def _counted_rows(loops: int, index_loops: Sequence[int | None]) -> int:
    """How many of the last indices, not all, count the last loops in order."""
    rank = len(index_loops)
    counted = 0
    while counted < rank - 1 and index_loops[rank - 1 - counted] == loops - 1 - counted:
        counted += 1
    return counted


def _whole_rows(source: Tensor, indices: Sequence[Tensor], counted: int) -> bool:
    """Whether the counted loops run over whole dimensions and the other indices ignore them."""
    first = source.dim() - counted
    whole = all(
        indices[a - 1].shape[a - source.dim()] == source.shape[a]
        for a in range(first, source.dim())
    )
    leading = indices[: first - 1]
    return whole and all(s == 1 for index in leading for s in index.shape[index.dim() - counted :])


def _rows(source: Tensor, leading: Sequence[Tensor], counted: int) -> Tensor:
    picked = [index.reshape(index.shape[: index.dim() - counted]) for index in leading]
    if len(picked) == 1 and source.shape[0] == 1:
        rows = source[0].index_select(0, picked[0].reshape(-1))
        return rows.view(*picked[0].shape, *source.shape[2:])
    return _elements(source, picked)


def _elements(source: Tensor, indices: Sequence[Tensor]) -> Tensor:
    if source.shape[0] == 1:
        return source[0][tuple(indices)]
    cores = torch.arange(source.shape[0]).view(-1, *(1,) * (indices[0].dim() - 1))
    return source[(cores, *indices)]


def _check(source: Tensor, axis: int, index: Tensor) -> None:
    if index.numel() == 0:
        return
    size = source.shape[axis + 1]
    low, high = (int(v) for v in torch.aminmax(index))
    if low >= 0 and high < size:
        return
    where = ((index < 0) | (index >= size)).nonzero()[0].tolist()
    found = int(index[tuple(where)])
    core = f" on core {where[0]} of the running ones" if index.shape[0] > 1 else ""
    raise BoundsError(
        f"index {found} in dimension {axis} of a tensor of {list(source.shape[1:])}, valid are 0"
        f" to {size - 1}; found at iteration {where[1:]}{core}"
    )
