"""What `batch_transpose.mlir` does: each matrix of a batch transposed, exactly."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide

SIZE = 64


def inputs(case: Case, seed: int) -> Inputs:
    count = case["count"]
    return {
        "x_ptr": half(seed, count, SIZE, SIZE),
        "y_ptr": blank(count, SIZE, SIZE),
        "count": count,
    }


def expected(given: Inputs) -> Results:
    return {"y_ptr": np.ascontiguousarray(wide(given["x_ptr"]).swapaxes(1, 2))}


ORACLE = Oracle(cases=[{"count": count} for count in (70, 1, 33)], inputs=inputs, expected=expected)
