"""Arrays compared bit for bit, whatever they hold."""

from __future__ import annotations

from typing import Any

import torch


def bits(array: Any) -> tuple[str, tuple[int, ...], bytes]:
    """Type, shape and all bits of an array."""
    if isinstance(array, torch.Tensor):
        data = array.contiguous().view(torch.uint8).numpy().tobytes()
        return str(array.dtype), tuple(array.shape), data
    return str(array.dtype), array.shape, array.tobytes()
