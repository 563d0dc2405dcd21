"""What `gated_activation.mlir` computes: silu of a limited gate, times another vector."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide

LIMIT = 7.0


def inputs(case: Case, seed: int) -> Inputs:
    n = case["n"]
    return {
        "gate_ptr": half(seed, n, scale=5.0),
        "up_ptr": half(seed + 1, n),
        "y_ptr": blank(n),
        "n": n,
    }


def expected(given: Inputs) -> Results:
    gate = np.minimum(wide(given["gate_ptr"]), LIMIT)
    return {"y_ptr": gate / (1 + np.exp(-gate)) * wide(given["up_ptr"])}


ORACLE = Oracle(
    cases=[{"n": n} for n in (500_000, 1, 63, 4097)],
    inputs=inputs,
    expected=expected,
    rtol=2**-8,
    atol=2**-12,
)
