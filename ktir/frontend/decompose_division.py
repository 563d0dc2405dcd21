"""Division that rounds, and the remainders that belong to it.

torch-mlir divides integers in f64, wrong past 2**53, and reads uint8 operands as signed; its fmod
of floats multiplies a rounded quotient back. Its remainder of floats is exact (`arith.remf`), and
everything about floats here is built on that, in f32 for f16 and bf16 operands.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ktir.frontend.opmath import Scalar, alike, aten, constant, decomposes, widen


def _operands(x: Tensor, y: Tensor | Scalar) -> tuple[Tensor, Tensor, torch.dtype]:
    """Both operands in the type to compute in, f32 for narrow floats and int32 for bytes, and the
    type of the result.
    """
    dtype = torch.result_type(x, y)
    divisor = y if isinstance(y, Tensor) else constant(y, x, dtype)
    working = torch.int32 if dtype == torch.uint8 else dtype
    a, b = alike(x, divisor)
    return widen(a.to(working)), widen(b.to(working)), dtype


# ---- quotients -------------------------------------------------------------------------


@decomposes(aten.div.Tensor_mode, aten.div.Scalar_mode)
def div_mode(x: Tensor, y: Tensor | Scalar, rounding_mode: str | None = None) -> Any:
    """Division rounded to zero or down."""
    if rounding_mode is None:
        return x / y
    a, b, dtype = _operands(x, y)
    if rounding_mode == "floor" and dtype.is_floating_point:
        # torch keeps the f32 value of a scalar here, and rounds it to f16 in a remainder.
        return _floor_of_floats(a, b if isinstance(y, Tensor) else constant(y, a)).to(dtype)
    if rounding_mode == "floor":
        return _floor_of_integers(a, b).to(dtype)
    if dtype.is_floating_point:
        return torch.trunc(x / y)
    if a is x and b is y:
        return NotImplemented
    return torch.div(a, b, rounding_mode="trunc").to(dtype)


def _floor_of_integers(a: Tensor, b: Tensor) -> Tensor:
    """The quotient rounded to zero, less one where there is a remainder and the signs differ."""
    quotient: Tensor = torch.div(a, b, rounding_mode="trunc")
    rest = a - quotient * b
    inexact = (rest != 0) & ((rest < 0) != (b < 0))
    return quotient - inexact.to(quotient.dtype)


def _floor_of_floats(a: Tensor, b: Tensor) -> Tensor:
    """Python's floor division: divides what divides evenly, in agreement with the remainder."""
    rest = torch.fmod(a, b)
    wraps = (rest != 0) & ((rest < 0) != (b < 0))
    quotient = (a - rest) / b - wraps.to(a.dtype)
    whole = torch.floor(quotient)
    whole = torch.where(quotient - whole > 0.5, whole + 1.0, whole)
    exact = a / b
    whole = torch.where(quotient == 0, exact * 0.0, whole)
    return torch.where(b == 0, exact, whole)


@decomposes(aten.floor_divide.default, aten.floor_divide.Scalar)
def floor_divide(x: Tensor, y: Tensor | Scalar) -> Tensor:
    """x // y."""
    return torch.div(x, y, rounding_mode="floor")


# ---- remainders ------------------------------------------------------------------------


@decomposes(aten.fmod.Tensor, aten.fmod.Scalar)
def fmod(x: Tensor, y: Tensor | Scalar) -> Any:
    """The remainder with the sign of x, also of a remainder of zero."""
    a, b, dtype = _operands(x, y)
    if dtype.is_floating_point:
        rest = torch.remainder(torch.abs(a), torch.abs(b))
        rest = torch.where(a < 0, -rest, rest)
        return torch.where(rest == 0, a * 0.0, rest).to(dtype)
    quotient = torch.div(a, b, rounding_mode="trunc")
    return (a - quotient * b).to(dtype)


@decomposes(aten.remainder.Tensor, aten.remainder.Scalar)
def remainder(x: Tensor, y: Tensor | Scalar) -> Any:
    """x % y with the sign of y."""
    a, b, dtype = _operands(x, y)
    if not dtype.is_floating_point:
        return (a - _floor_of_integers(a, b) * b).to(dtype)
    if a is x and b is y:
        return NotImplemented
    return torch.remainder(a, b).to(dtype)
