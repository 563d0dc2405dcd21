"""`linalg.pack` and `linalg.unpack`: tensors cut into inner tiles, and put together again.

Owns both, for tiles whose sizes are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import MachineError, UnsupportedError
from ktir.machine.block import Step
from ktir.machine.decode import Scope, handler
from ktir.machine.frame import Frame
from ktir.machine.slices import DYNAMIC, static_ints


class _Tiling:
    """Which dimensions are cut into tiles of which sizes, and the order of the outer ones."""

    def __init__(self, op: Any, rank: int) -> None:
        if len(op.results) == 0:
            raise UnsupportedError("linalg on memrefs; the machine's values are tensors")
        self.dims = list(op.inner_dims_pos)
        self.tiles = static_ints(op, "static_inner_tiles")
        if DYNAMIC in self.tiles:
            raise UnsupportedError("inner tiles whose sizes are values; use constants")
        self.outer = list(op.outer_dims_perm or range(rank))

    def packed(self, x: Tensor) -> Tensor:
        """[rows, dims ..], multiples of the tiles, as [rows, outer dims .., tiles ..]."""
        split: list[int] = []
        places: dict[int, int] = {}
        for dim, size in enumerate(x.shape[1:]):
            places[dim] = len(split) + 1
            if dim in self.dims:
                tile = self.tiles[self.dims.index(dim)]
                split += [size // tile, tile]
            else:
                split.append(size)
        wide = x.reshape(x.shape[0], *split)
        outer = [places[dim] for dim in self.outer]
        return wide.permute(0, *outer, *(places[dim] + 1 for dim in self.dims))

    def unpacked(self, x: Tensor) -> Tensor:
        """The converse of `packed`."""
        rank = len(self.outer)
        order, shape = [0], []
        for dim in range(rank):
            place = self.outer.index(dim) + 1
            order.append(place)
            shape.append(x.shape[place])
            if dim in self.dims:
                number = self.dims.index(dim)
                order.append(rank + 1 + number)
                shape[-1] *= self.tiles[number]
        return x.permute(order).reshape(x.shape[0], *shape)


@handler("linalg.pack")
def decode_pack(op: Any, scope: Scope) -> Step:
    """A tensor in tiles; incomplete ones are filled with the padding value."""
    tiling = _Tiling(op, op.source.type.rank)
    x = scope.slot(op.source)
    padding = None if op.padding_value is None else scope.slot(op.padding_value)
    result = scope.define(op.results[0])

    def pack(frame: Frame) -> None:
        tensor = frame[x]
        sizes = list(tensor.shape[1:])
        shape = list(sizes)
        for dim, tile in zip(tiling.dims, tiling.tiles, strict=True):
            shape[dim] = -(-shape[dim] // tile) * tile
        if shape != sizes:
            if padding is None:
                raise MachineError(
                    f"a tensor of {sizes} is cut into tiles of {tiling.tiles} without a padding "
                    "value"
                )
            tensor = _padded(tensor, shape, frame[padding])
        frame[result] = tiling.packed(tensor)

    return pack


def _padded(tensor: Tensor, shape: Sequence[int], value: Tensor) -> Tensor:
    rows = max(tensor.shape[0], value.shape[0])
    whole = value.view(-1, *[1] * len(shape)).expand(rows, *shape)
    whole = whole.clone(memory_format=torch.contiguous_format)
    whole[(slice(None), *(slice(size) for size in tensor.shape[1:]))] = tensor
    return whole


@handler("linalg.unpack")
def decode_unpack(op: Any, scope: Scope) -> Step:
    """A tensor from its tiles, without padding."""
    tiling = _Tiling(op, op.dest.type.rank)
    x, into = scope.slot(op.source), scope.slot(op.dest)
    result = scope.define(op.results[0])

    def unpack(frame: Frame) -> None:
        sizes = frame[into].shape[1:]
        whole = tiling.unpacked(frame[x])
        frame[result] = whole[(slice(None), *(slice(size) for size in sizes))]

    return unpack
