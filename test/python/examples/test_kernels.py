"""The kernels in `examples/kernels`: right at both levels, to the bit the same, and documented."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from examples.kernels.catalog import FOLDER, Example, examples
from examples.kernels.contract import Case, Oracle, difference
from examples.kernels.running import run, same_bits

EXAMPLES = examples()
CASES = [
    pytest.param(example, case, id=f"{example.name}-{'-'.join(map(str, case.values()))}")
    for example in EXAMPLES
    for case in example.oracle.cases
]

kernels = pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])


@pytest.mark.parametrize(("example", "case"), CASES)
def test_right_at_both_levels_and_equal_in_bits(example: Example, case: Case) -> None:
    first, second = (run(example, case, level) for level in ("ktir", "sdf"))
    assert first.right, first.differences
    assert second.right, second.differences
    assert same_bits(first, second)
    assert second.profile.scratchpad_peak <= 1_625_344


@kernels
def test_results_depend_on_the_seed(example: Example) -> None:
    oracle = example.oracle
    one, other = (oracle.expected(oracle.inputs(oracle.cases[0], seed)) for seed in (0, 1))
    assert any(not np.array_equal(values, other[name]) for name, values in one.items())


@kernels
def test_outputs_do_not_hold_the_answer_before(example: Example) -> None:
    oracle = example.oracle
    inputs = oracle.inputs(oracle.cases[0], 0)
    for name, values in oracle.expected(inputs).items():
        assert difference(inputs[name], values, oracle).wrong


@kernels
def test_header_says_what_how_and_what_it_shows(example: Example) -> None:
    header = example.header()
    for part in ("Division: ", "Shows: "):
        assert f"\n{part}" in header
    assert not any(line.endswith(" ") for line in header.splitlines())


def test_every_file_belongs_to_a_kernel_or_to_the_runner() -> None:
    runner = {"__init__", "__main__", "catalog", "contract", "files", "running"}
    names = {example.name for example in EXAMPLES}
    assert {path.stem for path in FOLDER.glob("*.py")} == names | runner


def test_differences_are_seen() -> None:
    oracle = Oracle(cases=[], inputs=lambda case, seed: {}, expected=lambda given: {}, atol=0.5)
    wanted = np.array([1.0, 2.0, 3.0])
    assert difference(np.array([1.4, 2.0, 3.0], np.float16), wanted, oracle).wrong == 0
    assert difference(np.array([1.6, 2.0, 3.0], np.float16), wanted, oracle).wrong == 1
    assert difference(torch.tensor([np.nan, 2.0, 3.0]).bfloat16(), wanted, oracle).wrong == 1
    assert difference(np.array([1, 2, 4]), np.array([1, 2, 3]), oracle).wrong == 1
    with pytest.raises(ValueError, match="expected"):
        difference(np.zeros(2), wanted, oracle)
