"""Upstream's passes over the kernels in `examples/kernels`: what they leave does the same.

The dialect states effects, so that no pass drops a store, moves a load over one, or reorders what
cores exchange.
"""

from __future__ import annotations

from typing import Any

import pytest

from examples.kernels.catalog import Example, examples
from examples.kernels.running import bits
from ktir.describe import describe_kernel
from ktir.kernel_files import read_kernels
from ktir.kernel_inputs import completed
from ktir.machine.kernel import run
from ktir.machine.launch import kernels_of
from ktir.mlir._mlir_libs import _ktir

EXAMPLES = examples()
PASSES = (
    "canonicalize",
    "cse",
    "func.func(loop-invariant-code-motion)",
    "sccp",
    "control-flow-sink",
    "func.func(mem2reg)",
    "remove-dead-values",
    "symbol-dce",
)
TOGETHER = ",".join((*PASSES, "canonicalize", "cse"))


def left_by(example: Example, passes: str) -> dict[Any, Any]:
    """What the kernel leaves in every array after `passes`, on the inputs of its smallest case."""
    cases = example.oracle.cases
    case = min(cases, key=lambda case: sum(v for v in case.values() if isinstance(v, int)))
    module, names, _ = read_kernels(example.path)
    kernel = describe_kernel(kernels_of(module)[example.name], names[example.name])
    arguments, device = completed(kernel, example.oracle.inputs(case, 0), {})
    succeeded, said = _ktir.run_pipeline(module, f"builtin.module({passes})")
    assert succeeded, said
    result = run(module, example.name, arguments, names=names, device=device, check="full")
    return {name: bits(array) for name, array in result.arrays.items()}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])
def test_kernels_do_the_same_after_each_and_after_all(example: Example) -> None:
    before = left_by(example, "")
    for passes in (*PASSES, TOGETHER):
        assert left_by(example, passes) == before, passes
