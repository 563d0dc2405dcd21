"""What `scatter_add.mlir` computes: updates added to rows that are named several times."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, half, wide


def inputs(case: Case, seed: int) -> Inputs:
    rows, cols, count = case["rows"], case["cols"], case["count"]
    # Half of the updates go to one row, the others anywhere.
    anywhere = np.random.default_rng(seed).integers(0, rows, count)
    ids = np.where(np.arange(count) % 2, anywhere, rows // 2)
    return {
        "table_ptr": half(seed, rows, cols).astype(np.float32),
        "ids_ptr": ids.astype(np.int32),
        "updates_ptr": half(seed + 1, count, cols),
        "rows": rows,
        "cols": cols,
        "count": count,
    }


def expected(given: Inputs) -> Results:
    table = wide(given["table_ptr"])
    np.add.at(table, given["ids_ptr"], wide(given["updates_ptr"]))
    return {"table_ptr": table}


ORACLE = Oracle(
    cases=[
        {"rows": rows, "cols": cols, "count": count}
        for rows, cols, count in [(300, 512, 150), (1, 1, 1), (17, 63, 65), (520, 500, 10)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=1e-5,
    atol=1e-5,
)
