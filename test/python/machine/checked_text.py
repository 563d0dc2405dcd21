"""Kernels that check "full" is tried on, and runs of them with and without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_text import run
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.errors import KtirError, MachineError

LX = "#ktdp.spyre_memory_space<LX>"
ID = "%id = ktdp.get_compute_tile_id : index\n"
NUMBERS = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (1, 2, 3, 8, 64))


LEVELS = ("ktir", "sdf")


def both(
    text: str, args: list[Any], fault: str | None, kind: type[KtirError] = MachineError
) -> None:
    """Runs with and without check "full", at both levels: what only that finds, or the same
    results."""
    for level in LEVELS:
        plain = run(text, args=args, level=level).arrays
        if fault is not None:
            with pytest.raises(kind, match=fault):
                run(text, args=args, check="full", level=level)
            continue
        found = run(text, args=args, check="full", level=level).arrays
        for name, array in plain.items():
            np.testing.assert_array_equal(found[name], array)


def row(name: str, pointer: str, size: int, at: str = "%c0", space: str = "") -> str:
    """%name: a tile of 8 from `at` of a row of `size` numbers."""
    where = [space] if space else []
    return view(f"v{name}", pointer, str(size), "1", box(size), f"{size}xf16", *where) + tile(
        name, f"%v{name}[{at}]", f"{size}xf16", box(8), identity(1), "8"
    )


def numbers(*shape: int) -> Any:
    """0, 1, 2 .. as an array of f16."""
    return np.arange(np.prod(shape), dtype=np.float16).reshape(shape)


def scratchpad(written: int) -> str:
    """Writes `written` of 8 elements of a scratchpad, then reads all of them."""
    return kernel(
        NUMBERS
        + row("in", "%x", 8)
        + view("pad", "%c64", "8", "1", box(8), "8xf16", LX)
        + tile("some", "%pad[%c0]", "8xf16", box(written), identity(1), str(written))
        + tile("all", "%pad[%c0]", "8xf16", box(8), identity(1), "8")
        + load("d", "in", "8")
        + f"%e = tensor.extract_slice %d[0] [{written}] [1] : tensor<8xf16> to "
        + f"tensor<{written}xf16>\n"
        + store("e", "some", str(written))
        + load("r", "all", "8")
        + row("out", "%y", 8)
        + store("r", "out", "8")
    )
