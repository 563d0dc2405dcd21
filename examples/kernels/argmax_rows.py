"""What `argmax_rows.mlir` computes: place and value of each row's largest element, exactly."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide


def inputs(case: Case, seed: int) -> Inputs:
    rows, cols = case["rows"], case["cols"]
    return {
        # One decimal, so that the largest element occurs several times.
        "x_ptr": np.round(half(seed, rows, cols), 1),
        "places_ptr": np.full(rows, -1, np.int64),
        "values_ptr": blank(rows),
        "rows": rows,
        "cols": cols,
    }


def expected(given: Inputs) -> Results:
    x = wide(given["x_ptr"])
    return {"places_ptr": x.argmax(axis=-1), "values_ptr": x.max(axis=-1)}


ORACLE = Oracle(
    cases=[
        {"rows": rows, "cols": cols}
        for rows, cols in [(16, 50_257), (1, 1), (8, 1024), (9, 33_000), (3, 2000)]
    ],
    inputs=inputs,
    expected=expected,
)
