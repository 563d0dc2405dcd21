"""Runs a kernel on the inputs of a case and says how far its results are from the oracle's.

Owns `Outcome`, what one run found; the machine is `ktir`'s, the numbers are the oracle's.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import torch

from examples.kernels.catalog import Example
from examples.kernels.contract import Case, Difference, Inputs, Results, difference
from ktir.api import launch_kernel
from ktir.machine.profile import KernelProfile


@dataclasses.dataclass(frozen=True)
class Outcome:
    """One run. `arrays`: every array argument as the kernel left it. `differences`: one a
    result."""

    inputs: Inputs
    expected: Results
    arrays: dict[str | int, Any]
    differences: dict[str, Difference]
    profile: KernelProfile

    @property
    def right(self) -> bool:
        """Whether every result is within its tolerances."""
        return not any(found.wrong for found in self.differences.values())

    @property
    def worst(self) -> float:
        """The largest absolute difference of any result."""
        return max(found.worst for found in self.differences.values())


def run(
    example: Example, case: Case, level: str = "sdf", check: str = "bounds", seed: int = 0
) -> Outcome:
    """Runs `example` on the inputs of `case`. Raises KtirError for what the machine forbids."""
    oracle = example.oracle
    inputs = oracle.inputs(case, seed)
    expected = oracle.expected(inputs)
    result = launch_kernel(example.path, inputs, func=example.name, level=level, check=check)
    differences = {
        name: difference(result.arrays[name], values, oracle) for name, values in expected.items()
    }
    return Outcome(inputs, expected, result.arrays, differences, result.profile.kernels[0])


def same_bits(one: Outcome, other: Outcome) -> bool:
    """Whether two runs left the same bits in every array."""
    return all(bits(array) == bits(other.arrays[name]) for name, array in one.arrays.items())


def bits(array: Any) -> tuple[str, tuple[int, ...], bytes]:
    """Type, shape and all bits of an array."""
    if isinstance(array, torch.Tensor):
        data = array.contiguous().view(torch.uint8).numpy().tobytes()
        return str(array.dtype), tuple(array.shape), data
    return str(array.dtype), array.shape, array.tobytes()
