"""Comparing arrays: bit for bit, or within tolerances."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import torch
from torch import Tensor

from ktir.errors import InputError


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How an array differs from its reference.

    `differing`: elements outside the tolerances, of `elements`. `worst`: the largest absolute
    difference of finite elements, NaN if a finite element stands against one that is not. `first`:
    the coordinates of the first differing element, with both values.
    """

    name: str
    elements: int
    differing: int
    worst: float
    first: str

    @property
    def equal(self) -> bool:
        """Whether no element differs by more than the tolerances."""
        return self.differing == 0

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON, which has no NaN."""
        worst = self.worst if math.isfinite(self.worst) else None
        return dataclasses.asdict(self) | {"worst": worst, "equal": self.equal}

    def __str__(self) -> str:
        if self.equal:
            return (
                "equal"
                if self.worst == 0
                else f"within tolerance (largest difference {self.worst:.3g})"
            )
        return (
            f"{self.differing:,} of {self.elements:,} elements differ, largest difference "
            f"{self.worst:.3g}, first at {self.first}"
        )


def check_tolerances(rtol: float, atol: float) -> None:
    """Raises InputError for a tolerance that is no finite number from 0 on."""
    if not (0 <= rtol < math.inf and 0 <= atol < math.inf):
        raise InputError(
            f"tolerances: found rtol {rtol} and atol {atol}, expected finite numbers, 0 or more"
        )


def compare(
    name: str, found: Tensor, expected: Tensor, rtol: float = 0.0, atol: float = 0.0
) -> Comparison:
    """Compares `found` with `expected`: |found - expected| <= atol + rtol * |expected|.

    NaN equals NaN. Without tolerances and with equal dtypes, bits are compared: 0.0 is not -0.0.
    Raises InputError if the shapes differ or a tolerance is no finite number from 0 on.
    """
    check_tolerances(rtol, atol)
    if found.shape != expected.shape:
        raise InputError(
            f"{name!r}: found shape {list(found.shape)}, the reference has {list(expected.shape)}"
        )
    found, expected = found.detach(), expected.detach()
    exact = rtol == atol == 0 and found.dtype is expected.dtype
    differs = (
        _bits_differ(found, expected) if exact else _values_differ(found, expected, rtol, atol)
    )
    count = int(differs.sum())
    difference = (_wide(found) - _wide(expected)).abs()
    same = torch.isnan(_wide(found)) & torch.isnan(_wide(expected)) | (found == expected)
    difference = torch.where(same, torch.zeros_like(difference), difference)
    worst = float(difference.max()) if difference.numel() else 0.0
    return Comparison(name, found.numel(), count, worst, _first(differs, found, expected))


def _wide(tensor: Tensor) -> Tensor:
    return tensor.to(torch.float64)


def _bits_differ(found: Tensor, expected: Tensor) -> Tensor:
    both_nan = torch.isnan(found) & torch.isnan(expected)
    return (_bits(found) != _bits(expected)) & ~both_nan


def _bits(tensor: Tensor) -> Tensor:
    if not tensor.dtype.is_floating_point:
        return tensor
    whole = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return tensor.contiguous().view(whole[tensor.dtype.itemsize])


def _values_differ(found: Tensor, expected: Tensor, rtol: float, atol: float) -> Tensor:
    close = torch.isclose(_wide(found), _wide(expected), rtol=rtol, atol=atol, equal_nan=True)
    return ~close


def _first(differs: Tensor, found: Tensor, expected: Tensor) -> str:
    if not bool(differs.any()):
        return ""
    position = int(differs.flatten().to(torch.int8).argmax())
    place = []
    for extent in reversed(found.shape):
        place.append(position % extent)
        position //= extent
    at = tuple(reversed(place))
    return f"{list(at)}: found {_show(found[at])}, expected {_show(expected[at])}"


def _show(element: Tensor) -> str:
    value = element.item()
    return f"{value:.6g}" if isinstance(value, float) and not math.isnan(value) else str(value)
