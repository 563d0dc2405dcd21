"""What `swiglu_mlp_4.mlir` and `swiglu_mlp_32.mlir` compute: a gated layer."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide


def inputs(case: Case, seed: int) -> Inputs:
    count, width, hidden = case["count"], case["width"], case["hidden"]
    return {
        "x_ptr": half(seed, count, width),
        "gate_ptr": half(seed + 1, width, hidden, scale=width**-0.5),
        "up_ptr": half(seed + 2, width, hidden, scale=width**-0.5),
        "down_ptr": half(seed + 3, hidden, width, scale=hidden**-0.5),
        "y_ptr": blank(count, width),
        "count": count,
        "width": width,
        "hidden": hidden,
    }


def expected(given: Inputs) -> Results:
    x, gate, up, down = (wide(given[name]) for name in ("x_ptr", "gate_ptr", "up_ptr", "down_ptr"))
    gated = x @ gate
    return {"y_ptr": (gated / (1 + np.exp(-gated)) * (x @ up)) @ down}


ORACLE = Oracle(
    cases=[
        {"count": count, "width": width, "hidden": hidden}
        for count, width, hidden in [(64, 512, 1024), (1, 1, 1), (33, 200, 300), (5, 64, 1000)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2e-3,
    atol=2e-3,
)
