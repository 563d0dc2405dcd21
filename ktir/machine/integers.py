"""Meanings of integer arithmetic: the integer ops of `arith`, `math` and `index`.

Integers are held as signed tensors of their width; unsigned ops read the same bits. Arithmetic
wraps. i1 is bool: true is 1 when read as unsigned, -1 when read as signed. Where MLIR leaves a
result undefined it is defined here, so that padding can be computed on: x / 0 has all bits set, x %
0 is x, the quotient of the least integer by -1 wraps to itself, and a shift by the width or more
moves every bit out.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from ktir.machine.numerics import flip_sign
from ktir.machine.scalar import (
    Factory,
    Meaning,
    Signature,
    always,
    broadcast,
    unless_bool,
)

Binary = Callable[[Tensor, Tensor], Tensor]


def width(dtype: torch.dtype) -> int:
    """Bits of an integer dtype; 1 for bool."""
    return 1 if dtype is torch.bool else torch.iinfo(dtype).bits


def as_unsigned(x: Tensor) -> Tensor:
    """The unsigned reading of `x` as int64; bits of an int64 stay as they are."""
    if x.dtype in (torch.bool, torch.int64):
        return x.to(torch.int64)
    return x.to(torch.int64) & ((1 << width(x.dtype)) - 1)


def _through_i8(meaning: Binary) -> Binary:
    """i1 division and signed order: on 0 and -1 in i8, then truncated."""
    return lambda a, b: (meaning(-a.to(torch.int8), -b.to(torch.int8)) & 1).to(torch.bool)


def _integer(meaning: Binary) -> Factory:
    return unless_bool(meaning, _through_i8(meaning))


def _guarded(b: Tensor) -> tuple[Tensor, Tensor]:
    """Divisors that the processor accepts (not 0, nor -1: see `_divide`), and where they were 0."""
    zero = b == 0
    return b.masked_fill(zero | (b == -1), 1), zero


def _divide(rounding: str) -> Binary:
    """Signed division. By -1 it is a negation, which wraps where the processor would trap."""

    def divide(a: Tensor, b: Tensor) -> Tensor:
        if b.numel() == 1 and (divisor := int(b)) > 0:
            return torch.div(a, divisor, rounding_mode=rounding)
        safe, zero = _guarded(b)
        quotient = torch.where(b == -1, -a, torch.div(a, safe, rounding_mode=rounding))
        return quotient.masked_fill(zero, -1)

    return divide


_truncating, _flooring = _divide("trunc"), _divide("floor")


def _ceiling(a: Tensor, b: Tensor) -> Tensor:
    """Rounds towards positive infinity: one above the floor unless the division is exact."""
    floor = _flooring(a, b)
    return floor + ((floor * b != a) & (b != 0)).to(a.dtype)


def _remainder(a: Tensor, b: Tensor) -> Tensor:
    """The remainder of truncating division; has the sign of `a`."""
    if b.numel() == 1 and (divisor := int(b)) > 0:
        return torch.fmod(a, divisor)
    safe, zero = _guarded(b)
    return torch.where(zero, a, torch.fmod(a, safe))


def _divmod_u64(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Unsigned 64-bit division on signed tensors (the method of Hacker's Delight, 9-3)."""
    a, b = broadcast(a, b)
    safe = b.masked_fill(b <= 0, 1)
    quotient = torch.div((a >> 1) & torch.iinfo(torch.int64).max, safe, rounding_mode="trunc") << 1
    rest = a - quotient * safe
    over = flip_sign(rest) >= flip_sign(safe)
    quotient, rest = quotient + over.to(torch.int64), torch.where(over, rest - safe, rest)
    # A divisor with its top bit set goes into `a` once or not at all.
    once = (b < 0) & (flip_sign(a) >= flip_sign(b))
    quotient = torch.where(b < 0, once.to(torch.int64), quotient).masked_fill(b == 0, -1)
    rest = torch.where(b < 0, torch.where(once, a - b, a), rest)
    return quotient, torch.where(b == 0, a, rest)


def _unsigned(on_signed: Binary, part: int) -> Factory:
    """Unsigned division or remainder; `on_signed` serves where the readings fit in int64."""

    def choose(signature: Signature) -> Meaning:
        dtype = signature.dtype

        def wide(a: Tensor, b: Tensor) -> Tensor:
            if b.numel() == 1 and int(b) > 0 and not bool((a < 0).any()):
                return on_signed(a, b)
            return _divmod_u64(a, b)[part]

        def narrow(a: Tensor, b: Tensor) -> Tensor:
            return on_signed(as_unsigned(a), as_unsigned(b)).to(dtype)

        return wide if dtype is torch.int64 else narrow

    return choose


def _ceildiv_unsigned(signature: Signature) -> Meaning:
    divide: Binary = _unsigned(_truncating, 0)(signature)

    def meaning(a: Tensor, b: Tensor) -> Tensor:
        quotient = divide(a, b)
        return quotient + ((quotient * b != a) & (b != 0)).to(a.dtype)

    return meaning if signature.dtype is not torch.bool else divide


def _shift_left(a: Tensor, n: Tensor) -> Tensor:
    bits = width(a.dtype)
    inside = (n >= 0) & (n < bits)
    return torch.where(inside, a << n.clamp(0, bits - 1), 0).to(a.dtype)


def _shift_right(a: Tensor, n: Tensor) -> Tensor:
    """Arithmetic: the sign moves in."""
    bits = width(a.dtype)
    return a >> torch.where(n < 0, bits - 1, n.clamp(0, bits - 1)).to(a.dtype)


def _shift_right_unsigned(a: Tensor, n: Tensor) -> Tensor:
    """Logical: zeros move in."""
    bits = width(a.dtype)
    moved = n.clamp(0, bits - 1).to(torch.int64)
    # An int64 shift moves the sign in: clear the `moved` bits it filled.
    filled = torch.where(moved == 0, 0, torch.bitwise_left_shift(-1, (64 - moved).clamp(max=63)))
    shifted = (as_unsigned(a) >> moved) & ~filled
    return torch.where((n >= 0) & (n < bits), shifted, 0).to(a.dtype)


def _signed_order(meaning: Binary) -> Factory:
    """A signed comparison; on i1 true is -1, which turns the order around."""
    return unless_bool(meaning, lambda a, b: meaning(b, a))


def _unsigned_order(meaning: Binary) -> Factory:
    return unless_bool(lambda a, b: meaning(flip_sign(a), flip_sign(b)), meaning)


_COMPARISONS: tuple[Factory, ...] = (
    always(torch.eq),
    always(torch.ne),
    *(_signed_order(order) for order in (torch.lt, torch.le, torch.gt, torch.ge)),
    *(_unsigned_order(order) for order in (torch.lt, torch.le, torch.gt, torch.ge)),
)
"""By predicate: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge."""


def _compare(signature: Signature) -> Meaning:
    return _COMPARISONS[int(signature.attributes["predicate"])](signature)


def _unsigned_pick(pick: Binary, on_bool: Binary) -> Factory:
    return unless_bool(lambda a, b: flip_sign(pick(flip_sign(a), flip_sign(b))), on_bool)


def _high_u64(a: Tensor, b: Tensor) -> Tensor:
    """The upper 64 bits of an unsigned product, from four products of halves."""
    low = (1 << 32) - 1
    a0, a1, b0, b1 = a & low, (a >> 32) & low, b & low, (b >> 32) & low
    first = a1 * b0 + (((a0 * b0) >> 32) & low)
    second = a0 * b1 + (first & low)
    return a1 * b1 + ((first >> 32) & low) + ((second >> 32) & low)


def _product_extended(signed: bool) -> Factory:
    """(low half, high half) of a product."""

    def choose(signature: Signature) -> Meaning:
        dtype = signature.dtype
        bits = width(dtype)

        def narrow(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
            read = (lambda x: x.to(torch.int64)) if signed else as_unsigned
            return a * b, ((read(a) * read(b)) >> bits).to(dtype)

        def wide(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
            high = _high_u64(a, b)
            if signed:
                high = high - torch.where(a < 0, b, 0) - torch.where(b < 0, a, 0)
            return a * b, high

        if dtype is torch.bool:
            # -1 times -1 is 1 when read as signed, and so is 1 times 1.
            return lambda a, b: (a & b, torch.zeros_like(a & b))
        return wide if bits == 64 else narrow

    return choose


def _add_carry(signature: Signature) -> Meaning:
    if signature.dtype is torch.bool:
        return lambda a, b: (a ^ b, a & b)

    def meaning(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        total = a + b
        return total, flip_sign(total) < flip_sign(a)

    return meaning


def _subtract_borrow(signature: Signature) -> Meaning:
    if signature.dtype is torch.bool:
        return lambda a, b: (a ^ b, ~a & b)
    return lambda a, b: (a - b, flip_sign(a) < flip_sign(b))


def _count_ones(x: Tensor) -> Tensor:
    """Set bits, by adding ever wider fields of the 64-bit reading; no sum reaches the sign."""
    x = as_unsigned(x)
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((x * 0x0101010101010101) >> 56) & 0x7F


def _leading_zeros(x: Tensor) -> Tensor:
    bits = width(x.dtype)
    filled = as_unsigned(x)
    top = 0x7FFFFFFFFFFFFFFF
    for shift in (1, 2, 4, 8, 16, 32):
        filled = filled | ((filled >> shift) & (top >> (shift - 1)))
    return (bits - _count_ones(filled)).to(x.dtype)


def _trailing_zeros(x: Tensor) -> Tensor:
    bits = width(x.dtype)
    wide = as_unsigned(x)
    below = _count_ones(~wide & (wide - 1))
    return below.clamp(max=bits).to(x.dtype)


def _power(base: Tensor, exponent: Tensor) -> Tensor:
    """Wrapping integer power; a negative exponent gives the truncated reciprocal (0 for base 0)."""
    base, exponent = broadcast(base, exponent)
    result = torch.ones_like(base)
    square, left = base, exponent.clamp(min=0)
    while bool((left > 0).any()):
        result = torch.where((left & 1) == 1, result * square, result)
        square, left = square * square, left >> 1
    odd = (exponent & 1) == 1
    inverse = torch.where(base == 1, 1, torch.where(base == -1, torch.where(odd, -1, 1), 0))
    return torch.where(exponent < 0, inverse, result).to(base.dtype)


ENTRIES: dict[str, Factory] = {
    "arith.addi": unless_bool(torch.add, torch.bitwise_xor),
    "arith.subi": unless_bool(torch.sub, torch.bitwise_xor),
    "arith.muli": unless_bool(torch.mul, torch.bitwise_and),
    "arith.andi": always(torch.bitwise_and),
    "arith.ori": always(torch.bitwise_or),
    "arith.xori": always(torch.bitwise_xor),
    "arith.divsi": _integer(_truncating),
    "arith.floordivsi": _integer(_flooring),
    "arith.ceildivsi": _integer(_ceiling),
    "arith.remsi": _integer(_remainder),
    "arith.divui": _unsigned(_truncating, 0),
    "arith.remui": _unsigned(_remainder, 1),
    "arith.ceildivui": _ceildiv_unsigned,
    "arith.shli": _integer(_shift_left),
    "arith.shrsi": _integer(_shift_right),
    "arith.shrui": unless_bool(_shift_right_unsigned, lambda a, n: a & ~n),
    "arith.maxsi": unless_bool(torch.maximum, torch.bitwise_and),
    "arith.minsi": unless_bool(torch.minimum, torch.bitwise_or),
    "arith.maxui": _unsigned_pick(torch.maximum, torch.bitwise_or),
    "arith.minui": _unsigned_pick(torch.minimum, torch.bitwise_and),
    "arith.cmpi": _compare,
    "arith.addui_extended": _add_carry,
    "arith.subui_extended": _subtract_borrow,
    "arith.mulsi_extended": _product_extended(signed=True),
    "arith.mului_extended": _product_extended(signed=False),
    "math.absi": unless_bool(torch.abs, lambda x: x),
    "math.ctpop": always(lambda x: _count_ones(x).to(x.dtype)),
    "math.ctlz": always(_leading_zeros),
    "math.cttz": always(_trailing_zeros),
    "math.ipowi": always(_power),
}
"""Op name to the choice of its meaning."""

_INDEX_OPS = {
    "add": "addi", "sub": "subi", "mul": "muli", "and": "andi", "or": "ori", "xor": "xori",
    "divs": "divsi", "divu": "divui", "ceildivs": "ceildivsi", "ceildivu": "ceildivui",
    "floordivs": "floordivsi", "rems": "remsi", "remu": "remui",
    "maxs": "maxsi", "maxu": "maxui", "mins": "minsi", "minu": "minui",
    "shl": "shli", "shrs": "shrsi", "shru": "shrui",
}  # fmt: skip

ENTRIES |= {f"index.{name}": ENTRIES[f"arith.{same}"] for name, same in _INDEX_OPS.items()}
