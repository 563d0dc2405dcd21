"""Integer meanings of the table against Python's unbounded integers, on edge values."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ktir.machine import table
from ktir.machine.numerics import dtype_of
from ktir.machine.scalar import Signature

WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def unsigned(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def trunc_div(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def on_signed(op: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    return lambda a, b, bits: op(signed(a, bits), signed(b, bits))


def on_unsigned(op: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    return lambda a, b, bits: op(unsigned(a, bits), unsigned(b, bits))


REFERENCE: dict[str, Callable[[int, int, int], int]] = {
    "arith.addi": on_signed(lambda a, b: a + b),
    "arith.subi": on_signed(lambda a, b: a - b),
    "arith.muli": on_signed(lambda a, b: a * b),
    "arith.andi": on_signed(lambda a, b: a & b),
    "arith.ori": on_signed(lambda a, b: a | b),
    "arith.xori": on_signed(lambda a, b: a ^ b),
    "arith.divsi": on_signed(lambda a, b: trunc_div(a, b) if b else -1),
    "arith.floordivsi": on_signed(lambda a, b: a // b if b else -1),
    "arith.ceildivsi": on_signed(lambda a, b: -((-a) // b) if b else -1),
    "arith.remsi": on_signed(lambda a, b: a - b * trunc_div(a, b) if b else a),
    "arith.divui": on_unsigned(lambda a, b: a // b if b else -1),
    "arith.ceildivui": on_unsigned(lambda a, b: -((-a) // b) if b else -1),
    "arith.remui": on_unsigned(lambda a, b: a % b if b else a),
    "arith.maxsi": on_signed(max),
    "arith.minsi": on_signed(min),
    "arith.maxui": on_unsigned(max),
    "arith.minui": on_unsigned(min),
    "arith.shli": lambda a, b, bits: a << unsigned(b, bits) if unsigned(b, bits) < bits else 0,
    "arith.shrui": lambda a, b, bits: unsigned(a, bits) >> unsigned(b, bits),
    "arith.shrsi": lambda a, b, bits: signed(a, bits) >> min(unsigned(b, bits), bits - 1),
}

PREDICATES: list[Callable[[int, int, int], bool]] = [
    lambda a, b, bits: a == b,
    lambda a, b, bits: a != b,
    lambda a, b, bits: signed(a, bits) < signed(b, bits),
    lambda a, b, bits: signed(a, bits) <= signed(b, bits),
    lambda a, b, bits: signed(a, bits) > signed(b, bits),
    lambda a, b, bits: signed(a, bits) >= signed(b, bits),
    lambda a, b, bits: unsigned(a, bits) < unsigned(b, bits),
    lambda a, b, bits: unsigned(a, bits) <= unsigned(b, bits),
    lambda a, b, bits: unsigned(a, bits) > unsigned(b, bits),
    lambda a, b, bits: unsigned(a, bits) >= unsigned(b, bits),
]


def edges(bits: int) -> list[int]:
    picks = {
        0,
        1,
        -1,
        2,
        3,
        -3,
        7,
        1 << (bits - 1),
        (1 << (bits - 1)) - 1,
        (1 << (bits - 1)) + 1,
        5 << 20,
    }
    return sorted({signed(p, bits) for p in picks})


def tensor(values: list[int], type_text: str) -> torch.Tensor:
    if type_text == "i1":
        return torch.tensor([bool(v & 1) for v in values])
    return torch.tensor(values, dtype=dtype_of(type_text))


def bits_of(x: torch.Tensor, bits: int) -> list[int]:
    return [unsigned(int(v), bits) for v in x.flatten()]


def pairs(bits: int) -> tuple[list[int], list[int]]:
    values = edges(bits)
    return [a for a in values for _ in values], [b for _ in values for b in values]


@pytest.mark.parametrize("type_text", WIDTHS)
@pytest.mark.parametrize("name", REFERENCE)
def test_binary_on_edges(name: str, type_text: str) -> None:
    bits = WIDTHS[type_text]
    left, right = pairs(bits)
    if bits == 1 and name in ("arith.shli", "arith.shrsi", "arith.shrui"):
        right = [0] * len(right)
    got = table.lookup(name, Signature((type_text,) * 2, (type_text,)))(
        tensor(left, type_text), tensor(right, type_text)
    )
    assert got.dtype == dtype_of(type_text)
    expected = [
        unsigned(REFERENCE[name](a, b, bits), bits) for a, b in zip(left, right, strict=True)
    ]
    assert bits_of(got, bits) == expected


@pytest.mark.parametrize("type_text", WIDTHS)
@pytest.mark.parametrize("name", REFERENCE)
def test_binary_with_one_uniform_operand(name: str, type_text: str) -> None:
    """A single right operand takes short cuts in divisions; they must not change the result."""
    bits = WIDTHS[type_text]
    meaning = table.lookup(name, Signature((type_text,) * 2, (type_text,)))
    left = edges(bits)
    for b in edges(bits) if bits > 1 else [0]:
        got = meaning(tensor(left, type_text), tensor([b], type_text))
        assert bits_of(got, bits) == [unsigned(REFERENCE[name](a, b, bits), bits) for a in left]


@pytest.mark.parametrize("type_text", WIDTHS)
@pytest.mark.parametrize("predicate", range(10))
def test_compare(predicate: int, type_text: str) -> None:
    bits = WIDTHS[type_text]
    left, right = pairs(bits)
    signature = Signature((type_text,) * 2, ("i1",), {"predicate": predicate})
    got = table.lookup("arith.cmpi", signature)(tensor(left, type_text), tensor(right, type_text))
    assert got.tolist() == [
        PREDICATES[predicate](a, b, bits) for a, b in zip(left, right, strict=True)
    ]


@settings(max_examples=200, deadline=None)
@given(a=st.integers(-(2**63), 2**63 - 1), b=st.integers(-(2**63), 2**63 - 1))
def test_unsigned_64_bit_division(a: int, b: int) -> None:
    x, y = tensor([a, 3], "i64"), tensor([b, b], "i64")
    signature = Signature(("i64", "i64"), ("i64",))
    for name in ("arith.divui", "arith.remui", "arith.ceildivui"):
        got = table.lookup(name, signature)(x, y)
        assert bits_of(got, 64) == [unsigned(REFERENCE[name](v, b, 64), 64) for v in (a, 3)]


@pytest.mark.parametrize("type_text", ["i8", "i16", "i32", "i64", "index"])
def test_extended_results(type_text: str) -> None:
    bits = WIDTHS[type_text]
    left, right = pairs(bits)
    x, y = tensor(left, type_text), tensor(right, type_text)
    for name, read in (("arith.mulsi_extended", signed), ("arith.mului_extended", unsigned)):
        low, high = table.lookup(name, Signature((type_text,) * 2, (type_text,) * 2))(x, y)
        products = [read(a, bits) * read(b, bits) for a, b in zip(left, right, strict=True)]
        assert bits_of(low, bits) == [unsigned(p, bits) for p in products]
        assert bits_of(high, bits) == [unsigned(p >> bits, bits) for p in products]
    total, carry = table.lookup(
        "arith.addui_extended", Signature((type_text,) * 2, (type_text, "i1"))
    )(x, y)
    sums = [unsigned(a, bits) + unsigned(b, bits) for a, b in zip(left, right, strict=True)]
    assert bits_of(total, bits) == [unsigned(s, bits) for s in sums]
    assert carry.tolist() == [bool(s >> bits) for s in sums]
    rest, borrow = table.lookup(
        "arith.subui_extended", Signature((type_text,) * 2, (type_text, "i1"))
    )(x, y)
    differences = [unsigned(a, bits) - unsigned(b, bits) for a, b in zip(left, right, strict=True)]
    assert bits_of(rest, bits) == [unsigned(d, bits) for d in differences]
    assert borrow.tolist() == [d < 0 for d in differences]


@pytest.mark.parametrize("type_text", ["i8", "i16", "i32", "i64"])
def test_bit_counts_and_powers(type_text: str) -> None:
    bits = WIDTHS[type_text]
    values = edges(bits)
    x = tensor(values, type_text)
    one = Signature((type_text,), (type_text,))
    texts = [f"{unsigned(v, bits):0{bits}b}" for v in values]
    assert table.lookup("math.ctpop", one)(x).tolist() == [t.count("1") for t in texts]
    assert table.lookup("math.ctlz", one)(x).tolist() == [
        len(t) - len(t.lstrip("0")) for t in texts
    ]
    assert table.lookup("math.cttz", one)(x).tolist() == [
        len(t) - len(t.rstrip("0")) for t in texts
    ]
    power = table.lookup("math.ipowi", Signature((type_text,) * 2, (type_text,)))
    for n in (0, 1, 2, 5):
        assert power(x, tensor([n], type_text)).tolist() == [signed(v**n, bits) for v in values]


def test_i1_wraps_in_one_bit() -> None:
    x, y = torch.tensor([True, True]), torch.tensor([True, False])
    signature = Signature(("i1", "i1"), ("i1",))
    assert table.lookup("arith.addi", signature)(x, y).tolist() == [False, True]
    assert table.lookup("arith.muli", signature)(x, y).tolist() == [True, False]
