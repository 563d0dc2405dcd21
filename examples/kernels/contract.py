"""What every kernel here says about its numbers: `Oracle`, the value `ORACLE` of each `NAME.py`.

Owns the form of sizes, arguments and results, and what counts as right. Which kernels there are is
in `catalog`, how they run in `running`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

Case = Mapping[str, int]
"""Sizes by name, such as rows and columns."""

Inputs = dict[str, Any]
"""Every argument of the kernel by name: arrays of numpy, tensors of torch where numpy lacks the
type, scalars. An output holds what must be gone afterwards, NaN where it can."""

Results = dict[str, npt.NDArray[Any]]
"""What arguments must hold afterwards, by name: f64, or the integers themselves."""


@dataclasses.dataclass(frozen=True)
class Oracle:
    """The sizes a kernel is run with, its arguments and its results, computed without the machine.

    `cases`: the first one is shown, all are tested. `inputs`: arguments of a case from a seed; not
    changed by running. `expected`: results from arguments, in f64 or exactly. A result is right if
    |found - expected| <= `atol` + `rtol` * |expected|; integers, and all results where both
    tolerances are 0, must be equal. NaN is never right.
    """

    cases: Sequence[Case]
    inputs: Callable[[Case, int], Inputs]
    expected: Callable[[Inputs], Results]
    rtol: float = 0.0
    atol: float = 0.0


@dataclasses.dataclass(frozen=True)
class Difference:
    """How far a result is from what it must be.

    `worst`: the largest absolute difference, NaN if something is not a number. `wrong`: elements
    outside the tolerances.
    """

    worst: float
    wrong: int


def difference(found: Any, expected: npt.NDArray[Any], oracle: Oracle) -> Difference:
    """Compares one result of the machine with `expected`; shapes must be equal."""
    values = as_numpy(found)
    if values.shape != expected.shape:
        raise ValueError(f"found shape {values.shape}, expected {expected.shape}")
    if expected.dtype.kind in "iub":
        unequal = values != expected
        distance = np.abs(values.astype(np.float64) - expected.astype(np.float64))
        return Difference(float(distance.max(initial=0.0)), int(unequal.sum()))
    distance = np.abs(values.astype(np.float64) - expected)
    allowed = oracle.atol + oracle.rtol * np.abs(expected)
    return Difference(float(distance.max(initial=0.0)), int((~(distance <= allowed)).sum()))


def as_numpy(array: Any) -> npt.NDArray[Any]:
    """An array of numpy with the same values; types that numpy lacks become f32."""
    if isinstance(array, torch.Tensor):
        array = (array.float() if array.dtype is torch.bfloat16 else array).numpy()
    values: npt.NDArray[Any] = array
    return values


def half(seed: int, *shape: int, scale: float = 1.0) -> npt.NDArray[np.float16]:
    """Normally distributed f16 numbers."""
    numbers = np.random.default_rng(seed).standard_normal(shape) * scale
    return numbers.astype(np.float16)


def blank(*shape: int, dtype: type[np.floating[Any]] = np.float16) -> npt.NDArray[Any]:
    """An output before a kernel has run: NaN everywhere, so that an element left out shows."""
    return np.full(shape, np.nan, dtype)


def wide(array: Any) -> npt.NDArray[np.float64]:
    """The same numbers in f64."""
    return as_numpy(array).astype(np.float64)
