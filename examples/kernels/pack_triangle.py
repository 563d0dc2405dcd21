"""What `pack_triangle.mlir` does: lower triangles packed row by row, exactly."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide

SIZE = 64
PACKED = SIZE * (SIZE + 1) // 2


def inputs(case: Case, seed: int) -> Inputs:
    count = case["count"]
    x = half(seed, count, SIZE, SIZE)
    x[:, ~np.tri(SIZE, dtype=np.bool_)] = np.nan
    return {"x_ptr": x, "packed_ptr": blank(count, PACKED), "count": count}


def expected(given: Inputs) -> Results:
    return {"packed_ptr": wide(given["x_ptr"])[:, np.tri(SIZE, dtype=np.bool_)]}


ORACLE = Oracle(cases=[{"count": count} for count in (40, 1, 33)], inputs=inputs, expected=expected)
