"""How a tensor lies in memory: sticks, padded rows, sizes in bytes.

Owns the default layout of device tensors and scratchpad buffers (row-major, last dimension padded
to whole 128-byte sticks). Views with other strides are built on top of it by the emission passes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

STICK_BYTES = 128
"""Bytes of a stick, the unit of every transfer.

Source: torch-spyre/torch-spyre, docs/source/architecture/spyre_accelerator.md.
"""

_ELEMENT_BYTES = {
    "i1": 1,
    "i8": 1,
    "f8E4M3FN": 1,
    "f8E5M2": 1,
    "f8E4M3FNUZ": 1,
    "f8E5M2FNUZ": 1,
    "i16": 2,
    "f16": 2,
    "bf16": 2,
    "i32": 4,
    "f32": 4,
    "i64": 8,
    "f64": 8,
    "index": 8,
    "si8": 1,
    "si16": 2,
    "si32": 4,
    "si64": 8,
    "ui8": 1,
    "ui16": 2,
    "ui32": 4,
    "ui64": 8,
}


def element_bytes(element_type: str) -> int:
    """Bytes of one element of the MLIR type spelled `element_type` (`f16`, `i1`, ..); i1 takes a
    whole byte.

    Raises KeyError for a type that no memory of the machine holds.
    """
    return _ELEMENT_BYTES[element_type]


def has_bytes(element_type: str) -> bool:
    """Whether memory of the machine holds elements of this MLIR type."""
    return element_type in _ELEMENT_BYTES


def stick_elements(element_type: str) -> int:
    """Elements of one stick: 64 for f16, 32 for f32, 16 for i64, 128 for i1."""
    return STICK_BYTES // element_bytes(element_type)


def round_up(value: int, unit: int) -> int:
    """The smallest multiple of `unit` that is at least `value`."""
    return -(-value // unit) * unit


def row_strides(shape: Sequence[int], element_type: str) -> list[int]:
    """Strides, in elements, of the default layout of `shape`: row-major, rows padded to whole
    sticks.

    A tensor of rank 1 or 0 has no row stride to pad.
    """
    strides = [1] * len(shape)
    if len(shape) >= 2:
        strides[-2] = round_up(max(shape[-1], 1), stick_elements(element_type))
    for dim in range(len(shape) - 3, -1, -1):
        strides[dim] = strides[dim + 1] * max(shape[dim + 1], 1)
    return strides


def padded_bytes(shape: Sequence[int], element_type: str) -> int:
    """Bytes that the default layout of `shape` takes; at least one stick, so that every tensor has
    an address.
    """
    if not shape:
        return STICK_BYTES
    rows = math.prod(shape[:-1])
    row = round_up(shape[-1] * element_bytes(element_type), STICK_BYTES)
    return max(rows * row, STICK_BYTES)
