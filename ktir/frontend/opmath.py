"""What the decompositions share: the registry, computing in f32, and scalars without f64.

Owns the decorator that registers a decomposition and the small helpers that state torch's
arithmetic rules. PyTorch on the CPU computes most f16 and bf16 operators internally in f32
("opmath") and rounds once at the end; torch-mlir computes in the type of the tensors. A Python
float is a double there, and its f64 leaks into the IR.

The decompositions themselves live in the `decompose_*` modules, the table of them in
`decompositions.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

aten = torch.ops.aten

NARROW_FLOATS = (torch.float16, torch.bfloat16)

Scalar = int | float
Decomposition = Callable[..., Any]
_Function = TypeVar("_Function", bound=Decomposition)

# Filled by the `decomposes` decorator while the decompose_* modules are imported; never changed
# afterwards.
REGISTRY: dict[Any, Decomposition] = {}


def decomposes(*overloads: Any) -> Callable[[_Function], _Function]:
    """Register a function as the decomposition of aten overloads.

    The function takes the arguments of the overload. It returns the results written with other
    operators, or NotImplemented to keep the operator as it is.
    """

    def register(function: _Function) -> _Function:
        for overload in overloads:
            if overload in REGISTRY:
                raise ValueError(f"two decompositions of {overload}")
            REGISTRY[overload] = function
        return function

    return register


def is_narrow(x: object) -> bool:
    """Whether `x` is an f16 or bf16 tensor, which torch widens to f32 before it computes."""
    return isinstance(x, Tensor) and x.dtype in NARROW_FLOATS


def widen(x: Tensor) -> Tensor:
    """`x` in the type torch computes in: f32 for f16 and bf16, itself otherwise."""
    return x.to(torch.float32) if x.dtype in NARROW_FLOATS else x


def scaled(x: Tensor, factor: Scalar) -> Tensor:
    """factor * x, without an operation where the factor is 1."""
    return x * factor if factor != 1 else x


def rounded(value: float, dtype: torch.dtype) -> float:
    """The value of floating `dtype` nearest to a Python number: what torch makes of its scalar
    operands.

    Computed by numpy, because torch calls are recorded while a model is traced.
    """
    with np.errstate(over="ignore"):
        if dtype == torch.bfloat16:
            return _rounded_to_bfloat16(value)
        if dtype == torch.float16:
            return float(np.float16(value))
        if dtype == torch.float32:
            return float(np.float32(value))
    return float(value)


def _rounded_to_bfloat16(value: float) -> float:
    """Round to nearest even on the upper 16 bits of the f32 pattern; infinities and NaN pass."""
    if not math.isfinite(value):
        return float(value)
    bits = int(np.float32(value).view(np.uint32))
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return float(np.uint32(bits).view(np.float32))


def alike(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Both tensors in the type that torch computes an operator of the two in."""
    dtype = torch.result_type(x, y)
    return x.to(dtype), y.to(dtype)


def mixes_unsigned(x: Tensor, y: Tensor) -> bool:
    """Whether bytes meet another type; torch-mlir's own conversions take them for signed."""
    return x.dtype != y.dtype and torch.uint8 in (x.dtype, y.dtype)


def representable(value: float, dtype: torch.dtype) -> bool:
    """Whether a Python number survives rounding to floating `dtype` (NaN does)."""
    return math.isnan(value) or rounded(value, dtype) == value


def constant(value: float, like: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """A rank-0 tensor holding `value` rounded to the dtype of `like` or the one given, on its
    device.

    Comparing or selecting with a rank-0 tensor keeps the type of the other operand, where a Python
    float would make torch-mlir compare in f64.
    """
    dtype = dtype or like.dtype
    value = rounded(value, dtype) if dtype.is_floating_point else value
    return torch.full((), value, dtype=dtype, device=like.device)


def in_f32(function: _Function) -> _Function:
    """Wrap a decomposition so that f16 and bf16 tensors are computed in f32 and the results rounded
    back.

    All narrow tensor operands are widened; every floating result gets the dtype of the first tensor
    operand.
    """

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        first = next(a for a in args if isinstance(a, Tensor))
        if not is_narrow(first):
            return function(*args, **kwargs)
        wide = [widen(a) if isinstance(a, Tensor) else a for a in args]
        keywords = {k: widen(a) if isinstance(a, Tensor) else a for k, a in kwargs.items()}
        return _narrow_all(function(*wide, **keywords), first.dtype)

    wrapped.__doc__ = function.__doc__
    wrapped.__name__ = function.__name__
    return wrapped  # type: ignore[return-value]


def _narrow_all(result: Any, dtype: torch.dtype) -> Any:
    """Round the f32 tensors of a result or a tuple of results to `dtype`."""
    if isinstance(result, tuple):
        return tuple(_narrow_all(part, dtype) for part in result)
    if isinstance(result, Tensor) and result.dtype == torch.float32:
        return result.to(dtype)
    return result
