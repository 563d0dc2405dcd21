"""Kernels that copy a tile of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from ktdp_text import box, identity, kernel, load, store, tile, view

Array = npt.NDArray[Any]


def copy_through(points: str, order: str, shape: str, element: str = "f16") -> str:
    """Loads a tile of an 8 x 16 matrix and stores its elements densely."""
    flat = shape.split("x")
    strides = []
    for i in range(len(flat)):
        strides.append(str(int(np.prod([int(n) for n in flat[i + 1 :]]))))
    sizes = [int(n) for n in flat]
    whole = f"8x16x{element}"
    out = f"{shape}x{element}"
    return kernel(
        view("a", "%x", "8, 16", "16, 1", box(8, 16), whole)
        + view("b", "%y", ", ".join(flat), ", ".join(strides), box(*sizes), out)
        + tile("from", "%a[%c0, %c0]", whole, points, order, shape)
        + tile(
            "to",
            f"%b[{', '.join(['0'] * len(flat))}]",
            out,
            box(*sizes),
            identity(len(flat)),
            shape,
        )
        + load("d", "from", shape, element)
        + store("d", "to", shape, element)
    )


def matrix() -> Array:
    return np.arange(128, dtype=np.float16).reshape(8, 16)
