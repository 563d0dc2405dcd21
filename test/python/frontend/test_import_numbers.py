"""Where torch-mlir takes numbers for others: integers as floats, bytes as signed, remainders of
large quotients, infinite divisors, and the sign of zero.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from module_table import Call
from native import call_natively
from torch import Tensor
from torch.nn import functional as F

from ktir.frontend.importer import import_model

NAN, INF = math.nan, math.inf
FLOATS = pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)


def same(function: Any, *args: Tensor) -> None:
    """Every output equals torch's in bits, but for the payload of NaN; so zeros by their sign."""
    module = Call(function)
    results = call_natively(import_model(module, args), args)
    for place, (result, expected) in enumerate(zip(results, module(*args), strict=True)):
        message = f"output {place}: {result} for {expected}"
        torch.testing.assert_close(result, expected, rtol=0, atol=0, equal_nan=True, msg=message)
        known = expected == expected
        assert torch.equal(torch.signbit(result)[known], torch.signbit(expected)[known]), message


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32], ids=str)
def test_negation_of_integers_is_exact(dtype: torch.dtype) -> None:
    least = torch.iinfo(dtype).min
    x = torch.tensor([least, least + 1, 2**24 + 1, -(2**24) - 1, 0, 3], dtype=dtype)
    same(lambda x: (-x, torch.neg(x) + 1), x)
    same(lambda x: (-x,), torch.tensor([2**53 + 1, -(2**62) - 1]))


@pytest.mark.parametrize("source", [torch.float16, torch.float32, torch.float64], ids=str)
def test_floats_become_small_integers_as_on_the_cpu(source: torch.dtype) -> None:
    x = torch.tensor([200.0, 255.0, 256.0, 127.9, -1.0, -1.5, 300.7, -40000.0, 0.0], dtype=source)
    same(lambda x: (x.to(torch.uint8), x.to(torch.int8), x.to(torch.int16)), x)


BYTES = torch.tensor([200, 255, 7, 0], dtype=torch.uint8)
DIVISORS = torch.tensor([3, 200, 2, 1], dtype=torch.uint8)


def test_bytes_divide_unsigned() -> None:
    def divisions(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        truncated = torch.div(x, y, rounding_mode="trunc")
        return x // y, x / y, x % y, torch.fmod(x, y), truncated, x // 3, x % 3, x / 3

    same(divisions, BYTES, DIVISORS)


@pytest.mark.parametrize(
    "other",
    [torch.tensor([0.5, 1.0, 201.0, 3.0]), torch.tensor([-1, 300, 2, -3], dtype=torch.int32)],
    ids=["float32", "int32"],
)
def test_bytes_beside_another_type(other: Tensor) -> None:
    def mixtures(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        arithmetic = (x * y, y * x, x / y, x // y, x % y, x + y)
        choices = (torch.maximum(x, y), torch.minimum(y, x), torch.where(x > 3, x, y))
        return *arithmetic, *choices, x > y, y <= x, x.abs()

    same(mixtures, BYTES, other)


@FLOATS
def test_remainders_of_floats(dtype: torch.dtype) -> None:
    def divisions(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        return torch.fmod(x, y), torch.remainder(x, y), x // y, x % 3.0, x // -3.0

    numbers = [1.0, -1.0, 0.0, -0.0, 5.5, -5.5, 6.0, -6.0, INF, -INF, NAN]
    divisors = [INF, -INF, 3.0, -3.0, 0.7, 0.0, NAN]
    x = torch.tensor(numbers, dtype=dtype)[:, None].repeat(1, len(divisors))
    same(divisions, x, torch.tensor(divisors, dtype=dtype).expand_as(x).contiguous())


def test_remainders_of_large_quotients() -> None:
    x = torch.tensor([1e9, 1e10, 16777217.0, -1e30, 3e38, 1e-38])
    y = torch.tensor([3.0, 0.7, 0.1, 7.0, 1e-3, 1e-40])
    same(lambda x, y: (torch.fmod(x, y), torch.remainder(x, y), torch.remainder(x, -y)), x, y)


@FLOATS
def test_a_bound_that_is_nan(dtype: torch.dtype) -> None:
    def clamps(x: Tensor) -> tuple[Tensor, ...]:
        return x.clamp(NAN, 1.0), x.clamp(-1.0, NAN), x.clamp(min=NAN), x.clamp(max=NAN)

    same(clamps, torch.tensor([1.0, -INF, 3.0, NAN], dtype=dtype))
    same(lambda x: (x.clamp(min=NAN),), torch.arange(3))


@FLOATS
def test_signs_of_zero(dtype: torch.dtype) -> None:
    def choices(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        clamps = (x.clamp(0, 1), x.clamp(-1, -0.0), torch.clamp(x, y, y), F.relu6(x))
        return *clamps, F.relu(x), torch.maximum(x, y), torch.minimum(x, y)

    x = torch.tensor([0.0, -0.0, 0.0, -0.0, -1.0, NAN], dtype=dtype)
    y = torch.tensor([-0.0, 0.0, 0.0, -0.0, -0.0, 0.0], dtype=dtype)
    same(choices, x, y)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
def test_roots_as_powers(dtype: torch.dtype) -> None:
    x = torch.tensor([-INF, INF, -4.0, 4.0, NAN, -0.0, 0.0], dtype=dtype)
    same(lambda x: (x**0.5, x**-0.5, x**-1, x**-2, x**3), x)
