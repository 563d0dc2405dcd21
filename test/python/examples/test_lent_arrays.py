"""The kernels in `examples/kernels` on arrays that are read where they are: what memory holds of
them, and what comes back, must not differ from launches on copies.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from examples.kernels.catalog import Example, examples
from examples.kernels.running import bits
from ktir.api import launch_kernel
from ktir.machine import placed

EXAMPLES = examples()


@pytest.mark.parametrize("level", ["ktir", "sdf"])
@pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])
def test_lent_arrays_are_as_good_as_copies(
    example: Example, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = example.oracle.inputs(example.oracle.cases[0], 0)
    before = copy.deepcopy(inputs)
    expected = launch_kernel(example.path, inputs, func=example.name, level=level)
    monkeypatch.setattr(placed, "LENT_BYTES", 1)
    found = launch_kernel(example.path, inputs, func=example.name, level=level)
    assert found.profile == expected.profile
    assert list(found.arrays) == list(expected.arrays)
    for name, array in expected.arrays.items():
        assert bits(found.arrays[name]) == bits(array), name
    for name, value in inputs.items():
        if isinstance(value, (np.ndarray, torch.Tensor)):
            assert bits(value) == bits(before[name]), name
