"""Values that kernels of the table are run on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from test.oracle.formats import round_to, wrap

from .case import DTYPES, Data, data

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i1", "i8", "i16", "i32", "i64", "index")
WIDE = ("i8", "i16", "i32", "i64")

FLOAT_VALUES = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, 3.7, -3.2, 1e-7, 6e-8, 300.0,
    -7e4, 1e30, math.pi, math.inf, -math.inf, math.nan,
)  # fmt: skip


def integer_values(element: str) -> list[int]:
    """0 and its neighbours, the ends of the range, the width and its neighbours."""
    if element == "i1":
        return [0, 1]
    bits = DTYPES[element].itemsize * 8
    edges = [0, 1, 2, 3, 7, bits - 1, bits, bits + 1, 1 << (bits - 1), (1 << (bits - 1)) - 1]
    return sorted({wrap(sign * edge, element) for edge in edges for sign in (1, -1)})


def values_of(element: str) -> list[Any]:
    """Values at the edges of a type."""
    if element in FLOATS:
        return [round_to(x, element) for x in FLOAT_VALUES]
    return integer_values(element)


def whole(element: str, shape: Sequence[int], seed: int) -> Data:
    """Small whole numbers, so that sums are exact."""
    generator = torch.Generator().manual_seed(seed)
    low = 0 if element == "i1" else -4
    values = torch.randint(low, 2 if element == "i1" else 5, tuple(shape), generator=generator)
    return Data(values.to(DTYPES[element]), element)


def floats(element: str, shape: Sequence[int], seed: int) -> Data:
    """Normally distributed floats."""
    generator = torch.Generator().manual_seed(seed)
    return data(torch.randn(tuple(shape), generator=generator).to(DTYPES[element]))


def wide(x: Tensor) -> np.ndarray:
    """Elements in the widest type of their kind."""
    return (x.double() if x.dtype.is_floating_point else x.long()).numpy()
