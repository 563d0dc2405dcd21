"""Arithmetic, comparisons, clamps and powers as torch computes them.

What torch-mlir does otherwise is put right here: operators that torch computes in f32 for f16 and
bf16 operands, NaN and -0.0 in minimum, maximum, clamp and relu, Python scalars, which would be
rounded to f16 or reach the IR as f64, and uint8 operands, which would be read as signed. Activation
functions are in `decompose_activations.py`, divisions with a remainder in `decompose_division.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ktir.frontend.opmath import (
    Scalar,
    alike,
    aten,
    constant,
    decomposes,
    in_f32,
    is_narrow,
    mixes_unsigned,
    representable,
    rounded,
    scaled,
    widen,
)

# ---- arithmetic with Python scalars ----------------------------------------------------
#
# Beside an f16 or bf16 tensor, torch's CPU kernels round the scalar of an addition to the type of
# the tensor, and keep the scalar of a multiplication or division in f32 (measured against torch
# 2.13).


def _promoted(op: Any, x: Tensor, scalar: Scalar) -> Any:
    """`op` of a tensor that is not floating and a scalar: a float gives the default float type."""
    if isinstance(scalar, int):
        return NotImplemented
    return op(x.to(torch.get_default_dtype()), scalar)


def _add_scalar(op: Any, x: Tensor, scalar: Scalar) -> Any:
    """`op(x, scalar)` for addition and subtraction."""
    if not x.dtype.is_floating_point:
        return _promoted(op, x, scalar)
    if representable(scalar, x.dtype):
        return NotImplemented
    return op(x, rounded(scalar, x.dtype))


def _scale_by_scalar(op: Any, x: Tensor, scalar: Scalar) -> Any:
    """`op(x, scalar)` for multiplication and division."""
    if not x.dtype.is_floating_point:
        return _promoted(op, x, scalar)
    if representable(scalar, x.dtype):
        return NotImplemented
    wide = widen(x)
    return op(wide, rounded(scalar, wide.dtype)).to(x.dtype)


def _weighted(op: Any, x: Tensor, y: Tensor | Scalar, alpha: Scalar) -> Tensor:
    """op(x, alpha * y), computed in f32 for narrow tensors, with the scalars of an addition."""
    dtype = torch.result_type(x, y)
    if dtype.is_floating_point:
        alpha = rounded(alpha, dtype)
        y = y if isinstance(y, Tensor) else rounded(y, dtype)
    wide = widen(x)
    term = scaled(widen(y), alpha) if isinstance(y, Tensor) else y * alpha
    result: Tensor = op(wide, term)
    return result.to(dtype)


@decomposes(aten.add.Tensor, aten.add.Scalar)
def add(x: Tensor, y: Tensor | Scalar, alpha: Scalar = 1) -> Any:
    """x + alpha * y."""
    if alpha != 1:
        return _weighted(torch.add, x, y, alpha)
    return NotImplemented if isinstance(y, Tensor) else _add_scalar(torch.add, x, y)


@decomposes(aten.sub.Tensor, aten.sub.Scalar)
def sub(x: Tensor, y: Tensor | Scalar, alpha: Scalar = 1) -> Any:
    """x - alpha * y."""
    if alpha != 1:
        return _weighted(torch.sub, x, y, alpha)
    return NotImplemented if isinstance(y, Tensor) else _add_scalar(torch.sub, x, y)


@decomposes(aten.rsub.Tensor, aten.rsub.Scalar)
def rsub(x: Tensor, y: Tensor | Scalar, alpha: Scalar = 1) -> Tensor:
    """y - alpha * x, with a scalar y as a rank-0 tensor."""
    left = y if isinstance(y, Tensor) else constant(y, x, torch.result_type(x, y))
    return torch.sub(left, x, alpha=alpha)


def _is_wide_scalar(x: Tensor, y: Tensor) -> bool:
    """Whether `y` is a rank-0 float beside a narrow tensor `x`: torch keeps its f32 value."""
    return is_narrow(x) and x.dim() > 0 and y.dim() == 0 and y.dtype.is_floating_point


@decomposes(aten.mul.Tensor, aten.mul.Scalar)
def mul(x: Tensor, y: Tensor | Scalar) -> Any:
    """x * y."""
    if not isinstance(y, Tensor):
        return _scale_by_scalar(torch.mul, x, y)
    if mixes_unsigned(x, y):
        return torch.mul(*alike(x, y))
    if _is_wide_scalar(y, x):
        x, y = y, x
    if _is_wide_scalar(x, y) and not is_narrow(y):
        return (widen(x) * y.to(torch.float32)).to(x.dtype)
    return NotImplemented


@decomposes(aten.div.Tensor, aten.div.Scalar)
def div(x: Tensor, y: Tensor | Scalar) -> Any:
    """x / y; integers divide in the default float type."""
    if not isinstance(y, Tensor):
        whole = not x.dtype.is_floating_point
        return x.to(torch.get_default_dtype()) / y if whole else _scale_by_scalar(torch.div, x, y)
    if torch.uint8 in (x.dtype, y.dtype):
        dtype = torch.result_type(x, y)
        dtype = dtype if dtype.is_floating_point else torch.get_default_dtype()
        return x.to(dtype) / y.to(dtype)
    if _is_wide_scalar(x, y) and not is_narrow(y):
        return (widen(x) / y.to(torch.float32)).to(x.dtype)
    return NotImplemented


@decomposes(aten.neg.default)
def neg(x: Tensor) -> Any:
    """-x; torch-mlir negates integers as f32. The least integer stays, as in two's complement."""
    return NotImplemented if x.dtype.is_floating_point else torch.sub(constant(0, x), x)


@decomposes(aten.abs.default)
def absolute(x: Tensor) -> Any:
    """|x|; torch-mlir takes bytes for signed."""
    return x.clone() if x.dtype == torch.uint8 else NotImplemented


@decomposes(aten.reciprocal.default)
def reciprocal(x: Tensor) -> Tensor:
    """1 / x; torch-mlir's own lowering asserts that nothing is zero."""
    wide = x if x.dtype.is_floating_point else x.to(torch.get_default_dtype())
    return constant(1.0, wide) / wide


@decomposes(aten.addcmul.default)
@in_f32
def addcmul(x: Tensor, a: Tensor, b: Tensor, value: Scalar = 1) -> Tensor:
    """x + value * a * b."""
    return x + scaled(a * b, value)


@decomposes(aten.addcdiv.default)
@in_f32
def addcdiv(x: Tensor, a: Tensor, b: Tensor, value: Scalar = 1) -> Tensor:
    """x + value * a / b."""
    return x + scaled(a / b, value)


# ---- comparisons -----------------------------------------------------------------------


def _compare(op: Any, x: Any, y: Any) -> Any:
    """A comparison with a Python scalar, which takes the type of a floating tensor beside it."""
    if isinstance(x, Tensor) and isinstance(y, Tensor) and mixes_unsigned(x, y):
        return op(*alike(x, y))
    if not isinstance(x, Tensor) or isinstance(y, (Tensor, bool)):
        return NotImplemented
    if x.dtype.is_floating_point:
        return op(x, constant(y, x))
    if isinstance(y, int):
        return NotImplemented
    return op(x.to(torch.get_default_dtype()), constant(y, x, torch.get_default_dtype()))


def _register_comparison(name: str) -> None:
    packet = getattr(aten, name)
    op = getattr(torch, name)

    @decomposes(packet.Tensor, packet.Scalar)
    def compare(x: Any, y: Any) -> Any:
        return _compare(op, x, y)


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _register_comparison(_name)


# ---- minimum, maximum, clamp -----------------------------------------------------------


def _extreme(op: Any, better: Any, x: Tensor, y: Tensor) -> Any:
    """x where it is better, equal or NaN, y elsewhere; a NaN in y compares false and is chosen."""
    if mixes_unsigned(x, y):
        return op(*alike(x, y))
    x, y = alike(x, y)
    if not x.dtype.is_floating_point:
        return NotImplemented
    return torch.where(better(x, y) | (x != x), x, y)


@decomposes(aten.maximum.default)
def maximum(x: Tensor, y: Tensor) -> Any:
    """The larger operand, or NaN if either is NaN."""
    return _extreme(torch.maximum, torch.ge, x, y)


@decomposes(aten.minimum.default)
def minimum(x: Tensor, y: Tensor) -> Any:
    """The smaller operand, or NaN if either is NaN."""
    return _extreme(torch.minimum, torch.le, x, y)


@decomposes(aten.relu.default)
def relu(x: Tensor) -> Any:
    """Zero where x is below zero; -0.0 and NaN are not and stay."""
    return torch.where(x < 0, constant(0, x), x) if x.dtype.is_floating_point else NotImplemented


@decomposes(aten.clamp.default, aten.hardtanh.default)
def clamp(x: Tensor, low: Scalar | None = None, high: Scalar | None = None) -> Tensor:
    """Bounds by comparison: a NaN fails both and stays; `high` wins where the bounds cross.

    A bound that is NaN makes every element NaN.
    """
    dtype = torch.result_type(x, low) if low is not None else x.dtype
    dtype = torch.result_type(torch.empty((), dtype=dtype), high) if high is not None else dtype
    if any(bound is not None and math.isnan(bound) for bound in (low, high)):
        return torch.full_like(x, math.nan, dtype=dtype)
    result = x.to(dtype)
    if low is not None:
        bound = constant(low, result)
        result = torch.where(result < bound, bound, result)
    if high is not None:
        bound = constant(high, result)
        result = torch.where(result > bound, bound, result)
    return result


@decomposes(aten.clamp.Tensor)
def clamp_tensor(x: Tensor, low: Tensor | None = None, high: Tensor | None = None) -> Tensor:
    """clamp with tensor bounds; a NaN in a bound is a NaN in the result."""
    result = torch.maximum(x, low) if low is not None else x
    return torch.minimum(result, high) if high is not None else result


@decomposes(aten.clamp_min.default)
def clamp_min(x: Tensor, low: Scalar) -> Tensor:
    """clamp from below."""
    return clamp(x, low, None)


@decomposes(aten.clamp_max.default)
def clamp_max(x: Tensor, high: Scalar) -> Tensor:
    """clamp from above."""
    return clamp(x, None, high)


# ---- powers ----------------------------------------------------------------------------

_POWERS: dict[float, Callable[[Tensor], Tensor]] = {
    0.5: torch.sqrt,
    1.0: lambda x: x,
    2.0: lambda x: x * x,
    3.0: lambda x: x * x * x,
    -0.5: torch.rsqrt,
    -1.0: torch.reciprocal,
    -2.0: lambda x: torch.reciprocal(x * x),
}


def _for_root(x: Tensor) -> Tensor:
    """x such that its root is its power of 0.5: the two differ at -inf and -0.0.

    torch takes the root of f32 and bf16 operands and the power of f16 ones.
    """
    return torch.where(x == -math.inf, constant(math.inf, x), x) + 0.0


@decomposes(aten.pow.Tensor_Scalar)
def pow_scalar(x: Tensor, exponent: Scalar) -> Any:
    """x ** exponent; exponents that torch's CPU kernel treats apart become products and roots."""
    if not x.dtype.is_floating_point:
        if isinstance(exponent, int) and exponent in (2, 3):
            return _POWERS[float(exponent)](x)
        return _promoted(torch.pow, x, exponent)
    exponent = rounded(exponent, x.dtype)
    wide = widen(x)
    if x.dtype == torch.float16 and abs(exponent) == 0.5:
        wide = _for_root(wide)
    simple = _POWERS.get(exponent)
    result = simple(wide) if simple else torch.pow(wide, constant(exponent, wide))
    return x.clone() if result is x else result.to(x.dtype)


@decomposes(aten.pow.Scalar)
def pow_of_scalar(base: Scalar, x: Tensor) -> Any:
    """base ** x."""
    if not x.dtype.is_floating_point:
        return NotImplemented
    wide = widen(x)
    return torch.pow(constant(rounded(base, x.dtype), wide), wide).to(x.dtype)


@decomposes(aten.pow.Tensor_Tensor)
def pow_tensor(x: Tensor, y: Tensor) -> Any:
    """x ** y, narrow operands in f32."""
    if is_narrow(x) and is_narrow(y):
        return torch.pow(widen(x), widen(y)).to(torch.result_type(x, y))
    return NotImplemented


# ---- classes of numbers ----------------------------------------------------------------


@decomposes(aten.isfinite.default)
def isfinite(x: Tensor) -> Tensor:
    """Neither infinite nor NaN, which compares false."""
    if not x.dtype.is_floating_point:
        return torch.ones_like(x, dtype=torch.bool)
    return torch.abs(x) < math.inf
