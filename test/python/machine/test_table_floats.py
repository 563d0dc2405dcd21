"""Float meanings and casts: against numpy in wider types, on special values, under cuts."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.machine import table
from ktir.machine.floats import relu
from ktir.machine.numerics import dtype_of
from ktir.machine.scalar import Meaning, Signature
from test.oracle.scalars import function_of

FLOATS = ("f16", "bf16", "f32", "f64")
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.49999997,
    3.7,
    -3.2,
    1e-7,
    300.0,
    -7e4,
]
SPECIAL += [math.inf, -math.inf, math.nan]


def meaning(
    name: str, type_text: str, arity: int = 1, result: str = "", **attributes: int
) -> Meaning:
    return table.lookup(name, Signature((type_text,) * arity, (result or type_text,), attributes))


def same(a: Tensor, b: Tensor) -> bool:
    """Equal including the sign of zero; any NaN equals any NaN."""
    both_nan = a.isnan() & b.isnan()
    return bool((both_nan | ((a == b) & (a.signbit() == b.signbit()))).all())


def special(type_text: str) -> Tensor:
    return torch.tensor(SPECIAL, dtype=torch.float64).to(dtype_of(type_text))


def grid(type_text: str) -> tuple[Tensor, Tensor]:
    x = special(type_text)
    return x.repeat_interleave(len(x)), x.repeat(len(x))


def maximum(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return math.nan
    if a == b:
        return a if math.copysign(1, a) > 0 else b
    return max(a, b)


@pytest.mark.parametrize("type_text", FLOATS)
def test_maximum_family(type_text: str) -> None:
    a, b = grid(type_text)
    dtype = a.dtype
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    expected = torch.tensor([maximum(x, y) for x, y in pairs], dtype=dtype)
    assert same(meaning("arith.maximumf", type_text, 2)(a, b), expected)
    assert same(meaning("arith.minimumf", type_text, 2)(-a, -b), -expected)
    number = [y if math.isnan(x) else x if math.isnan(y) else maximum(x, y) for x, y in pairs]
    numbers = torch.tensor(number, dtype=dtype)
    assert same(meaning("arith.maxnumf", type_text, 2)(a, b), numbers)
    assert same(meaning("arith.minnumf", type_text, 2)(-a, -b), -numbers)
    assert same(relu(a), meaning("arith.maximumf", type_text, 2)(a, torch.zeros_like(a)))


COMPARE = ["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"]
COMPARE += ["ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"]


@pytest.mark.parametrize("predicate", range(16))
def test_compare(predicate: int) -> None:
    a, b = grid("f32")
    name = COMPARE[predicate]
    got = meaning("arith.cmpf", "f32", 2, "i1", predicate=predicate)(a, b)
    for x, y, result in zip(a.tolist(), b.tolist(), got.tolist(), strict=True):
        nan = math.isnan(x) or math.isnan(y)
        order = {"eq": x == y, "gt": x > y, "ge": x >= y, "lt": x < y, "le": x <= y, "ne": x != y}
        if name in ("false", "true", "ord", "uno"):
            expected = {"false": False, "true": True, "ord": not nan, "uno": nan}[name]
        else:
            expected = name[0] == "u" if nan else order[name[1:]]
        assert result == expected, (name, x, y)


UNARY: dict[str, Callable[[Any], Any]] = {
    "math.exp": np.exp, "math.exp2": np.exp2, "math.expm1": np.expm1, "math.log": np.log,
    "math.log2": np.log2, "math.log10": np.log10, "math.log1p": np.log1p, "math.sqrt": np.sqrt,
    "math.rsqrt": lambda x: 1 / np.sqrt(x), "math.cbrt": np.cbrt, "math.sin": np.sin,
    "math.cos": np.cos, "math.tan": np.tan, "math.tanh": np.tanh, "math.sinh": np.sinh,
    "math.cosh": np.cosh, "math.asin": np.arcsin, "math.acos": np.arccos, "math.atan": np.arctan,
    "math.asinh": np.arcsinh, "math.acosh": np.arccosh, "math.atanh": np.arctanh,
    "math.absf": np.abs, "math.ceil": np.ceil, "math.floor": np.floor, "math.trunc": np.trunc,
    "math.roundeven": np.rint, "arith.negf": np.negative,
    "math.erf": np.vectorize(math.erf), "math.erfc": np.vectorize(math.erfc),
}  # fmt: skip


@pytest.mark.parametrize("type_text", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_unary_near_numpy(name: str, type_text: str) -> None:
    x = torch.cat([special(type_text), torch.linspace(-4, 4, 173).to(dtype_of(type_text))])
    got = meaning(name, type_text)(x)
    assert got.dtype == x.dtype
    with np.errstate(all="ignore"):
        expected = torch.from_numpy(np.asarray(UNARY[name](x.double().numpy())))
    eps = torch.finfo(x.dtype).eps
    torch.testing.assert_close(
        got.double(), expected.to(x.dtype).double(), rtol=6 * eps, atol=eps * 1e-2, equal_nan=True
    )


@pytest.mark.parametrize("type_text", ["f16", "f32", "f64"])
def test_square_roots_are_rounded_right(type_text: str) -> None:
    x = torch.rand(5000, generator=torch.Generator().manual_seed(1)).to(dtype_of(type_text)) * 100
    x = torch.cat([special(type_text), x])
    with np.errstate(invalid="ignore"):
        expected = torch.from_numpy(np.sqrt(x.numpy()))
    assert same(meaning("math.sqrt", type_text)(x), expected)


def test_remainders_of_huge_quotients() -> None:
    a, b = torch.full((70,), 1e10), torch.full((70,), 1e-30)
    expected = torch.from_numpy(np.fmod(a.numpy(), b.numpy()))
    assert same(meaning("arith.remf", "f32", 2)(a, b), expected)


@pytest.mark.parametrize("type_text", FLOATS)
def test_round_halves_away(type_text: str) -> None:
    x = torch.tensor([0.5, 1.5, -0.5, -2.5, 0.25, -0.25, -0.0, math.inf], dtype=dtype_of(type_text))
    expected = torch.tensor([1.0, 2.0, -1.0, -3.0, 0.0, -0.0, -0.0, math.inf], dtype=x.dtype)
    assert same(meaning("math.round", type_text)(x), expected)
    just_under = torch.tensor([0.49999997], dtype=torch.float32)
    assert meaning("math.round", "f32")(just_under).item() == 0.0


@pytest.mark.parametrize(
    "name", ["math.powf", "math.atan2", "arith.remf", "math.copysign", "arith.divf"]
)
def test_binary_near_numpy(name: str) -> None:
    reference = {
        "math.powf": np.power, "math.atan2": np.arctan2, "arith.remf": np.fmod,
        "math.copysign": np.copysign, "arith.divf": np.divide,
    }  # fmt: skip
    for type_text in FLOATS:
        a, b = grid(type_text)
        with np.errstate(all="ignore"):
            expected = torch.from_numpy(reference[name](a.double().numpy(), b.double().numpy()))
        eps = torch.finfo(a.dtype).eps
        torch.testing.assert_close(
            meaning(name, type_text, 2)(a, b).double(),
            expected.to(a.dtype).double(), rtol=6 * eps, atol=0, equal_nan=True,
        )  # fmt: skip


def test_integer_powers_and_fma() -> None:
    x = torch.tensor([2.0, -3.0, 0.0, math.nan], dtype=torch.float32)
    fpowi = table.lookup("math.fpowi", Signature(("f32", "i32"), ("f32",)))
    assert same(
        fpowi(x, torch.tensor([3], dtype=torch.int32)), torch.tensor([8.0, -27.0, 0.0, math.nan])
    )
    assert fpowi(x, torch.tensor([0], dtype=torch.int32)).tolist() == [1.0] * 4
    a = torch.tensor([1 + 2.0**-12], dtype=torch.float32)
    assert meaning("math.fma", "f32", 3)(a, a, -torch.ones(1)).item() == 2.0**-11 + 2.0**-24
    half = torch.tensor([1 + 2.0**-10], dtype=torch.float16)
    other = torch.tensor([1 + 2.0**-9], dtype=torch.float16)
    minus = -torch.ones(1, dtype=torch.float16)
    assert meaning("math.fma", "f16", 3)(half, other, minus).item() == 2.0**-9 + 2.0**-10 + 2.0**-19
    assert meaning("math.clampf", "f32", 3)(x, torch.zeros(1), torch.ones(1))[:3].tolist() == [
        1,
        0,
        0,
    ]


def test_classes() -> None:
    x = torch.tensor([1.0, math.inf, math.nan, 1e-40, 0.0])
    assert meaning("math.isnan", "f32", result="i1")(x).tolist() == [
        False,
        False,
        True,
        False,
        False,
    ]
    assert meaning("math.isinf", "f32", result="i1")(x).tolist() == [
        False,
        True,
        False,
        False,
        False,
    ]
    assert meaning("math.isfinite", "f32", result="i1")(x).tolist() == [
        True,
        False,
        False,
        True,
        True,
    ]
    assert meaning("math.isnormal", "f32", result="i1")(x).tolist() == [
        True,
        False,
        False,
        False,
        False,
    ]


CUT = [name for name in UNARY if name.startswith("math.")] + [
    "math.powf",
    "math.atan2",
    "arith.divf",
]


@pytest.mark.parametrize("type_text", FLOATS)
@pytest.mark.parametrize("name", CUT)
def test_bits_do_not_depend_on_shape_stride_or_threads(name: str, type_text: str) -> None:
    """The promise of the machine: an element's result depends on that element only."""
    generator = torch.Generator().manual_seed(7)
    arity = 2 if name in ("math.powf", "math.atan2", "arith.divf") else 1
    size = 70001
    data = [
        torch.randn(size, generator=generator).mul(3).to(dtype_of(type_text)) for _ in range(arity)
    ]
    function = meaning(name, type_text, arity)
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        whole = function(*data)
        for begin, end, step, count in [
            (0, 1, 1, 1),
            (3, 50, 1, 2),
            (5, 70000, 1, 1),
            (0, 65536, 7, 2),
        ]:
            torch.set_num_threads(count)
            part = function(*(x[begin:end:step] for x in data))
            assert same(part, whole[begin:end:step])
        rows = function(*(x[:70000].view(1, 7, 10000).transpose(1, 2) for x in data))
        assert same(rows, whole[:70000].view(1, 7, 10000).transpose(1, 2))
    finally:
        torch.set_num_threads(threads)


def nearest(value: float, type_text: str) -> float:
    """`value` rounded once, by searching the neighbours of torch's own conversion."""
    dtype = dtype_of(type_text)
    close = torch.tensor([value], dtype=torch.float64).to(dtype)
    if not close.isfinite().item():
        return close.item()
    bits = close.view(torch.int16)
    candidates = [c for d in (-1, 0, 1) for c in [(bits + d).view(dtype)] if c.isfinite().item()]
    best = min(abs(Fraction(c.item()) - Fraction(value)) for c in candidates)
    ties = [c for c in candidates if abs(Fraction(c.item()) - Fraction(value)) == best]
    even = [c for c in ties if not (c.view(torch.int16) & 1).item()]
    return (even or ties)[0].item()


@settings(max_examples=300, deadline=None)
@given(st.floats(-60000, 60000), st.sampled_from(["f16", "bf16"]))
def test_f64_to_halves_rounds_once(value: float, type_text: str) -> None:
    value = value if abs(value) > 1e-3 else 1.0 + value
    truncf = table.lookup("arith.truncf", Signature(("f64",), (type_text,)))
    assert truncf(torch.tensor([value], dtype=torch.float64)).item() == nearest(value, type_text)


@pytest.mark.parametrize("type_text", ["f16", "bf16"])
def test_double_rounding_trap(type_text: str) -> None:
    """A value just above a tie of the 16-bit type, which f32 cannot tell from the tie."""
    digits = 11 if type_text == "f16" else 8
    value = 1 + 2.0**-digits + 2.0**-45
    truncf = table.lookup("arith.truncf", Signature(("f64",), (type_text,)))
    got = truncf(torch.tensor([value, -value], dtype=torch.float64)).tolist()
    assert got == [1 + 2.0 ** (1 - digits), -1 - 2.0 ** (1 - digits)]
    big = torch.tensor([(1 << 24) + (1 << (24 - digits)) + 1], dtype=torch.int32)
    if type_text == "bf16":
        assert (
            table.lookup("arith.sitofp", Signature(("i32",), (type_text,)))(big).item()
            == 2.0**24 + 2.0**17
        )


@pytest.mark.parametrize("source", ["f16", "f32", "f64"])
@pytest.mark.parametrize("target", ["i8", "i16", "i32", "i64", "index"])
def test_float_to_integer_saturates(source: str, target: str) -> None:
    x = torch.tensor([1.9, -1.9, math.nan, math.inf, -math.inf, 3e4], dtype=dtype_of(source))
    bits = torch.iinfo(dtype_of(target)).bits
    high = (1 << (bits - 1)) - 1
    got = table.lookup("arith.fptosi", Signature((source,), (target,)))(x)
    assert got.dtype == dtype_of(target)
    assert got.tolist() == [1, -1, 0, high, -high - 1, min(int(x[5].item()), high)]
    unsigned = table.lookup("arith.fptoui", Signature((source,), (target,)))(x)
    mask = (1 << bits) - 1
    expected = [1, 0, 0, mask, 0, min(int(x[5].item()), mask)]
    assert [v & mask for v in unsigned.tolist()] == expected


def test_large_unsigned_conversions() -> None:
    values = [2.0**63, 2.0**63 - 1024, 2.0**64 - 2048, 2.0**62 + 2.0**12, 12345678901.0]
    x = torch.tensor(values, dtype=torch.float64)
    to_unsigned = table.lookup("arith.fptoui", Signature(("f64",), ("i64",)))
    from_unsigned = table.lookup("arith.uitofp", Signature(("i64",), ("f64",)))
    assert [v & (2**64 - 1) for v in to_unsigned(x).tolist()] == [int(v) for v in values]
    assert from_unsigned(to_unsigned(x)).tolist() == values
    narrow = table.lookup("arith.uitofp", Signature(("i8",), ("f16",)))
    assert narrow(torch.tensor([-1, 127], dtype=torch.int8)).tolist() == [255.0, 127.0]


def test_i1_conversions() -> None:
    x = torch.tensor([True, False])
    cases: list[tuple[str, str, list[float]]]
    cases = [("arith.extui", "i32", [1, 0]), ("arith.extsi", "i32", [-1, 0])]
    cases += [("arith.uitofp", "f16", [1.0, 0.0]), ("arith.sitofp", "f16", [-1.0, 0.0])]
    cases += [("arith.index_cast", "index", [-1, 0]), ("arith.index_castui", "index", [1, 0])]
    for name, target, expected in cases:
        assert table.lookup(name, Signature(("i1",), (target,)))(x).tolist() == expected
    trunci = table.lookup("arith.trunci", Signature(("i32",), ("i1",)))
    assert trunci(torch.tensor([2, 3, -1], dtype=torch.int32)).tolist() == [False, True, True]


def test_width_changes_and_bitcast() -> None:
    x = torch.tensor([-1, 200, 1 << 20], dtype=torch.int32)
    assert table.lookup("arith.trunci", Signature(("i32",), ("i8",)))(x).tolist() == [-1, -56, 0]
    assert (
        table.lookup("arith.index_cast", Signature(("i32",), ("index",)))(x).tolist() == x.tolist()
    )
    extended = table.lookup("arith.index_castui", Signature(("i32",), ("index",)))(x)
    assert extended.tolist() == [2**32 - 1, 200, 1 << 20]
    bits = table.lookup("arith.bitcast", Signature(("f32",), ("i32",)))(torch.tensor([1.0]))
    assert bits.tolist() == [0x3F800000]


@pytest.mark.parametrize("type_text", ["f16", "bf16", "f32"])
def test_fused_multiply_adds_round_once(type_text: str) -> None:
    """Products near the middle between two floats, and addends that decide."""
    generator = torch.Generator().manual_seed(1)
    dtype, count = dtype_of(type_text), 3000
    large = torch.randint(1024, 2048, (count,), generator=generator).to(dtype)
    near_one = torch.randint(1024, 2048, (count,), generator=generator).to(dtype) / 1024
    exponents = torch.randint(-24, 4, (count,), generator=generator)
    digits = torch.randint(-3, 4, (count,), generator=generator).double()
    small = (digits * 2.0**exponents).to(dtype)
    exact = function_of("math.fma", [type_text] * 3, [type_text], {})
    for operands in ((large, near_one, small), (small, near_one, large)):
        found = meaning("math.fma", type_text, 3)(*operands)
        expected = [exact(*row) for row in zip(*(x.tolist() for x in operands), strict=True)]
        assert found.tolist() == expected


def test_refusals_name_the_cause() -> None:
    with pytest.raises(UnsupportedError, match=r"'math\.nothing'"):
        table.lookup("math.nothing", Signature())
    with pytest.raises(UnsupportedError, match="i7"):
        table.lookup("arith.addi", Signature(("i7", "i7"), ("i7",)))
