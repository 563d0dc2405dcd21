"""Intrinsics of the device: against numpy in f64 and PyTorch, at both levels, bit for bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from spyreop_text import NUMPY, SPECIAL, Array, check_near, everything, kernel, run, same

erfc = np.vectorize(math.erfc, otypes=[np.float64])


def softplus(beta: float, threshold: float) -> Callable[[Array], Array]:
    beta, threshold = float(np.float32(beta)), float(np.float32(threshold))
    return lambda x: np.where(
        x * beta > threshold, x, np.log1p(np.exp(x.astype(np.float32) * np.float32(beta))) / beta
    )


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: 0.5 * x * erfc(-x * math.sqrt(0.5)),
}
ULPS = {"exp": 1, "rsqrt": 1, "sigmoid": 1, "silu": 1, "gelu": 1}
CASES = [(name, element) for name in FUNCTIONS for element in ("f16", "f32")]
CASES.remove(("gelu", "f32"))


@pytest.mark.parametrize(("name", "element"), CASES)
def test_functions(tmp_path: Path, name: str, element: str) -> None:
    x = everything(element)
    found = run(tmp_path, kernel(f"%r = spyreop.{name} %a : {element}", element, x.shape[1]), x)
    with np.errstate(all="ignore"):
        check_near(found, FUNCTIONS[name](x.astype(np.float64)), ULPS.get(name, 0))


TORCH: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "exp": torch.exp,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "sigmoid": torch.sigmoid,
    "silu": torch.nn.functional.silu,
    "gelu": torch.nn.functional.gelu,
}


@pytest.mark.parametrize("name", sorted(TORCH))
def test_special_values_are_those_of_pytorch(tmp_path: Path, name: str) -> None:
    x = np.tile(np.array([*SPECIAL[:7], 65504, -65504, 1, -1], np.float16), (128, 6))[:, :64]
    found = run(tmp_path, kernel(f"%r = spyreop.{name} %a : f16", "f16", 64), x)
    wanted = TORCH[name](torch.from_numpy(x)).numpy()
    special = ~np.isfinite(wanted) | (wanted == 0)
    assert same(found[special], wanted[special])
    np.testing.assert_allclose(found[~special].astype(float), wanted[~special].astype(float), 2e-3)


@pytest.mark.parametrize(("beta", "threshold"), [(1.0, 20.0), (0.5, 2.0), (-2.0, 5.0), (3.0, 1e3)])
def test_softplus(tmp_path: Path, beta: float, threshold: float) -> None:
    x = everything("f16")
    body = f"%r = spyreop.softplus %a beta {beta:e} threshold {threshold:e} : f16"
    found = run(tmp_path, kernel(body, "f16", x.shape[1]), x)
    with np.errstate(all="ignore"):
        check_near(found, softplus(beta, threshold)(x.astype(np.float64)), 1)
    wanted = torch.nn.functional.softplus(torch.from_numpy(x), beta, threshold).numpy()
    special = ~np.isfinite(wanted)
    assert same(found[special], wanted[special])


def pairs(element: str) -> tuple[Array, Array]:
    """Every special value with every other one, and some numbers."""
    dtype = NUMPY[element]
    special = np.array([*SPECIAL, 2.0, 3.0, -0.3], np.float64)
    with np.errstate(over="ignore"):
        numbers = np.random.default_rng(1).standard_normal(128 * 64).astype(dtype)
        a, b = numbers.copy(), numbers[::-1].copy()
        a[: special.size**2] = np.repeat(special, special.size).astype(dtype)
        b[: special.size**2] = np.tile(special, special.size).astype(dtype)
    return a.reshape(128, 64), b.reshape(128, 64)


@pytest.mark.parametrize("element", ["f16", "f32"])
def test_quotient_is_rounded_once(tmp_path: Path, element: str) -> None:
    a, b = pairs(element)
    text = kernel(f"%r = spyreop.realdiv %a, %b : {element}", element, 64, arity=2)
    found = run(tmp_path, text, a, b)
    with np.errstate(all="ignore"):
        assert same(found, (a.astype(np.float64) / b.astype(np.float64)).astype(found.dtype))


@pytest.mark.parametrize("element", ["f16", "f32"])
@pytest.mark.parametrize(
    ("predicate", "holds"),
    [
        ("equal", np.equal),
        ("notequal", lambda a, b: (a < b) | (a > b)),
        ("greaterthan", np.greater),
        ("greaterequal", np.greater_equal),
        ("lesserthan", np.less),
        ("lesserequal", np.less_equal),
    ],
)
def test_comparisons(tmp_path: Path, element: str, predicate: str, holds: Any) -> None:
    a, b = pairs(element)
    text = kernel(f"%r = spyreop.compare <{predicate}> %a, %b : {element}", element, 64, arity=2)
    assert same(run(tmp_path, text, a, b), holds(a, b).astype(a.dtype))


def test_choice_and_constant(tmp_path: Path) -> None:
    a, b = pairs("f16")
    c = np.roll(a, 1, axis=1)
    body = """%k = spyreop.constant -0.0 : f16
      %s = spyreop.select %a, %b, %c : f16
      %r = spyreop.select %k, %a, %s : f16"""
    assert same(run(tmp_path, kernel(body, "f16", 64, arity=3), a, b, c), np.where(a != 0, b, c))


@pytest.mark.parametrize(
    ("body", "element", "wanted"),
    [
        ("%r = spyreop.addi32toi32 %a, %b", "i32", lambda a, b: a + b),
        ("%r = spyreop.addi64toi64 %a, %b", "i64", lambda a, b: a + b),
        ("%r = spyreop.muli32toi32 %a, %b", "i32", lambda a, b: a * b),
        ("%r = spyreop.idx32toaddr %a base %b stride %a", "i32", lambda a, b: b + a * a),
        (
            "%r = spyreop.idx32toaddr %a base 0xFFFFFFF0 stride -4",
            "i32",
            lambda a, b: a * np.int32(-4) - np.int32(16),
        ),
    ],
)
def test_integers_wrap(tmp_path: Path, body: str, element: str, wanted: Any) -> None:
    limits = np.iinfo(NUMPY[element])
    rng = np.random.default_rng(2)
    a, b = (
        rng.integers(limits.min, limits.max, (128, 32), NUMPY[element], endpoint=True)
        for _ in range(2)
    )
    with np.errstate(over="ignore"):
        assert same(run(tmp_path, kernel(body, element, 32, arity=2), a, b), wanted(a, b))


def test_scalar_code(tmp_path: Path) -> None:
    scalars = """%i = arith.index_cast %core : index to i32
    %one = arith.constant 1 : i32
    %next = spyreop.addi32toi32 %i, %one
    %at = spyreop.idx32toaddr %next base 0x00000005 stride 3
    %f = arith.sitofp %at : i32 to f32
    %k = spyreop.constant 2.0 : f32
    %q = spyreop.realdiv %f, %k : f32
    %pair = spyreop.exx2_zeromean_fused %q : f32 -> !spyreop.fp32_fused
    %inverse = spyreop.layernormscale_fused %pair : !spyreop.fp32_fused -> f32
    %d, %squares = spyreop.exx2 %q : f32"""
    body = """%p = arith.mulf %a, %squares : f32
      %r = arith.mulf %p, %inverse : f32"""
    a = np.random.default_rng(3).standard_normal((128, 32)).astype(np.float32)
    q = np.repeat((5 + 3 * (np.arange(4) + 1)) / 2, 32)[:, None]
    found = run(tmp_path, kernel(body, "f32", 32, scalars=scalars), a)
    np.testing.assert_allclose(found, a * q, rtol=1e-6)
