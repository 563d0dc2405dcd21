"""Named ops of `linalg` that slide windows, against torch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from machine_program import run
from torch import Tensor

Reference = Callable[[Tensor, Tensor], Tensor]


def pool(fold: Callable[[Tensor], Tensor]) -> Reference:
    """Windows of 2 by 3 of a tensor n, h, w, c."""

    def apply(x: Tensor, window: Tensor) -> Tensor:
        h, w = window.shape
        return fold(x.unfold(1, h, 1).unfold(2, w, 1).flatten(-2))

    return apply


CASES: dict[str, tuple[list[int], list[int], list[int], float, Reference]] = {
    "conv_1d_ncw_fcw": ([2, 3, 8], [4, 3, 3], [2, 4, 6], 0.0, F.conv1d),
    "conv_2d_nchw_fchw": ([2, 3, 8, 7], [4, 3, 3, 2], [2, 4, 6, 6], 0.0, F.conv2d),
    "conv_3d_ncdhw_fcdhw": ([1, 2, 4, 5, 6], [3, 2, 2, 2, 3], [1, 3, 3, 4, 4], 0.0, F.conv3d),
    "conv_2d_ngchw_gfchw": (
        [2, 3, 2, 6, 5],
        [3, 4, 2, 3, 2],
        [2, 3, 4, 4, 4],
        0.0,
        lambda x, w: F.conv2d(x.flatten(1, 2), w.flatten(0, 1), groups=3).view(2, 3, 4, 4, 4),
    ),
    "depthwise_conv_1d_ncw_cw": (
        [2, 3, 8],
        [3, 3],
        [2, 3, 6],
        0.0,
        lambda x, w: F.conv1d(x, w.unsqueeze(1), groups=3),
    ),
    "pooling_nhwc_max": (
        [2, 5, 6, 3],
        [2, 3],
        [2, 4, 4, 3],
        -torch.inf,
        pool(lambda w: w.amax(-1)),
    ),
    "pooling_nhwc_min": ([2, 5, 6, 3], [2, 3], [2, 4, 4, 3], torch.inf, pool(lambda w: w.amin(-1))),
    "pooling_nhwc_sum": ([2, 5, 6, 3], [2, 3], [2, 4, 4, 3], 0.0, pool(lambda w: w.sum(-1))),
    "pooling_ncw_max": (
        [2, 3, 8],
        [3],
        [2, 3, 6],
        -torch.inf,
        lambda x, w: F.max_pool1d(x, len(w), 1),
    ),
}


def shape(sizes: list[int]) -> str:
    return f"tensor<{'x'.join(map(str, sizes))}xf32>"


@pytest.mark.parametrize("name", CASES)
def test_windows(name: str) -> None:
    image, window, result, start, reference = CASES[name]
    rank = len(result) - (2 if "ngchw" not in name else 3)
    ones = f"dense<1> : tensor<{rank}xi64>"
    text = (
        f"func.func @f(%x: {shape(image)}, %w: {shape(window)}, %o: {shape(result)}) -> "
        f"{shape(result)} {{\n%r = linalg.{name} {{dilations = {ones}, strides = {ones}}} "
        f"ins(%x, %w : {shape(image)}, {shape(window)}) outs(%o : {shape(result)}) -> "
        f"{shape(result)}\nreturn %r : {shape(result)} }}"
    )
    random = torch.Generator().manual_seed(0)
    x, w = (torch.randn(size, generator=random) for size in (image, window))
    (found,) = run(text, x[None], w[None], torch.full((1, *result), start))
    torch.testing.assert_close(found[0], reference(x, w), rtol=1e-4, atol=1e-5)
