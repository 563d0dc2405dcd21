"""What `heat_stencil.mlir` computes: a plate after some steps of spreading heat."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide


def inputs(case: Case, seed: int) -> Inputs:
    rows, cols = case["rows"], case["cols"]
    return {
        "u_ptr": half(seed, rows, cols).astype(np.float32),
        "v_ptr": blank(rows, cols, dtype=np.float32),
        "rows": rows,
        "cols": cols,
        "steps": case["steps"],
        "rate": 0.125,
    }


def expected(given: Inputs) -> Results:
    u = wide(given["u_ptr"])
    for _ in range(given["steps"]):
        around = np.pad(u, 1)
        sides = around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:]
        u = u + given["rate"] * (sides - 4 * u)
    return {"v_ptr": u}


ORACLE = Oracle(
    cases=[
        {"rows": rows, "cols": cols, "steps": steps}
        for rows, cols, steps in [(512, 510, 8), (1, 1, 1), (33, 64, 5), (500, 63, 3), (20, 20, 0)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=1e-4,
    atol=1e-5,
)
