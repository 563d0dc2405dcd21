"""Meanings of conversions and selections: the casts of `arith` and `index`, and `arith.select`.

Where MLIR leaves a result undefined it is defined here: a float out of an integer's range saturates
and NaN becomes 0. Conversions to 16-bit floats round once, also from f64 and wide integers, where
torch would round twice through f32.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ktir.machine.integers import as_unsigned, width
from ktir.machine.numerics import flip_sign
from ktir.machine.scalar import FLOAT_BITS, HALVES, Factory, Meaning, Signature, always

_NEAREST_EVEN, _DOWNWARD, _UPWARD, _TOWARD_ZERO, _NEAREST_AWAY = range(5)
"""The numbers of `arith.RoundingMode`."""


def _to_odd_f32(x: Tensor) -> Tensor:
    """f64 to f32 such that a further rounding to 16 bits is right.

    An inexact result is moved to the neighbour with an odd last bit ("round to odd"), which is
    never a tie.
    """
    near = x.to(torch.float32)
    exact = near.to(torch.float64)
    even = (near.view(torch.int32) & 1) == 0
    target = torch.where(exact < x, math.inf, -math.inf).to(torch.float32)
    moved = torch.nextafter(near, target)
    return torch.where(even & (exact != x) & x.isfinite() & near.isfinite(), moved, near)


def to_float(x: Tensor, dtype: torch.dtype) -> Tensor:
    """A float tensor in another float dtype, rounded once to nearest even."""
    if x.dtype is torch.float64 and dtype.itemsize < 4:
        x = _to_odd_f32(x)
    return x.to(dtype)


def _directed(x: Tensor, dtype: torch.dtype, mode: int) -> Tensor:
    """A float tensor in a narrower float dtype, rounded as `mode` says.

    The float next to the nearest one, in size, has the bits before or after.
    """
    exact, near = x.to(torch.float64), to_float(x, dtype)
    bits = near.view(FLOAT_BITS[dtype])
    size, near_size = exact.abs(), near.to(torch.float64).abs()
    inward, outward = near_size > size, near_size < size
    if mode == _NEAREST_AWAY:
        beyond = (bits + 1).view(dtype).to(torch.float64).abs()
        moved = (outward & (beyond - size == size - near_size)).to(bits.dtype)
    else:
        shrinks = {_DOWNWARD: exact > 0, _UPWARD: exact < 0}.get(mode, exact == exact)
        moved = (~shrinks & outward).to(bits.dtype) - (shrinks & inward).to(bits.dtype)
    return (bits + moved).view(dtype)


def _convert(signature: Signature) -> Meaning:
    source, dtype = signature.dtype, signature.result_dtype
    mode = int(signature.attributes.get("roundingmode", _NEAREST_EVEN))
    if mode != _NEAREST_EVEN:
        return lambda x: _directed(x, dtype, mode)
    if source is torch.float64 and dtype.itemsize < 4:
        return lambda x: to_float(x, dtype)
    return lambda x: x.to(dtype)


def _from_integer(signed: bool) -> Factory:
    def choose(signature: Signature) -> Meaning:
        source, dtype = signature.dtype, signature.result_dtype
        exact = width(source) <= 16 or dtype in (torch.float32, torch.float64)

        def read(x: Tensor) -> Tensor:
            if source is torch.bool:
                return -x.to(torch.int8) if signed else x
            return x if signed else as_unsigned(x)

        def narrow(x: Tensor) -> Tensor:
            return read(x).to(dtype)

        def wide(x: Tensor) -> Tensor:
            return to_float(read(x).to(torch.float64), dtype)

        def unsigned_wide(x: Tensor) -> Tensor:
            # The top bit of an int64 weighs 2^63; the lost last bit is kept sticky so that rounding
            # stays right.
            half = ((x >> 1) & torch.iinfo(torch.int64).max) | (x & 1)
            big = half.to(torch.float64 if dtype in HALVES else dtype) * 2
            small = x.to(torch.float64 if dtype in HALVES else dtype)
            return to_float(torch.where(x < 0, big, small), dtype)

        if source is torch.int64 and not signed:
            return unsigned_wide
        return narrow if exact else wide

    return choose


def _to_signed(signature: Signature) -> Meaning:
    dtype = signature.result_dtype
    if dtype is torch.bool:
        return lambda x: x.to(torch.float64).trunc() <= -1
    low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max

    def meaning(x: Tensor) -> Tensor:
        wide = x.to(torch.float64).nan_to_num(0.0, math.inf, -math.inf)
        result = wide.clamp(low, high).to(torch.int64)
        if dtype is torch.int64:
            result = result.masked_fill(wide >= 2.0**63, high)
        return result.to(dtype)

    return meaning


def _to_unsigned(signature: Signature) -> Meaning:
    dtype = signature.result_dtype
    bits = width(dtype)

    def meaning(x: Tensor) -> Tensor:
        wide = x.to(torch.float64).nan_to_num(0.0, math.inf, -math.inf).clamp(min=0.0)
        if bits < 64:
            return wide.clamp(max=float((1 << bits) - 1)).to(torch.int64).to(dtype)
        low = wide.clamp(max=2.0**63 - 1024).to(torch.int64)
        high = flip_sign((wide.clamp(2.0**63, 2.0**64 - 2048) - 2.0**63).to(torch.int64))
        return torch.where(wide < 2.0**63, low, high).masked_fill(wide >= 2.0**64, -1)

    return meaning


def _extend_signed(signature: Signature) -> Meaning:
    dtype = signature.result_dtype
    if signature.dtype is torch.bool:
        return lambda x: -x.to(dtype)
    return lambda x: x.to(dtype)


def _extend_unsigned(signature: Signature) -> Meaning:
    dtype = signature.result_dtype
    return lambda x: as_unsigned(x).to(dtype)


def _truncate(signature: Signature) -> Meaning:
    dtype = signature.result_dtype
    if dtype is torch.bool:
        return lambda x: (x & 1).to(torch.bool)
    return lambda x: x.to(dtype)


def _index_cast(extend: Factory) -> Factory:
    """Extends or truncates, by the widths of the two types (index has 64 bits)."""

    def choose(signature: Signature) -> Meaning:
        source, result = signature.dtype, signature.result_dtype
        if source is result:
            return lambda x: x
        return (extend if width(source) < width(result) else _truncate)(signature)

    return choose


def _bitcast(signature: Signature) -> Meaning:
    dtype = signature.result_dtype
    return lambda x: x.view(dtype)


ENTRIES: dict[str, Factory] = {
    "arith.extf": _convert,
    "arith.truncf": _convert,
    "arith.convertf": _convert,
    "arith.sitofp": _from_integer(signed=True),
    "arith.uitofp": _from_integer(signed=False),
    "arith.fptosi": _to_signed,
    "arith.fptoui": _to_unsigned,
    "arith.extsi": _extend_signed,
    "arith.extui": _extend_unsigned,
    "arith.trunci": _truncate,
    "arith.index_cast": _index_cast(_extend_signed),
    "arith.index_castui": _index_cast(_extend_unsigned),
    "index.casts": _index_cast(_extend_signed),
    "index.castu": _index_cast(_extend_unsigned),
    "arith.bitcast": _bitcast,
    "arith.select": always(torch.where),
}
"""Op name to the choice of its meaning."""
