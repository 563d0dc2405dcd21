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
from ktir.machine.garbage import FRESH

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
    "float8_e4m3fnuz": "f8E4M3FNUZ",
    "float8_e5m2fnuz": "f8E5M2FNUZ",
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


def put_bytes(array: Array, memory: Tensor, start: int = 0) -> None:
    """Copies the elements in row-major order to bytes from `start` on, of uint8 [n], without a copy
    in between."""
    if isinstance(array, np.ndarray):
        np.copyto(np.ndarray(array.shape, _native(array.dtype), memory.numpy().data, start), array)
        return
    target = memory[start : start + byte_count(array)]
    if isinstance(array, Unwritten):
        target.fill_(FRESH)
    else:
        dtype = torch.uint8 if array.dtype == torch.bool else array.dtype
        target.view(dtype).reshape(array.shape).copy_(array.detach())


def bytes_of(array: Array) -> Tensor | None:
    """The bytes of an array where they are, uint8 [n] from the start of their storage; None for one
    whose elements do not lie in row-major order as this computer holds them, or that torch cannot
    see in place."""
    if isinstance(array, Unwritten):
        return None
    if isinstance(array, Tensor):
        plain = array.is_contiguous() and not array.is_conj() and not array.is_neg()
        # Through numpy for a storage that begins with the array.
        found = array.detach().reshape(-1).view(torch.uint8).numpy() if plain else None
    else:
        # torch has no tensors that cannot be written.
        plain = array.flags.c_contiguous and array.flags.writeable and array.dtype.isnative
        found = array.reshape(-1).view(np.uint8) if plain else None
    return None if found is None else torch.from_numpy(found)


def from_bytes(memory: Tensor, like: Array, start: int = 0) -> Array:
    """An array of the kind, dtype and shape of `like` on bytes from `start` on, which it shares."""
    if isinstance(like, np.ndarray):
        dtype = _native(like.dtype)
        if dtype == np.bool_:
            return np.ndarray(like.shape, np.uint8, memory.numpy().data, start).astype(np.bool_)
        return np.ndarray(like.shape, dtype, memory.numpy().data, start)
    data = memory[start : start + byte_count(like)]
    tensor = (data.ne(0) if like.dtype == torch.bool else data.view(like.dtype)).reshape(like.shape)
    return tensor.numpy() if isinstance(like, Unwritten) and not like.is_torch else tensor


def _native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in the byte order of this computer."""
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def byte_count(array: Array) -> int:
    """Bytes of all elements."""
    size = array.numel() if isinstance(array, Tensor) else array.size
    return int(size) * int(array.dtype.itemsize)
