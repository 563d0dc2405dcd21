"""What `prefix_sum.mlir` computes: running sums, exactly."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results


def inputs(case: Case, seed: int) -> Inputs:
    n = case["n"]
    # Large enough that the sums leave the range of i32.
    x = np.random.default_rng(seed).integers(-(2**30), 2**31 - 1, n)
    return {"x_ptr": x.astype(np.int32), "y_ptr": np.full(n, -1, np.int64), "n": n}


def expected(given: Inputs) -> Results:
    return {"y_ptr": np.cumsum(given["x_ptr"], dtype=np.int64)}


ORACLE = Oracle(
    cases=[{"n": n} for n in (300_000, 1, 63, 65, 4097, 131_073)],
    inputs=inputs,
    expected=expected,
)
