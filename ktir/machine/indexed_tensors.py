"""`tensor.gather` and `tensor.scatter`: parts of a tensor at places that another tensor names.

Owns their decoding. A part keeps the dimensions that are not indexed whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ktir.errors import BoundsError
from ktir.machine.block import Step
from ktir.machine.decode import Scope, handler
from ktir.machine.frame import Frame
from ktir.machine.slices import static_ints
from ktir.mlir import ir


@dataclass(frozen=True)
class _Places:
    """Which dimensions of a tensor are indexed, by the last dimension of the indices."""

    dims: tuple[int, ...]

    def of(self, whole: Sequence[int], indices: Tensor) -> tuple[Tensor, ...]:
        """The subscript of every element: int64 that broadcast to [cores, batch .., dims ..], with
        one entry a dimension of the tensor. Raises BoundsError."""
        batch = indices.dim() - 2
        rank = len(whole)
        found = []
        for dim, size in enumerate(whole):
            if dim in self.dims:
                index = indices[..., self.dims.index(dim)].to(torch.int64)
                _check(index, dim, size)
                found.append(index.view(*index.shape, *[1] * rank))
            else:
                shape = [1] * (1 + batch + rank)
                shape[1 + batch + dim] = size
                found.append(torch.arange(size).view(shape))
        return tuple(found)


def _check(index: Tensor, dim: int, size: int) -> None:
    wrong = (index < 0) | (index >= size)
    if bool(wrong.any()):
        raise BoundsError(
            f"an index names coordinate {int(index[wrong][0])} along dimension {dim}; "
            f"expected 0 to {size - 1}"
        )


def _spread(x: Tensor, cores: int) -> Tensor:
    return x.expand(cores, *x.shape[1:]) if x.shape[0] < cores else x


@handler("tensor.gather")
def decode_gather(op: Any, scope: Scope) -> Step:
    """Parts of the source, one for each entry of the indices."""
    x, indices = scope.slots(list(op.operands))
    places = _Places(tuple(static_ints(op, "gather_dims")))
    batch = ir.RankedTensorType(op.operands[1].type).rank - 1
    ranks = [ir.RankedTensorType(value.type).rank for value in (op.operands[0], op.results[0])]
    is_dropped = batch + ranks[0] != ranks[1]
    dropped = [1 + batch + dim for dim in places.dims] if is_dropped else []
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        source = frame[x]
        found = places.of(source.shape[1:], frame[indices])
        cores = max(source.shape[0], frame[indices].shape[0])
        source = _spread(source, cores)
        numbers = torch.arange(cores).view(-1, *[1] * (found[0].dim() - 1))
        frame[result] = source[(numbers, *found)].squeeze(dropped)

    return step


@handler("tensor.scatter")
def decode_scatter(op: Any, scope: Scope) -> Step:
    """A copy of the destination with parts replaced, one for each entry of the indices."""
    part, x, indices = scope.slots(list(op.operands))
    places = _Places(tuple(static_ints(op, "scatter_dims")))
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        data, whole = frame[part], frame[x]
        found = places.of(whole.shape[1:], frame[indices])
        cores = max(data.shape[0], whole.shape[0], frame[indices].shape[0])
        whole = _spread(whole, cores).clone(memory_format=torch.contiguous_format)
        numbers = torch.arange(cores).view(-1, *[1] * (found[0].dim() - 1))
        shape = np.broadcast_shapes(*(n.shape for n in (numbers, *found)))
        whole[(numbers, *found)] = _spread(data, cores).reshape(shape)
        frame[result] = whole

    return step
