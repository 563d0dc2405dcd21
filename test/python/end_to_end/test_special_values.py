"""Values at the edge of the formats and inputs that are not laid out plainly.

Owns infinities, NaN, zeros of both signs, subnormals and the largest numbers through pointwise ops,
and inputs that are views: transposed, strided, expanded, with an offset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from module_table import Call
from torch import Tensor
from torch.nn import functional as F

import ktir

from .support import LEVELS, assert_same_bits

DTYPES = (torch.float16, torch.bfloat16, torch.float32)


def specials(dtype: torch.dtype) -> Tensor:
    """Every kind of number the dtype has, of both signs."""
    info = torch.finfo(dtype)
    positive = [
        0.0,
        info.smallest_normal / 4,
        info.smallest_normal,
        0.5,
        1.0,
        1.5,
        3.0,
        88.0,
        info.max,
    ]
    plain = torch.tensor(positive, dtype=torch.float64).to(dtype)
    odd = torch.tensor([float("inf"), float("nan")], dtype=dtype)
    return torch.cat([plain, -plain, odd, -odd])


def pairs(dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Every special value beside every other, as two matrices."""
    one = specials(dtype)
    left, right = torch.meshgrid(one, one, indexing="ij")
    return left.contiguous(), right.contiguous()


Family = Mapping[str, Callable[..., Any]]

UNARY: Family = {
    "neg": torch.neg,
    "abs": torch.abs,
    "relu": torch.relu,
    "sign": torch.sign,
    "floor": torch.floor,
    "ceil": torch.ceil,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "exp": torch.exp,
    "log": torch.log,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "silu": F.silu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "clamp": lambda x: x.clamp(-1.25, 2.0),
    "to_f32": lambda x: x.float(),
    "to_f16": lambda x: x.half(),
    "cube": lambda x: x.pow(3),
    "is_nan": lambda x: x != x,
    "is_zero": lambda x: x == 0,
}

BINARY: Family = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "compare": lambda a, b: (a < b, a <= b, a == b, a != b, a > b, a >= b),
    "where": lambda a, b: torch.where(a > b, a, b),
}

SIGN_OF_ZERO_IS_OPEN = {"maximum", "minimum", "clamp", "gelu", "gelu_tanh", "sign", "relu"}
"""Ops for which PyTorch's own kernels do not agree on the sign of a zero result."""

RTOL = {torch.float16: 1e-3, torch.bfloat16: 1e-2, torch.float32: 1e-5}
ATOL = {dtype: 8 * torch.finfo(dtype).eps for dtype in DTYPES}
"""Where the two terms of an activation cancel, its error is relative to the operand."""


def run_together(functions: Family, args: tuple[Tensor, ...]) -> dict[str, tuple[Tensor, ...]]:
    """What one program of all functions gives; the same bits at every level."""
    program = ktir.compile_module(together(functions), args)
    got: dict[str, Any] = program(*args)
    for level in LEVELS:
        assert_same_bits(program.run_level(level, *args), got, f"level {level}")
    return got


def together(functions: Family) -> Call:
    """A module that gives a dict of tuples, one a function."""

    def forward(*args: Tensor) -> dict[str, tuple[Tensor, ...]]:
        results = {name: function(*args) for name, function in functions.items()}
        return {name: r if isinstance(r, tuple) else (r,) for name, r in results.items()}

    return Call(forward)


def check(functions: Family, args: tuple[Tensor, ...]) -> None:
    """Each op gives PyTorch's values: NaN, infinities and zeros where PyTorch has them."""
    got = run_together(functions, args)
    expected = together(functions)(*args)
    exact = together(functions)(*(arg.double() for arg in args))
    assert isinstance(expected, dict)
    assert isinstance(exact, dict)
    failures = []
    for name in functions:
        try:
            for one, other, wide in zip(got[name], expected[name], exact[name], strict=True):
                assert_fits(name, one, other, wide, args[0].dtype)
        except AssertionError as error:
            failures.append(f"{name}: {error}")
    assert not failures, "\n\n".join(failures)


def assert_fits(name: str, got: Tensor, other: Tensor, wide: Tensor, dtype: torch.dtype) -> None:
    found = fitting(got, other, wide)
    torch.testing.assert_close(got, found, rtol=RTOL[dtype], atol=ATOL[dtype], equal_nan=True)
    if name not in SIGN_OF_ZERO_IS_OPEN and other.is_floating_point():
        zeros = (other == 0) & (got == 0)
        assert torch.equal(got.signbit()[zeros], other.signbit()[zeros]), "sign of zero"


def fitting(got: Tensor, expected: Tensor, exact: Tensor) -> Tensor:
    """PyTorch's values; where they are not right (a gelu of infinity that is NaN), the exact ones.

    An exact value stands in only where it is what was computed, or finite and next to it.
    """
    rounded = exact.to(expected.dtype)
    close = torch.isclose(got, rounded, rtol=RTOL.get(got.dtype, 0.0), atol=0.0, equal_nan=True)
    return torch.where(close, rounded, expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_unary(dtype: torch.dtype) -> None:
    """All unary ops over every special value."""
    check(UNARY, (specials(dtype),))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_binary(dtype: torch.dtype) -> None:
    """All binary ops over every pair of special values."""
    check(BINARY, pairs(dtype))


def test_special_values_through_reductions() -> None:
    """A NaN or an infinity in one row stays in that row, also where the row ends inside a stick."""
    x = torch.randn(6, 67)
    x[1, 66] = float("nan")
    x[2, 0] = float("inf")
    x[3, 64] = -float("inf")
    x[4, :] = -float("inf")
    module = Call(lambda t: (t.sum(-1), t.amax(-1), t.mean(-1), torch.softmax(t, -1), t.argmax(-1)))
    program = ktir.compile_module(module, (x,))
    got = program(x)
    torch.testing.assert_close(got, module(x), rtol=1e-4, atol=1e-6, equal_nan=True)
    for level in LEVELS:
        assert_same_bits(program.run_level(level, x), got, f"level {level}")


def test_half_sums_add_in_single_precision() -> None:
    """24,608 ones in f16 sum to 24,608: added in f32 and rounded once, as PyTorch does."""
    x = torch.ones(2, 24608, dtype=torch.float16)
    program = ktir.compile_module(Call(lambda t: (t.sum(-1), t.mean(-1))), (x,))
    total, mean = program(x)
    assert total.tolist() == [24608.0, 24608.0]
    assert mean.tolist() == [1.0, 1.0]


def views(dtype: torch.dtype) -> dict[str, Tensor]:
    """Tensors of shape [6, 70] with the same values, laid out in different ways."""
    torch.manual_seed(3)
    base = torch.randn(6, 70).to(dtype)
    offset = torch.zeros(6 * 70 + 13, dtype=dtype)
    offset[13:] = base.reshape(-1)
    strided = torch.full((12, 140), 7.0, dtype=dtype)
    strided[1::2, ::2] = base
    return {
        "plain": base,
        "transposed": base.t().contiguous().t(),
        "offset": offset[13:].view(6, 70),
        "strided": strided[1::2, ::2],
    }


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)
def test_layout_of_inputs_does_not_matter(dtype: torch.dtype) -> None:
    """Inputs that are views give what their contiguous copies give; they are left untouched."""
    given = views(dtype)
    module = Call(lambda x, w: (x @ w.t() + x.amax(-1, keepdim=True), x * 2))
    program = ktir.compile_module(module, (given["plain"], given["plain"]))
    expected = program(given["plain"], given["plain"])
    for name, view in given.items():
        before = view.clone()
        assert_same_bits(program(view, view), expected, name)
        assert_same_bits(view, before, f"{name} after the call")
        again = ktir.compile_module(module, (view, view))
        assert_same_bits(again(view, view), expected, f"compiled with {name}")


def test_expanded_input_and_view_parameters() -> None:
    """An input with stride 0, and parameters that are views with an offset into one storage."""
    storage = torch.randn(3 * 65 + 9)
    module = torch.nn.Linear(65, 3)
    module.weight = torch.nn.Parameter(storage[9:].view(3, 65))
    module.bias = torch.nn.Parameter(storage[9 : 9 + 130 : 65][:2].repeat(2)[:3])
    x = torch.randn(1, 65).expand(5, 65)
    program = ktir.compile_module(module, (x,))
    torch.testing.assert_close(program(x), module(x).detach(), rtol=1e-4, atol=1e-5)
    assert_same_bits(program(x.contiguous()), program(x), "contiguous copy")
