"""The kernels in `examples/kernels`: right at both levels, to the bit the same, and documented."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

from docs.kernel_pages import ops_of
from examples.kernels.catalog import FOLDER, Example, examples
from examples.kernels.contract import Case, Oracle, difference
from examples.kernels.running import run, same_bits
from ktir.mlir.dialects import ktdp
from ktir.modules import new_context, parse_file, parse_module

EXAMPLES = examples()
CASES = [
    pytest.param(example, case, id=f"{example.name}-{'-'.join(map(str, case.values()))}")
    for example in EXAMPLES
    for case in example.oracle.cases
]

kernels = pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])


@pytest.mark.parametrize(("example", "case"), CASES)
def test_right_at_both_levels_and_equal_in_bits(example: Example, case: Case) -> None:
    first, second = (run(example, case, level, check="full") for level in ("ktir", "sdf"))
    assert first.right, first.differences
    assert second.right, second.differences
    assert same_bits(first, second)
    assert second.profile.scratchpad_peak <= 1_625_344


def test_together_they_use_every_op_of_the_dialect() -> None:
    used = {op for example in EXAMPLES for op in ops_of(example) if op.startswith("ktdp.")}
    # What ends the region of an indirect access tile appears in generic form only.
    assert used == dialect_ops() - {"ktdp.region_terminator"}


def dialect_ops() -> set[str]:
    """Every op of `ktdp` that the bindings know."""
    classes = (getattr(ktdp, name) for name in dir(ktdp))
    names = {getattr(entry, "OPERATION_NAME", "") for entry in classes}
    return {name for name in names if name.startswith("ktdp.")}


@pytest.mark.parametrize(
    "form",
    [
        # memory spaces, both spellings, and owners of scratchpads
        r"#ktdp\.memory_space<global>",
        r"#ktdp\.memory_space<ct_local, ct_id = \d+>",
        r"#ktdp\.spyre_memory_space<HBM>",
        r"#ktdp\.spyre_memory_space<LX>",
        # views: sizes that are values, strides that overlap, sets that couple dimensions
        r"sizes: \[%\w+, %\w+\], strides: \[%\w+, 1\]",
        r"strides: \[1, 1\]",
        r"strides: \[1, 64\]",
        r"-d0 - d1 \+ s0 - 1 >= 0",
        # access tiles: triangular, skewed, strided, with symbols, orders that are no identity
        r"d1 - d2 >= 0",
        r"d1 - d0 >= 0, d0 - d1 \+ 63 >= 0",
        r"d1 mod 2 == 0",
        r"symbols\(%\w+\)",
        r"affine_map<\(d0, d1, d2\) -> \(d1, d0, d2\)>",
        r"2 \* %row \+ 1",
        # subscripts: indirect, direct, with floordiv, mod and captured values
        r"ind\(%\w+\[%\w+, %\w+ \+ %t floordiv 16\]\), \(%t mod 16\), \(%head\)",
        # runtime arguments
        r"!ktdp\.runtime_arg<i32, upperbound = 4096>",
        r"runtime_arg_extract value",
        r"runtime_arg_extract granularity",
        r"runtime_arg_extract upperbound",
        # groups and dependencies
        r"affine_set<\(i\)\[g\] : \(\(i - g\) mod 8 == 0",
        r"affine_set<\(p\)\[c\]",
        r"affine_set<\(p\)\[c, g\]",
        # grids
        r"grid = \[\d+\]",
        r"grid = \[\d+, \d+\]",
        r"grid = \[\d+, \d+, \d+\]",
        # intrinsics of the device
        r"spyreop\.silu",
        # control flow
        *(rf"scf\.{op}\b" for op in ("for", "if", "while")),
        # element types in memory
        *(rf"memref<[\dx?]+x{t}>" for t in ("i1", "i8", "i32", "i64", "f16", "bf16", "f32")),
    ],
)
def test_together_they_use_every_form(form: str) -> None:
    assert any(re.search(form, example.path.read_text()) for example in EXAMPLES)


@kernels
def test_printed_and_parsed_again_it_is_the_same(example: Example) -> None:
    module = parse_file(example.path, new_context())
    printed = str(module)
    assert str(parse_module(printed, example.name, new_context())) == printed


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
