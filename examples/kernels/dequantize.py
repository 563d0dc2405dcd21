"""What `dequantize.mlir` computes: integers less the zero of their row, times its scale."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide


def inputs(case: Case, seed: int) -> Inputs:
    rows, cols = case["rows"], case["cols"]
    random = np.random.default_rng(seed)
    return {
        "w_ptr": random.integers(-128, 128, (rows, cols), np.int8),
        "scale_ptr": half(seed, rows, scale=0.01),
        "zero_ptr": random.integers(-128, 128, rows, np.int8),
        "y_ptr": blank(rows, cols),
        "rows": rows,
        "cols": cols,
    }


def expected(given: Inputs) -> Results:
    difference = wide(given["w_ptr"]) - wide(given["zero_ptr"])[:, None]
    return {"y_ptr": difference * wide(given["scale_ptr"])[:, None]}


ORACLE = Oracle(
    cases=[
        {"rows": rows, "cols": cols}
        for rows, cols in [(1024, 1024), (1, 1), (65, 63), (130, 1025), (520, 200)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2**-11,
    atol=2**-25,
)
