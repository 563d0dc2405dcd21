"""Models that ask for f64 in the middle get it, to the bit; what they do not ask for stays f32."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from module_table import Call
from torch import Tensor
from torch.nn import functional as F

import ktir

from .support import LEVELS, assert_same_bits

Function = Callable[[Tensor, Tensor], Tensor]

ASKED: dict[str, Function] = {
    "arithmetic": lambda x, y: (x.double() * y.double() + 1.1).float(),
    "cancellation": lambda x, y: ((x.double() + 1e9) - 1e9).float() + y,
    "exponential": lambda x, y: torch.exp(x.double()).float(),
    "mean": lambda x, y: x.mean(-1, dtype=torch.float64).float(),
    "softmax": lambda x, y: torch.softmax(x, -1, dtype=torch.float64).float(),
    "product": lambda x, y: (x.double() @ y.double().t()).float(),
    "layer norm": lambda x, y: F.layer_norm(x.double(), (65,)).float() + y,
}

NOT_ASKED: dict[str, Function] = {
    "layer norm": lambda x, y: F.layer_norm(x, (65,)) + y,
    "attention": lambda x, y: F.scaled_dot_product_attention(x[None], x[None], y[None]),
    "gelu": lambda x, y: F.gelu(x) * 1.1,
}


def inputs() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(5, 65, generator=generator), torch.randn(5, 65, generator=generator)


@pytest.mark.parametrize("name", ASKED)
def test_f64_that_a_model_asks_for(name: str) -> None:
    """Equal to PyTorch after rounding to f32, at every level."""
    function, args = ASKED[name], inputs()
    program = ktir.compile_module(Call(function), args)
    for level in LEVELS:
        assert_same_bits(program.run_level(level, *args), function(*args), f"level {level}")


@pytest.mark.parametrize("name", NOT_ASKED)
def test_f64_that_no_model_asks_for(name: str) -> None:
    program = ktir.compile_module(Call(NOT_ASKED[name]), inputs(), stop_after="linalg")
    assert "f64" not in program.ir("linalg")
