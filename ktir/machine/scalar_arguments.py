"""Numbers that are given as scalar arguments of kernels: what they may be, and as tensors.

Owns the ranges of types, and the promises of runtime arguments.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ktir.errors import InputError
from ktir.machine.numerics import dtype_of


def plain_number(value: Any, type_text: str, key: str) -> int | float:
    """The number that is given for an argument of a type: an integer for integer types, which a
    float of integral value is too.

    Integers may be written with or without a sign: an i8 is -128 to 255. An index, which counts
    elements, is at most 2**63 - 1. Raises InputError for what the type does not hold.
    """
    plain = value.item() if hasattr(value, "item") else value
    if not isinstance(plain, (bool, int, float)):
        raise InputError(
            f"argument '{key}': expected an array or a number, got {type(value).__name__}"
        )
    dtype = dtype_of(type_text)
    if isinstance(plain, bool) and dtype is not torch.bool:
        raise InputError(f"argument '{key}': found {plain}, expected a number of type {type_text}")
    if dtype.is_floating_point:
        return _float(plain, dtype, type_text, key)
    if isinstance(plain, float) and not plain.is_integer():
        raise InputError(f"argument '{key}': {plain} is not an integer, as {type_text} is")
    number, (low, high) = int(plain), _range(type_text)
    if not low <= number <= high:
        raise InputError(
            f"argument '{key}': {number} does not fit into {type_text}, which holds {low} to {high}"
        )
    return number


def scalar(value: Any, type_text: str, promises: Mapping[str, int], key: str) -> Tensor:
    """A scalar argument as the machine holds it, [1]. Raises InputError if it does not fit its
    type, or breaks a promise of it.
    """
    number, dtype = plain_number(value, type_text, key), dtype_of(type_text)
    if dtype.is_floating_point:
        return torch.tensor([number], dtype=dtype)
    _check_promises(int(number), promises, key)
    if dtype is torch.bool:
        return torch.tensor([number != 0])
    bits = _bits(type_text)
    wrapped = number - (1 << bits) if number >= 1 << (bits - 1) else number
    return torch.tensor([wrapped], dtype=dtype)


def _float(plain: float, dtype: torch.dtype, type_text: str, key: str) -> float:
    """Numbers that only rounding makes infinite are mistakes; infinity and NaN are not."""
    try:
        number = float(plain)
    except OverflowError:
        number = math.inf
    given = isinstance(plain, float) and math.isinf(plain)
    largest = torch.finfo(dtype).max
    if abs(number) > largest and not given and torch.tensor(number, dtype=dtype).isinf():
        raise InputError(
            f"argument '{key}': {plain} does not fit into {type_text}, whose largest number is "
            f"{largest:g}"
        )
    return number


def _range(type_text: str) -> tuple[int, int]:
    """The numbers of an integer type, from and to."""
    if type_text == "index":
        return -(1 << 63), (1 << 63) - 1
    bits = _bits(type_text)
    return -(1 << (bits - 1)), (1 << bits) - 1


def _bits(type_text: str) -> int:
    return 64 if type_text == "index" else int(re.sub(r"\D", "", type_text))


def _check_promises(number: int, promises: Mapping[str, int], key: str) -> None:
    """What the type of a runtime argument promises of its value."""
    bound = promises.get("upperbound")
    if bound is not None and number > bound:
        raise InputError(f"argument '{key}': {number} is over its upperbound {bound}")
    unit = promises.get("granularity", 1)
    if unit and number % unit:
        raise InputError(f"argument '{key}': {number} is not a multiple of its granularity {unit}")
