"""Arrays of the caller as bytes in device memory, and back: numpy and torch alike.

Owns the element types of arrays and the two copies. Where arrays lie in device memory is up to
`kernel`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ktir.errors import InputError

Array = Any
"""A `numpy.ndarray` or a `torch.Tensor` with at least one dimension."""

_KINDS = {
    "bool": "i1",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "float8_e4m3fn": "f8E4M3FN",
    "float8_e5m2": "f8E5M2",
    **{f"{sign}int{bits}": f"i{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


def is_array(value: Any) -> bool:
    """Whether a value is an array; numpy and torch scalars of no dimension are scalars."""
    return isinstance(value, (np.ndarray, Tensor)) and value.ndim > 0


def element_type(array: Array) -> str:
    """The element type as MLIR spells it, integers without sign. Raises InputError for others."""
    is_torch = isinstance(array, Tensor)
    name = str(array.dtype).removeprefix("torch.") if is_torch else array.dtype.name
    kind = _KINDS.get(name)
    if kind is None:
        raise InputError(
            f"arrays of {name} cannot be given to a kernel; known: {', '.join(_KINDS)}"
        )
    return kind


def fits(array: Array, viewed: str) -> bool:
    """Whether elements of the MLIR type `viewed` are what the array holds; signs do not matter."""
    wanted = "i64" if viewed == "index" else viewed.removeprefix("s").removeprefix("u")
    found = element_type(array)
    return found == wanted or (found == "i8" and wanted == "i1")


def put_bytes(array: Array, target: Tensor) -> None:
    """Copies the elements in row-major order to bytes, uint8 [n]."""
    if isinstance(array, Tensor):
        flat = array.detach().cpu().contiguous().reshape(-1)
        target.copy_(flat.view(torch.uint8) if flat.dtype != torch.bool else flat)
        return
    dense = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False))
    np.copyto(target.numpy(), dense.reshape(-1).view(np.uint8))


def from_bytes(data: Tensor, like: Array) -> Array:
    """An array of the kind, dtype and shape of `like` from its bytes; shares nothing."""
    if isinstance(like, Tensor):
        if like.dtype == torch.bool:
            return data.ne(0).reshape(like.shape)
        return data.clone().view(like.dtype).reshape(like.shape)
    dtype = like.dtype.newbyteorder("=")
    if dtype == np.bool_:
        return data.numpy().astype(np.bool_).reshape(like.shape)
    return data.numpy().copy().view(dtype).reshape(like.shape)


def byte_count(array: Array) -> int:
    """Bytes of all elements."""
    size = array.numel() if isinstance(array, Tensor) else array.size
    return int(size) * int(array.dtype.itemsize)
