"""Conversions that torch-mlir makes otherwise than torch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ktir.frontend.opmath import aten, decomposes, mixes_unsigned

_SMALL_INTEGERS = (torch.uint8, torch.int8, torch.int16)


@decomposes(aten._to_copy.default)
def to_copy(x: Tensor, *, dtype: torch.dtype | None = None, **kwargs: Any) -> Any:
    """Floats become small integers by way of int32, as on torch's CPU: 200.0 and -1.0 give uint8
    200 and 255. torch-mlir makes all bytes as signed ones, which end at 127.
    """
    if x.dtype.is_floating_point and dtype in _SMALL_INTEGERS:
        return x.to(torch.int32).to(dtype)
    return NotImplemented


@decomposes(aten.where.self)
def where(condition: Tensor, x: Tensor, y: Tensor) -> Any:
    """x where the condition holds, y elsewhere, with bytes that meet another type converted."""
    if not mixes_unsigned(x, y):
        return NotImplemented
    dtype = torch.result_type(x, y)
    return torch.where(condition, x.to(dtype), y.to(dtype))
