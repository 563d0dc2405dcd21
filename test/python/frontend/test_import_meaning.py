"""Where torch-mlir's own lowering would differ from torch: values at the edges, bit for bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from module_table import Call
from native import call_natively
from torch import Tensor
from torch.nn import functional as F
from torch.utils import _pytree as pytree

from ktir.frontend.importer import import_model

NAN, INF = math.nan, math.inf


def values(*shape: int, scale: float = 3.0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0)) * scale


def edges() -> Tensor:
    """Normal values with NaN and both infinities among them, and a row of NaN."""
    x = values(4, 65)
    x[0, 3], x[1, 2], x[2, 1], x[3] = NAN, INF, -INF, NAN
    return x


def integers(low: int, high: int) -> Tensor:
    return torch.randint(low, high, (4, 65), generator=torch.Generator().manual_seed(1))


Function = Callable[..., Any]


def check(function: Function, *args: Tensor, rtol: float = 0.0, atol: float = 0.0) -> None:
    """Compare with torch on the CPU; equal bit for bit unless a tolerance is given."""
    module = Call(function)
    expected = pytree.tree_leaves(module(*args))
    results = pytree.tree_leaves(call_natively(import_model(module, args), args))
    for place, (result, reference) in enumerate(zip(results, expected, strict=True)):
        torch.testing.assert_close(
            result,
            reference,
            rtol=rtol,
            atol=atol,
            equal_nan=True,
            msg=lambda text, place=place: f"output {place}: {text}",  # type: ignore[misc]
        )


def each(*functions: Function) -> Function:
    """One function that returns what each of them does: one import serves many."""
    return lambda *args: [function(*args) for function in functions]


NARROW = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
FLOATS = pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)


@NARROW
def test_narrow_reductions_accumulate_in_f32(dtype: torch.dtype) -> None:
    functions = each(
        lambda x: x.sum(-1),
        lambda x: x.sum((0, 1), keepdim=True),
        lambda x: x.mean(0),
        lambda x: x.mean(),
        lambda x: x.var(-1),
        lambda x: x.std(-1, unbiased=False),
        lambda x: torch.linalg.vector_norm(x, dim=-1),
        lambda x: torch.linalg.vector_norm(x, INF, dim=-1),
        lambda x: torch.softmax(x, -1),
        lambda x: F.layer_norm(x, (65,)),
        lambda x: F.rms_norm(x, (65,)),
        lambda x: x.cumsum(0),
    )
    check(functions, values(4, 65).to(dtype))


@NARROW
def test_narrow_pointwise_rounds_once(dtype: torch.dtype) -> None:
    functions = each(
        lambda x: F.silu(x),
        lambda x: F.hardswish(x),
        lambda x: x * 0.1,
        lambda x: x / 0.3,
        lambda x: x + 0.1,
        lambda x: 0.1 - x,
        lambda x: x * torch.tensor(0.1),
        lambda x: x > 0.1,
        lambda x: x.abs() ** 0.5,
    )
    check(functions, values(4, 65).to(dtype))


@NARROW
def test_composites_are_within_a_unit(dtype: torch.dtype) -> None:
    functions = each(
        lambda x: F.gelu(x),
        lambda x: F.gelu(x, approximate="tanh"),
        lambda x: F.softplus(x),
        lambda x: F.mish(x),
        lambda x: F.elu(x),
        lambda x: F.logsigmoid(x),
        lambda x: torch.log_softmax(x, -1),
        lambda x: torch.logsumexp(x, -1),
        lambda x: x.abs() ** 1.7,
        lambda x: x**3,
    )
    check(functions, values(4, 65).to(dtype), rtol=2 * torch.finfo(dtype).eps, atol=1e-5)


@NARROW
def test_alpha_is_rounded_and_multiplied_in_f32(dtype: torch.dtype) -> None:
    x, eps = values(4, 65).to(dtype), torch.finfo(dtype).eps
    functions = each(
        lambda x: torch.add(x, x.flip(0), alpha=0.3), lambda x: torch.sub(x, 3, alpha=0.3)
    )
    check(functions, x, rtol=eps, atol=eps)


@NARROW
def test_a_long_sum_does_not_stop_growing(dtype: torch.dtype) -> None:
    functions = each(lambda x: x.sum(-1), lambda x: x.mean(-1), lambda x: x.cumsum(-1))
    check(functions, torch.ones(2, 24608, dtype=dtype))


@NARROW
def test_bias_is_added_before_rounding(dtype: torch.dtype) -> None:
    x, weight, bias = values(5, 65).to(dtype), values(9, 65).to(dtype), values(9).to(dtype)
    functions = each(F.linear, lambda x, w, b: torch.addmm(b, x, w.t()))
    check(functions, x, weight, bias)


@FLOATS
def test_nan_and_infinity(dtype: torch.dtype) -> None:
    functions = each(
        lambda x: torch.maximum(x, x.flip(1)),
        lambda x: torch.minimum(x, x.flip(1)),
        lambda x: x.clamp(-1, 1),
        lambda x: x.clamp(min=0.1),
        lambda x: x.clamp(1, -1),
        lambda x: torch.clamp(x, x.flip(1), x.flip(0)),
        lambda x: F.relu6(x),
        lambda x: F.relu(x),
        lambda x: x.amax(-1),
        lambda x: x.amin(0),
        lambda x: x.max(),
        lambda x: x.argmax(-1),
        lambda x: x.argmin(0, keepdim=True),
        lambda x: tuple(x.max(1)),
        lambda x: torch.isfinite(x),
        lambda x: torch.isnan(x),
        lambda x: (x <= 0, x != 0.0, x > INF),
        lambda x: x.masked_fill(x > 0, -INF),
    )
    check(functions, edges().to(dtype))


def test_argmax_takes_the_first_of_equals() -> None:
    x = torch.tensor([[1.0, 5.0, 5.0], [-INF, -INF, -INF], [0.0, -0.0, 0.0]])
    check(lambda x: (x.argmax(-1), x.argmin(-1), x.argmax()), x)
    check(lambda x: x.argmax(-1), x.to(torch.int64).clamp(-9, 9))


def test_negative_padding_cuts() -> None:
    widths = [(-1, 2), (-3, -2), (2, 3, -1, 1), (0, 0, -1, -1)]
    check(lambda x: [F.pad(x, w, value=1.5) for w in widths], values(4, 65).to(torch.float16))


def test_integer_division_is_exact() -> None:
    large = torch.tensor([2**53 + 1, -(2**53) - 1, 2**62 + 3, -7, 7, 0])
    by = torch.tensor([1, 1, -3, 2, -2, 5])
    check(lambda x, y: (x // y, x % y, torch.div(x, y, rounding_mode="trunc")), large, by)
    check(lambda x: (x // 3, x % -3, x**3, x.cumsum(0), x.clamp(-3, 3)), integers(-99, 99))


def test_integers_and_scalars() -> None:
    check(lambda x: (x * 0.5, x / 3, x > 2.5, 3 - x, x.sum(-1), (x > 0).sum(0)), integers(-9, 9))


def test_float_division_with_rounding() -> None:
    x = values(4, 65).to(torch.float16)
    y = values(4, 65, scale=1.0).flip(1).to(torch.float16)
    functions = each(
        lambda x, y: x // y,
        lambda x, y: torch.div(x, y, rounding_mode="trunc"),
        lambda x, y: x // 0.3,
        lambda x, y: x % 0.3,
        lambda x, y: torch.fmod(x, y),
    )
    check(functions, x, y)


def test_concatenation_of_mixed_and_empty() -> None:
    x = values(4, 65)
    check(lambda x, y: torch.cat([x, y], -1), x, integers(-9, 9))
    check(lambda x, y: torch.cat([x, y], 0), torch.zeros(0), x)


# ---- attention ---------------------------------------------------------------------------


def attention_operands(dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    x = values(3, 2, 4, 7, 16, scale=1.0).to(dtype)
    return x[0], x[1], x[2]


def masked_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)


@FLOATS
def test_rows_that_see_nothing_give_zero(dtype: torch.dtype) -> None:
    operands = attention_operands(dtype)
    mask = torch.ones(7, 7, dtype=torch.bool)
    mask[2] = False
    additive = torch.zeros(7, 7, dtype=dtype).masked_fill(~mask, -INF)
    for hidden in (mask, additive):
        module = Call(masked_attention)
        result = call_natively(import_model(module, (*operands, hidden)), (*operands, hidden))
        assert (result[:, :, 2] == 0).all()
        torch.testing.assert_close(result, module(*operands, hidden), rtol=5e-3, atol=2e-3)


@FLOATS
def test_hidden_keys_weigh_nothing(dtype: torch.dtype) -> None:
    """Changing a masked key or value changes no bit, for -inf, -1e4 and the smallest number."""
    query, key, value = attention_operands(dtype)
    other_key, other_value = key.clone(), value.clone()
    other_key[..., 3, :], other_value[..., 3, :] = 5.0, -7.0
    for hiding in (-INF, -1e4, torch.finfo(dtype).min):
        mask = torch.zeros(7, 7, dtype=dtype)
        mask[:, 3] = hiding
        module = Call(masked_attention)
        imported = import_model(module, (query, key, value, mask))
        first = call_natively(imported, (query, key, value, mask))
        second = call_natively(imported, (query, other_key, other_value, mask))
        assert torch.equal(first, second)


@FLOATS
def test_causal_attention_counts_from_the_top_left(dtype: torch.dtype) -> None:
    query, key, value = attention_operands(dtype)
    for keys in (3, 7):
        short = (query, key[..., :keys, :], value[..., :keys, :])
        module = Call(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True))
        result = call_natively(import_model(module, short), short)
        torch.testing.assert_close(result, module(*short), rtol=5e-3, atol=2e-3)
