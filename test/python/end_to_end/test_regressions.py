"""Models that went wrong once, each with what was wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import ktir
from ktir.levels import MLIR_LEVELS


class Wrapped(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Tensor) -> Any:
        return self.function(*args)


def half(*shape: int) -> Tensor:
    """Normally distributed f16 numbers."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0)).half()


CASES: dict[str, tuple[Callable[..., Any], tuple[Tensor, ...]]] = {
    # The fill of a padded buffer was launched after the kernel that stores into it.
    "pad of a computed value": (lambda x: F.pad(x.exp(), (64, 0)), (half(2, 65),)),
    "pad of rows": (lambda x: F.pad(x.exp(), (0, 0, 1, 0)), (half(2, 65),)),
    # One operand read through two maps has two sets of dimensions.
    "product with itself": (lambda x: torch.bmm(x, x.transpose(1, 2)), (half(3, 9, 64),)),
    "attention to itself": (
        lambda x: F.scaled_dot_product_attention(x, x, x),
        (half(1, 4, 9, 64),),
    ),
    # A fill that is an input is no initial value.
    "product of a constant": (lambda x: torch.full((8, 3), 2.0).half() @ x, (half(3, 70),)),
    "sum of ones": (lambda x: torch.ones(8, 3).half().sum(1) + x[0, 0], (half(3, 70),)),
    # A scalar of a slice lost its offset on the way to the host.
    "scalar of a slice": (lambda x: (x + 1)[2, 65], (half(3, 70),)),
    # Conversions between types of equal width do not run in place.
    "integers to floats": (lambda x: x.float(), (torch.arange(5, dtype=torch.int32),)),
    "bfloat16 to float16": (lambda x: x.half(), (half(2, 70).bfloat16(),)),
    # A loop of one step folds away, and with it the name of a gather's coordinate.
    "flip": (lambda x: x.flip(-1), (half(2, 3, 65),)),
    "reflected pad": (lambda x: F.pad(x, (2, 2), mode="reflect"), (half(2, 3, 65),)),
    # A gather whose coordinates are all known was no tile that could be lowered.
    "diagonal": (lambda x: x.diagonal() * 2, (half(70, 65),)),
    "diagonal above, of rows": (lambda x: x.diagonal(1, 0, 2), (half(65, 3, 70),)),
    "diagonal below, of a view": (lambda x: x[1:].t().diagonal(-2), (half(70, 65),)),
    "diagonals of many": (lambda x: torch.einsum("bii->bi", x), (half(40, 9, 9),)),
    "trace": (lambda x: torch.trace(x.float()), (half(65, 65),)),
    "three coordinates by one index": (
        lambda x: x[torch.arange(5), :, torch.arange(1, 6), torch.arange(5)],
        (half(5, 3, 6, 7),),
    ),
    "columns by index": (lambda x: x[:, [2, 0]], (half(2, 3, 65),)),
}


@pytest.mark.parametrize("name", CASES)
def test_matches_torch_at_every_level(name: str) -> None:
    function, args = CASES[name]
    compiled = ktir.compile_module(Wrapped(function).eval(), args)
    expected = function(*args)
    results = [compiled.run_level(level, *args) for level in MLIR_LEVELS]
    torch.testing.assert_close(results[-1], expected, rtol=1e-2, atol=1e-3)
    for level, result in zip(MLIR_LEVELS, results, strict=True):
        assert torch.equal(result, results[-1]), level
