"""Types, reductions and matrix products: the arithmetic whose last bits the machine promises.

Owns the torch dtype of each MLIR scalar type, the fixed tree of reductions (`reduce_tree`) and
matrix products that do not depend on how rows and columns are cut (`matmul`). What one scalar op
computes is in `table`; which dimensions are reduced or contracted is decided in `structured`.

Why the fixed shapes: a plain torch sum over a strided or uneven dimension, and a float matmul of
few rows or columns, change their last bits with shape, stride and thread count. Sums of contiguous
64-wide sticks and products padded to whole blocks of 8 rows and 16 columns (24 in f64) do not
(measured with torch 2.13; held by test_numerics.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import Enum

import torch
from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.machine.workers import together

STICK = 64
"""Elements that one step of the reduction tree adds up."""

ROWS = 8
"""A matrix product is computed on whole blocks of this many rows of its left operand."""

COLUMNS = {torch.float32: 16, torch.float64: 24, torch.int64: 1}
"""A matrix product is computed on whole blocks of this many columns of its right operand."""

INNER = 4
"""The least K: torch multiplies batches of less than 400 multiplications each in another way
(aten/src/ATen/native/LinearAlgebra.cpp, bmm_out_or_baddbmm_), without fused rounding."""

EIGHT_BITS = {
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2,
    "f8E4M3FNUZ": torch.float8_e4m3fnuz,
    "f8E5M2FNUZ": torch.float8_e5m2fnuz,
}
"""Floats that torch holds but does not compute with: f32 does, rounded once."""

_DTYPES = {
    "i1": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "index": torch.int64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    **EIGHT_BITS,
}
_DTYPES |= {f"{sign}i{width}": _DTYPES[f"i{width}"] for sign in "su" for width in (8, 16, 32, 64)}

_HALVES = (torch.float16, torch.bfloat16)


def dtype_of(type_text: str) -> torch.dtype:
    """The torch dtype that holds the MLIR scalar type spelled `type_text`.

    Integers are held as signed ints of their width whatever their signedness (ops say how they read
    the bits), i1 as bool, index as int64. Raises UnsupportedError for any other type.
    """
    dtype = _DTYPES.get(type_text)
    if dtype is None:
        raise UnsupportedError(
            f"type {type_text} has no values on the machine; known: {', '.join(_DTYPES)}"
        )
    return dtype


def poison(dtype: torch.dtype) -> float | int | bool:
    """The value whose bytes are all 0xFF (NaN, -1, True): what fresh memory holds."""
    if dtype is torch.bool:
        return True
    return math.nan if dtype.is_floating_point else -1


class Kind(Enum):
    """What a reduction folds with. Its value is the name of the scalar op in `table`."""

    ADDF = "arith.addf"
    MULF = "arith.mulf"
    MAXIMUMF = "arith.maximumf"
    MINIMUMF = "arith.minimumf"
    MAXNUMF = "arith.maxnumf"
    MINNUMF = "arith.minnumf"
    ADDI = "arith.addi"
    MULI = "arith.muli"
    MAXSI = "arith.maxsi"
    MINSI = "arith.minsi"
    MAXUI = "arith.maxui"
    MINUI = "arith.minui"
    ANDI = "arith.andi"
    ORI = "arith.ori"
    XORI = "arith.xori"


def neutral(kind: Kind, dtype: torch.dtype) -> float | int | bool:
    """The value that changes no other value of `dtype` under `kind`, the sign of zero included."""
    if dtype is torch.bool:
        return kind in (Kind.MULI, Kind.MAXSI, Kind.MINUI, Kind.ANDI)
    if kind in (Kind.MAXSI, Kind.MINSI):
        limits = torch.iinfo(dtype)
        return limits.min if kind is Kind.MAXSI else limits.max
    if kind in (Kind.MAXNUMF, Kind.MINNUMF):
        return math.nan
    value = _NEUTRAL[kind]
    if dtype in EIGHT_BITS.values() and math.isinf(value):
        # Not all of them have an infinity.
        return math.copysign(torch.finfo(dtype).max, value)
    return value


_NEUTRAL: dict[Kind, float | int] = {
    Kind.ADDF: -0.0,
    Kind.MULF: 1.0,
    Kind.MAXIMUMF: -math.inf,
    Kind.MINIMUMF: math.inf,
    Kind.ADDI: 0,
    Kind.MULI: 1,
    Kind.MAXUI: 0,
    Kind.MINUI: -1,
    Kind.ANDI: -1,
    Kind.ORI: 0,
    Kind.XORI: 0,
}


def reduce_tree(x: Tensor, kind: Kind, dims: Sequence[int]) -> Tensor:
    """Folds the dimensions `dims` of `x` with `kind`; the others stay, in order. Keeps the dtype.

    The folded dimensions are moved last, flattened in the order of `dims`, padded with the neutral
    value to whole sticks, and each stick is folded, until one value is left. So the bits of a
    result depend on its own elements and their order only. f16 and bf16 sums and products are
    carried in f32 and rounded once. A sum that is zero is +0.
    """
    if x.dtype in EIGHT_BITS.values():
        return reduce_tree(x.to(torch.float32), kind, dims).to(x.dtype)
    rows = _rows(x, dims)
    if rows.dtype is torch.bool:
        return _reduce_bool(rows, kind)
    if rows.shape[-1] == 0 and kind is not Kind.ADDF:
        return rows.new_full(rows.shape[:-1], neutral(kind, rows.dtype))
    return _FOLDS[kind](rows)


def _rows(x: Tensor, dims: Sequence[int]) -> Tensor:
    """`x` as contiguous rows: kept dimensions first, then one with what is to be folded."""
    kept = [d for d in range(x.dim()) if d not in dims]
    order = [*kept, *dims]
    if order != list(range(x.dim())):
        x = x.permute(order)
    if len(dims) != 1:
        x = x.reshape(*x.shape[: len(kept)], math.prod(x.shape[len(kept) :]))
    return x.contiguous()


def _tree(rows: Tensor, kind: Kind, fold: Callable[[Tensor], Tensor]) -> Tensor:
    dtype = rows.dtype
    if dtype in _HALVES:
        rows = rows.to(torch.float32)
    while True:
        size = rows.shape[-1]
        sticks = max(1, -(-size // STICK))
        if size != sticks * STICK:
            rows = torch.constant_pad_nd(rows, (0, sticks * STICK - size), _NEUTRAL[kind])
        if sticks == 1:
            return fold(rows).to(dtype)
        rows = fold(rows.view(*rows.shape[:-1], sticks, STICK))


def _sum_tree(rows: Tensor) -> Tensor:
    return _tree(rows, Kind.ADDF, lambda sticks: sticks.sum(-1))


def _product_tree(rows: Tensor) -> Tensor:
    return _tree(rows, Kind.MULF, lambda sticks: sticks.prod(-1))


def _maximum(rows: Tensor) -> Tensor:
    """NaN if there is one; +0 above -0 (IEEE 754-2019 maximum), where torch goes by order."""
    result = rows.amax(-1)
    if bool(result.all()):
        return result
    return torch.copysign(result, torch.where(rows.signbit().all(-1), -1.0, 1.0).to(result.dtype))


def _minimum(rows: Tensor) -> Tensor:
    """NaN if there is one; -0 below +0 (IEEE 754-2019 minimum)."""
    result = rows.amin(-1)
    if bool(result.all()):
        return result
    return torch.copysign(result, torch.where(rows.signbit().any(-1), -1.0, 1.0).to(result.dtype))


def _number(rows: Tensor, fold: Callable[[Tensor], Tensor], ignored: float) -> Tensor:
    """`fold` over the elements that are not NaN; NaN where there is no other element."""
    result = fold(rows)
    if not bool(result.isnan().any()):
        return result
    missing = rows.isnan()
    return fold(rows.masked_fill(missing, ignored)).masked_fill(missing.all(-1), math.nan)


def _halving(rows: Tensor, kind: Kind, combine: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """Folds by combining halves; for exact ops that torch has no reduction of."""
    while (size := rows.shape[-1]) > 1:
        half = (size + 1) // 2
        tail = torch.constant_pad_nd(rows[..., half:], (0, 2 * half - size), _NEUTRAL[kind])
        rows = combine(rows[..., :half], tail)
    return rows.squeeze(-1)


def flip_sign(x: Tensor) -> Tensor:
    """Toggles the top bit of integers, which turns unsigned order into signed order and back."""
    return x ^ torch.iinfo(x.dtype).min


def _reduce_bool(rows: Tensor, kind: Kind) -> Tensor:
    """i1: true is -1 when read as signed, 1 as unsigned; sums and products wrap to one bit."""
    if kind in (Kind.ADDI, Kind.XORI):
        return (rows.sum(-1) & 1).to(torch.bool)
    if neutral(kind, torch.bool):
        return rows.all(-1)
    return rows.any(-1)


_FOLDS: dict[Kind, Callable[[Tensor], Tensor]] = {
    Kind.ADDF: _sum_tree,
    Kind.MULF: _product_tree,
    Kind.MAXIMUMF: _maximum,
    Kind.MINIMUMF: _minimum,
    Kind.MAXNUMF: lambda rows: _number(rows, _maximum, -math.inf),
    Kind.MINNUMF: lambda rows: _number(rows, _minimum, math.inf),
    Kind.ADDI: lambda rows: rows.sum(-1, dtype=rows.dtype),
    Kind.MULI: lambda rows: rows.prod(-1, dtype=rows.dtype),
    Kind.MAXSI: lambda rows: rows.amax(-1),
    Kind.MINSI: lambda rows: rows.amin(-1),
    Kind.MAXUI: lambda rows: flip_sign(flip_sign(rows).amax(-1)),
    Kind.MINUI: lambda rows: flip_sign(flip_sign(rows).amin(-1)),
    Kind.ANDI: lambda rows: _halving(rows, Kind.ANDI, torch.bitwise_and),
    Kind.ORI: lambda rows: _halving(rows, Kind.ORI, torch.bitwise_or),
    Kind.XORI: lambda rows: _halving(rows, Kind.XORI, torch.bitwise_xor),
}


def matmul(a: Tensor, b: Tensor, out_dtype: torch.dtype) -> Tensor:
    """Matrix products `a[c, s] @ b[c, s]` for every core c and batch s.

    Shapes: a [1 or C, B, M, K], b [1 or C, B, K, N], result [1 or C, B, M, N] in `out_dtype`.
    Floats are multiplied and added in f32 (operands are converted first), in f64 if an operand or
    the result is f64; integers wrap in the width of the result. Bits do not depend on M, N, B, C or
    strides; they do depend on K and the order along K.
    """
    dtype = _product_dtype(a, b, out_dtype)
    a, b = a.to(dtype), b.to(dtype)
    cores = max(a.shape[0], b.shape[0])
    batch, m, k = a.shape[1:]
    n = b.shape[3]
    if min(cores, batch, m, n, k) == 0:
        return torch.zeros((cores, batch, m, n), dtype=out_dtype)
    if b.shape[0] == 1 and batch == 1:
        product = _product(a.reshape(cores * m, k), b.reshape(k, n))
    elif b.shape[0] == 1:
        product = _padded(a.transpose(0, 1).reshape(batch, cores * m, k), b[0])
        product = product.view(batch, cores, m, n).transpose(0, 1)
    else:
        a = a.expand(cores, batch, m, k)
        product = _padded(a.reshape(cores * batch, m, k), b.reshape(cores * batch, k, n))
    product = product.reshape(cores, batch, m, n)
    if dtype is torch.float64 and not out_dtype.is_floating_point:
        product = product.to(torch.int64)  # a direct conversion would not wrap
    return product.to(out_dtype)


def _product_dtype(a: Tensor, b: Tensor, out: torch.dtype) -> torch.dtype:
    """The dtype to multiply in: exact for integers, at least f32 for floats."""
    if out.is_floating_point:
        return torch.float64 if torch.float64 in (a.dtype, b.dtype, out) else torch.float32
    narrow = (torch.bool, torch.int8, torch.int16)
    # f64 holds every sum of up to 2^22 products of 16-bit integers, and is much faster than int64
    # here.
    if a.dtype in narrow and b.dtype in narrow and a.shape[-1] <= 1 << 22:
        return torch.float64
    return torch.int64


def _padded(a: Tensor, b: Tensor) -> Tensor:
    """`a @ b` for [B, M, K] and [B, K, N], computed on whole blocks of rows and columns."""
    if a.shape[0] == 1:
        return _product(a[0], b[0]).unsqueeze(0)
    return _product(a, b)


def _product(a: Tensor, b: Tensor) -> Tensor:
    """The same for [M, K] and [K, N] too."""
    m, n = a.shape[-2], b.shape[-1]
    rows, columns, inner = -m % ROWS, -n % COLUMNS[a.dtype], max(0, INNER - a.shape[-1])
    if rows or inner:
        a = torch.constant_pad_nd(a, (0, inner, 0, rows))
    if columns or inner:
        b = torch.constant_pad_nd(b, (0, columns, 0, inner))
    multiply = torch.mm if a.dim() == 2 else torch.bmm
    with together(a.numel() * b.shape[-1]):
        product = multiply(a, b)
    return product[..., :m, :n] if rows or columns else product
