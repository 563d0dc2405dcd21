"""What `transpose_all_to_all.mlir` does: rows become columns, exactly."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide


def inputs(case: Case, seed: int) -> Inputs:
    rows, cols = case["rows"], case["cols"]
    return {
        "x_ptr": half(seed, rows, cols),
        "y_ptr": blank(cols, rows),
        "rows": rows,
        "cols": cols,
    }


def expected(given: Inputs) -> Results:
    return {"y_ptr": np.ascontiguousarray(wide(given["x_ptr"]).T)}


ORACLE = Oracle(
    cases=[
        {"rows": rows, "cols": cols}
        for rows, cols in [(1024, 1024), (1, 1), (63, 65), (1000, 1300), (40, 1025)]
    ],
    inputs=inputs,
    expected=expected,
)
