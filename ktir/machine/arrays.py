"""Arrays of the caller as bytes in device memory, and back: numpy and torch alike.

Owns the element types of arrays and the two copies. Where arrays lie in device memory is up to
`kernel`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ktir.errors import InputError
from ktir.machine.memory import FRESH

Array = Any
"""A `numpy.ndarray` or a `torch.Tensor` with at least one dimension, or an `Unwritten`."""


@dataclasses.dataclass(frozen=True)
class Unwritten:
    """An array that a kernel is to write: its bytes in device memory are fresh, and it takes none
    here. Comes back as a tensor if `is_torch`, else as a numpy array.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype
    is_torch: bool

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)


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
    return isinstance(value, (np.ndarray, Tensor, Unwritten)) and value.ndim > 0


def element_type(array: Array) -> str:
    """The element type as MLIR spells it, integers without sign.

    Raises InputError for others, and for a tensor that is no dense array of values in memory.
    """
    if isinstance(array, Tensor) and not _is_dense(array):
        kind = "nested" if array.is_nested else str(array.layout).removeprefix("torch.")
        raise InputError(
            f"a tensor of layout {kind} on device {array.device} cannot be given to a kernel; "
            "expected a dense tensor with data"
        )
    return _element_of(array.dtype)


def _is_dense(tensor: Tensor) -> bool:
    is_strided = tensor.layout == torch.strided and not tensor.is_nested
    return is_strided and tensor.device.type != "meta"


@functools.cache
def _element_of(dtype: Any) -> str:
    is_torch = isinstance(dtype, torch.dtype)
    name = str(dtype).removeprefix("torch.") if is_torch else dtype.name
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
    """Copies the elements in row-major order to bytes, uint8 [n], without a copy in between."""
    if isinstance(array, Unwritten):
        target.fill_(FRESH)
    elif isinstance(array, Tensor):
        dtype = torch.uint8 if array.dtype == torch.bool else array.dtype
        target.view(dtype).reshape(array.shape).copy_(array.detach())
    else:
        dtype = array.dtype.newbyteorder("=")
        np.copyto(target.numpy().view(dtype).reshape(array.shape), array)


def from_bytes(data: Tensor, like: Array) -> Array:
    """An array of the kind, dtype and shape of `like` on these bytes, which it shares."""
    if isinstance(like.dtype, torch.dtype):
        is_bool = like.dtype == torch.bool
        tensor = (data.ne(0) if is_bool else data.view(like.dtype)).reshape(like.shape)
        return tensor.numpy() if isinstance(like, Unwritten) and not like.is_torch else tensor
    dtype = like.dtype.newbyteorder("=")
    if dtype == np.bool_:
        return data.numpy().astype(np.bool_).reshape(like.shape)
    return data.numpy().view(dtype).reshape(like.shape)


def byte_count(array: Array) -> int:
    """Bytes of all elements."""
    size = array.numel() if isinstance(array, Tensor) else array.size
    return int(size) * int(array.dtype.itemsize)
