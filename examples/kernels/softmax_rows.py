"""What `softmax_rows.mlir` computes: softmax over the last dimension, in f64."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide


def softmax(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Softmax over the last dimension."""
    power = np.exp(x - x.max(axis=-1, keepdims=True))
    result: npt.NDArray[np.float64] = power / power.sum(axis=-1, keepdims=True)
    return result


def inputs(case: Case, seed: int) -> Inputs:
    rows, cols = case["rows"], case["cols"]
    x = half(seed, rows, cols)
    return {"x_ptr": x, "y_ptr": blank(rows, cols), "rows": rows, "cols": cols}


def expected(given: Inputs) -> Results:
    return {"y_ptr": softmax(wide(given["x_ptr"]))}


ORACLE = Oracle(
    cases=[
        {"rows": rows, "cols": cols}
        for rows, cols in [
            (1000, 777),
            (1, 1),
            (3, 2),
            (5, 63),
            (130, 65),
            (129, 1000),
            (512, 1024),
        ]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2e-3,
    atol=1e-6,
)
