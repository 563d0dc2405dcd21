"""Meanings of float arithmetic: the float ops of `arith` and all of `math` on floats.

f16 and bf16 results are the f32 result rounded once, as torch does. Ops that IEEE 754 defines
exactly are torch's own, but for square roots and remainders; the others go through the helpers of
`scalar` that keep their last bits independent of shape.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ktir.machine.casts import to_float
from ktir.machine.scalar import (
    FLOAT_BITS,
    HALVES,
    Factory,
    Meaning,
    Signature,
    always,
    contiguous,
    through_f32,
    whole_vectors,
)


def _maximum(signature: Signature) -> Meaning:
    """IEEE 754-2019 maximum.

    torch leaves the sign of a zero to chance; it has to be set iff both operands have it set.
    """
    bits, dtype = FLOAT_BITS[signature.dtype], signature.dtype

    def maximum(a: Tensor, b: Tensor) -> Tensor:
        both = torch.bitwise_and(a.view(bits), b.view(bits)).view(dtype)
        return torch.copysign(torch.maximum(a, b), both)

    return maximum


def _minimum(signature: Signature) -> Meaning:
    """IEEE 754-2019 minimum: the sign of the result is set iff an operand has it set."""
    bits, dtype = FLOAT_BITS[signature.dtype], signature.dtype

    def minimum(a: Tensor, b: Tensor) -> Tensor:
        either = torch.bitwise_or(a.view(bits), b.view(bits)).view(dtype)
        return torch.copysign(torch.minimum(a, b), either)

    return minimum


def _ignoring_nan(factory: Factory) -> Factory:
    """maxnumf and minnumf: as the op of `factory`, but a NaN gives way to the other operand."""

    def choose(signature: Signature) -> Meaning:
        strict = factory(signature)

        def meaning(a: Tensor, b: Tensor) -> Tensor:
            result: Tensor = strict(a, b)
            if not bool(result.isnan().any()):
                return result
            return torch.where(a.isnan(), b, torch.where(b.isnan(), a, result))

        return meaning

    return choose


def relu(x: Tensor) -> Tensor:
    """`maximumf(x, +0.0)`, exactly, in one pass: NaN stays, -0.0 becomes +0.0."""
    return torch.threshold(x, 0.0, 0.0)


def _ordered(a: Tensor, b: Tensor) -> Tensor:
    return ~(a.isnan() | b.isnan())


def _never(a: Tensor, b: Tensor) -> Tensor:
    return torch.eq(a, b) & False


_COMPARISONS: tuple[Meaning, ...] = (
    _never,
    torch.eq,
    torch.gt,
    torch.ge,
    torch.lt,
    torch.le,
    lambda a, b: torch.lt(a, b) | torch.gt(a, b),
    _ordered,
    lambda a, b: ~(torch.lt(a, b) | torch.gt(a, b)),
    lambda a, b: ~torch.le(a, b),
    lambda a, b: ~torch.lt(a, b),
    lambda a, b: ~torch.ge(a, b),
    lambda a, b: ~torch.gt(a, b),
    torch.ne,
    lambda a, b: ~_ordered(a, b),
    lambda a, b: ~_never(a, b),
)
"""By predicate: false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, true.
"""


def _compare(signature: Signature) -> Meaning:
    return _COMPARISONS[int(signature.attributes["predicate"])]


def _add_to_odd(a: Tensor, b: Tensor) -> Tensor:
    """A sum in f64 such that one more rounding, to a narrower float, is right: an inexact one has
    an odd last bit (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008)."""
    total = a + b
    part = total - a
    error = (a - (total - part)) + (b - part)
    even = (total.view(torch.int64) & 1) == 0
    target = torch.copysign(torch.full_like(error, math.inf), error)
    inexact = (error != 0) & error.isfinite() & total.isfinite()
    return torch.where(even & inexact, torch.nextafter(total, target), total)


def _fma(signature: Signature) -> Meaning:
    """Rounded once: in a wider float, and for the few elements where that is not sure to be right,
    exactly. An f64 has no wider float and is rounded twice."""
    dtype = signature.dtype
    if dtype is torch.float64:
        return lambda a, b, c: a * b + c
    wide = torch.float32 if dtype in HALVES else torch.float64

    def fma(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
        product = a.to(wide) * b.to(wide)
        total = product + c.to(wide)
        found = total.to(dtype)
        doubtful = _may_round_twice(total, dtype)
        if dtype is torch.bfloat16:
            doubtful |= _may_be_inexact(product.numpy(), total.numpy())
        places = torch.from_numpy(doubtful.nonzero()[0])
        if len(places):
            found[places] = _exact_fma(a[places], b[places], c[places])
        return found

    return whole_vectors(fma)(signature)


def _may_round_twice(total: Tensor, dtype: torch.dtype) -> Any:
    """Where sums [n] that were rounded may lie in the middle between two floats of a narrower type,
    as exact sums beside it need not. The last bits of such a one are a one and zeros. Floats too
    small to be normal lie farther apart: all of them count, but for zero.

    numpy compares several times as fast as torch.
    """
    narrow, wide = torch.finfo(dtype), torch.finfo(total.dtype)
    bits = int(math.log2(narrow.eps / wide.eps))
    last = total.view(FLOAT_BITS[total.dtype]).numpy() & ((1 << bits) - 1)
    small = (np.abs(total.numpy()) < narrow.smallest_normal) & (total.numpy() != 0)
    return small | (last == 1 << (bits - 1))


def _may_be_inexact(product: Any, total: Any) -> Any:
    """Where products of bf16 in f32, or sums of them, may be too small or too large for it."""
    return ~np.isfinite(total) | (np.abs(product) < 2.0**-100)


def _exact_fma(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """The product is exact in f64, and the sum rounded to odd. A sum of f16 loses digits in f64
    only far below one that is f16 itself, where they do not matter."""
    product = a.to(torch.float64) * b.to(torch.float64)
    add = torch.add if a.dtype is torch.float16 else _add_to_odd
    return to_float(add(product, c.to(torch.float64)), a.dtype)


def _round_away(x: Tensor) -> Tensor:
    """To the nearest integer, halves away from zero; keeps the sign of zero."""
    whole = torch.trunc(x)
    return whole + torch.copysign(((x - whole).abs() >= 0.5).to(x.dtype), x)


def _sqrt(x: Tensor) -> Tensor:
    """Rounded as IEEE 754 says. torch asks a vector library (MKL's), whose last bit may be off."""
    with np.errstate(invalid="ignore"):
        return torch.from_numpy(np.asarray(np.sqrt(x.numpy())))


def _remainder(signature: Signature) -> Meaning:
    """Exact. torch's own is NaN in whole vectors where the quotient overflows."""
    dtype = signature.dtype
    wide = torch.float32 if dtype in HALVES else dtype

    def remainder(a: Tensor, b: Tensor) -> Tensor:
        with np.errstate(invalid="ignore"):
            exact = np.fmod(a.to(wide).numpy(), b.to(wide).numpy())
        return torch.from_numpy(np.asarray(exact)).to(dtype)

    return remainder


def _cbrt(signature: Signature) -> Meaning:
    dtype = signature.dtype

    def cbrt(x: Tensor) -> Tensor:
        wide = x.to(torch.float64).contiguous()
        size = wide.abs()
        root = torch.exp(torch.log(size) / 3)
        refined = root - (root * root * root - size) / (3 * root * root)
        usable = refined.isfinite() & (root > 0)
        return torch.copysign(torch.where(usable, refined, root), wide).to(dtype)

    return cbrt


def _powi(signature: Signature) -> Meaning:
    """A float to an integer power: 1 for power 0, whatever the base."""
    power = whole_vectors(torch.pow)(signature)
    dtype = signature.dtype
    if dtype is torch.float64:
        return lambda x, n: power(x, n.to(dtype))
    return lambda x, n: power(x.to(torch.float64), n.to(torch.float64)).to(dtype)


def _clamp(signature: Signature) -> Meaning:
    """`minimumf(maximumf(value, low), high)`."""
    low_bound, high_bound = _maximum(signature), _minimum(signature)
    return lambda x, low, high: high_bound(low_bound(x, low), high)


def _is_normal(signature: Signature) -> Meaning:
    tiny = torch.finfo(signature.dtype).tiny
    return lambda x: x.isfinite() & (x.abs() >= tiny)


def _sincos(x: Tensor) -> tuple[Tensor, Tensor]:
    x = x.contiguous()
    return torch.sin(x), torch.cos(x)


ENTRIES: dict[str, Factory] = {
    "arith.addf": always(torch.add),
    "arith.subf": always(torch.sub),
    "arith.mulf": always(torch.mul),
    "arith.divf": always(torch.div),
    "arith.remf": _remainder,
    "arith.negf": always(torch.neg),
    "arith.maximumf": _maximum,
    "arith.minimumf": _minimum,
    "arith.maxnumf": _ignoring_nan(_maximum),
    "arith.minnumf": _ignoring_nan(_minimum),
    "arith.cmpf": _compare,
    "math.absf": always(torch.abs),
    "math.copysign": always(torch.copysign),
    "math.ceil": always(torch.ceil),
    "math.floor": always(torch.floor),
    "math.trunc": always(torch.trunc),
    "math.roundeven": always(torch.round),
    "math.round": always(_round_away),
    "math.sqrt": through_f32(_sqrt),
    "math.fma": _fma,
    "math.clampf": _clamp,
    "math.isnan": always(torch.isnan),
    "math.isinf": always(torch.isinf),
    "math.isfinite": always(torch.isfinite),
    "math.isnormal": _is_normal,
    "math.exp": contiguous(torch.exp),
    "math.expm1": contiguous(torch.expm1),
    "math.log": contiguous(torch.log),
    "math.log2": contiguous(torch.log2),
    "math.log10": contiguous(torch.log10),
    "math.log1p": contiguous(torch.log1p),
    "math.sin": contiguous(torch.sin),
    "math.cos": contiguous(torch.cos),
    "math.tan": contiguous(torch.tan),
    "math.tanh": contiguous(torch.tanh),
    "math.asin": contiguous(torch.asin),
    "math.acos": contiguous(torch.acos),
    "math.atan": contiguous(torch.atan),
    "math.asinh": contiguous(torch.asinh),
    "math.acosh": contiguous(torch.acosh),
    "math.erf": through_f32(torch.erf),
    "math.erfc": through_f32(torch.erfc),
    "math.rsqrt": through_f32(torch.rsqrt),
    "math.sincos": always(_sincos),
    "math.cbrt": _cbrt,
    "math.exp2": whole_vectors(torch.exp2),
    "math.sinh": whole_vectors(torch.sinh),
    "math.cosh": whole_vectors(torch.cosh),
    "math.atanh": whole_vectors(torch.atanh),
    "math.atan2": whole_vectors(torch.atan2),
    "math.powf": whole_vectors(torch.pow),
    "math.fpowi": _powi,
}
"""Op name to the choice of its meaning."""
