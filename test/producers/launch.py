"""What a kernel is run on, and what it must leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

FOLDER = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Launch:
    """Arguments in the kernel's order, arrays and scalars; the arrays it leaves by name; and how
    far those may be off, relative to one plus their size."""

    arguments: Mapping[str, Any]
    expected: Mapping[str, Tensor]
    tolerance: float = 0.0


LAUNCHES: dict[str, Callable[[], Launch]] = {}
"""By the name of the kernel's file; filled when the modules are imported."""


def launches(function: Callable[[], Launch]) -> Callable[[], Launch]:
    """Enters a launch under the function's name, which is the file's."""
    assert function.__name__ not in LAUNCHES
    LAUNCHES[function.__name__] = function
    return function


def normal(*shape: int, dtype: torch.dtype = torch.float16, seed: int = 0) -> Tensor:
    """Normally distributed numbers, the same for the same shape and seed."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator).to(dtype)


def whole(low: int, high: int, *shape: int, dtype: torch.dtype, seed: int = 0) -> Tensor:
    """Integers from `low` up to but without `high`."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(low, high, shape, generator=generator).to(dtype)


def blank(*shape: int, dtype: torch.dtype = torch.float16) -> Tensor:
    """An array for results."""
    return torch.zeros(shape, dtype=dtype)
