"""What `distributed_copy.mlir` does: halves of a tensor change places, exactly."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide

ROWS, COLS, IN_MEMORY = 192, 64, 64


def inputs(case: Case, seed: int) -> Inputs:
    count = case["count"]
    return {
        "x_ptr": half(seed, count, ROWS, COLS),
        "t_ptr": blank(IN_MEMORY, COLS),
        "y_ptr": blank(count, ROWS, COLS),
        "count": count,
    }


def expected(given: Inputs) -> Results:
    """y, and of the exchanged tensor the rows that lie in device memory, as they are at the end."""
    x = wide(given["x_ptr"])
    return {"y_ptr": np.roll(x, ROWS // 2, axis=1), "t_ptr": x[-1, :IN_MEMORY]}


ORACLE = Oracle(
    cases=[{"count": count} for count in (4, 1, 3)],
    inputs=inputs,
    expected=expected,
)
