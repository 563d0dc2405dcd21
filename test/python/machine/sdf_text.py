"""Programs of `sdf` as MLIR text."""

from __future__ import annotations

from typing import Any

import numpy as np
from kernel_text import count_only, counts

from ktir.machine.kernel import Result


def program(body: str, arguments: str = "%x: index, %y: index", grid: str = "[1]") -> str:
    return f"sdf.program @p({arguments}) grid {grid} {{\n{body}\nsdf.return\n}}"


def same_counts(text: str, result: Result, pointers: int, scalars: tuple[int, ...] = ()) -> None:
    """A walk without values counts what the run counted."""
    addresses = [4096 * (i + 1) for i in range(pointers)]
    assert counts(count_only(text, [*addresses, *scalars])) == counts(result.profile.kernels[0])


def halves(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float16)
