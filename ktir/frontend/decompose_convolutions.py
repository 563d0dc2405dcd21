"""Convolutions as one matrix product over gathered windows.

linalg's convolutions read at sums of loop indices, which no later pass takes. Here the windows are
strided slices, one for each place in the kernel, put side by side along the reduced dimension.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from ktir.frontend.decompose_contractions import contract
from ktir.frontend.opmath import aten, decomposes, widen


@decomposes(aten.convolution.default)
def convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Any:
    """x [N, C, *in] with weight [F, C / groups, *kernel] -> [N, F, *out], accumulated in f32.

    NotImplemented for transposed convolutions.
    """
    if transposed:
        return NotImplemented
    rank = x.dim() - 2
    stride, padding, dilation = (_full(sizes, rank) for sizes in (stride, padding, dilation))
    windows, extents = _windows(x, weight.shape[2:], stride, padding, dilation)
    batch, features = x.shape[0], weight.shape[0]
    rows = _by_group(windows, groups)
    columns = weight.reshape(groups, features // groups, -1).transpose(1, 2)
    product = contract(rows, columns)
    if bias is not None:
        product = product + widen(bias).view(groups, 1, features // groups)
    places = product.view(groups, batch, math.prod(extents), features // groups)
    result = places.permute(1, 0, 3, 2).reshape(batch, features, *extents)
    return result.to(x.dtype)


def _full(sizes: Sequence[int], rank: int) -> list[int]:
    """One number a dimension; torch allows a single one for all."""
    return [*sizes] if len(sizes) == rank else [sizes[0]] * rank


def _windows(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> tuple[Tensor, list[int]]:
    """([N, C, places in the kernel, places in the output], extents of the output)."""
    if any(padding):
        x = F.pad(x, [width for width in reversed(padding) for _ in range(2)])
    extents = [
        (extent - apart * (size - 1) - 1) // step + 1
        for extent, size, step, apart in zip(x.shape[2:], kernel, stride, dilation, strict=True)
    ]
    slices = []
    for place in itertools.product(*(range(size) for size in kernel)):
        window = x
        for dim, (index, extent) in enumerate(zip(place, extents, strict=True)):
            start = index * dilation[dim]
            stop = start + stride[dim] * (extent - 1) + 1
            window = aten.slice.Tensor(window, dim + 2, start, stop, stride[dim])
        slices.append(window.reshape(x.shape[0], x.shape[1], 1, -1))
    return torch.cat(slices, 2) if len(slices) > 1 else slices[0], extents


def _by_group(windows: Tensor, groups: int) -> Tensor:
    """[N, C, kernel, output] -> [groups, N * output, C / groups * kernel]."""
    batch, channels, kernel, places = windows.shape
    apart = windows.reshape(batch, groups, channels // groups * kernel, places)
    return apart.permute(1, 0, 3, 2).reshape(groups, batch * places, -1)
