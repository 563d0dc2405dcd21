"""What `layer_norm.mlir` computes: rows with mean 0 and variance 1, scaled and shifted."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide


def inputs(case: Case, seed: int) -> Inputs:
    rows, cols = case["rows"], case["cols"]
    # A mean far from 0, where the variance is easily lost.
    x = (half(seed, rows, cols).astype(np.float64) + 20).astype(np.float16)
    return {
        "x_ptr": x,
        "w_ptr": half(seed + 1, cols),
        "b_ptr": half(seed + 2, cols),
        "y_ptr": blank(rows, cols),
        "rows": rows,
        "cols": cols,
        "eps": 1e-5,
    }


def expected(given: Inputs) -> Results:
    x = wide(given["x_ptr"])
    off = x - x.mean(axis=-1, keepdims=True)
    normal = off / np.sqrt((off * off).mean(axis=-1, keepdims=True) + given["eps"])
    return {"y_ptr": normal * wide(given["w_ptr"]) + wide(given["b_ptr"])}


ORACLE = Oracle(
    cases=[
        {"rows": rows, "cols": cols}
        for rows, cols in [
            (512, 1024),
            (1, 1),
            (3, 63),
            (5, 64),
            (129, 65),
            (130, 2048),
            (31, 1000),
        ]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2e-3,
    atol=2e-3,
)
