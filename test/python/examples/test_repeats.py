"""The kernels in `examples/kernels`, launched again and again: what a launch takes over from an
earlier one must not show.
"""

from __future__ import annotations

import pytest

from examples.kernels.catalog import Example, examples
from examples.kernels.running import bits
from ktir.api import PreparedKernel, launch_kernel

EXAMPLES = examples()


@pytest.mark.parametrize("level", ["ktir", "sdf"])
@pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])
def test_launches_in_turn_are_launches_alone(example: Example, level: str) -> None:
    """Two sizes in turn, so that recordings of both are there; other elements each time."""
    oracle = example.oracle
    kernel = PreparedKernel(example.path, example.name, level=level)
    for seed in range(4):
        for case in oracle.cases[:2]:
            inputs = oracle.inputs(case, seed)
            found = kernel.launch(inputs)
            # The first launches are no repetitions: those that may be one are compared.
            if seed >= 2:
                alone = launch_kernel(example.path, inputs, func=example.name, level=level)
                assert found.profile == alone.profile
                assert list(found.arrays) == list(alone.arrays)
                for name, array in found.arrays.items():
                    assert bits(array) == bits(alone.arrays[name]), (case, seed, name)
