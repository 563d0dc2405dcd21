"""What `top_k.mlir` computes: the eight largest elements of each row and their columns, exactly."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide

K = 8


def inputs(case: Case, seed: int) -> Inputs:
    rows, cols = case["rows"], case["cols"]
    return {
        # One decimal, so that many elements are equal.
        "x_ptr": np.round(half(seed, rows, cols), 1),
        "values_ptr": blank(rows, K),
        "places_ptr": np.full((rows, K), -1, np.int32),
        "rows": rows,
        "cols": cols,
    }


def expected(given: Inputs) -> Results:
    x = wide(given["x_ptr"])
    places = np.argsort(-x, axis=-1, kind="stable")[:, :K]
    return {"values_ptr": np.take_along_axis(x, places, axis=-1), "places_ptr": places}


ORACLE = Oracle(
    cases=[
        {"rows": rows, "cols": cols}
        for rows, cols in [(200, 1024), (1, 8), (3, 63), (129, 65), (130, 1000)]
    ],
    inputs=inputs,
    expected=expected,
)
