"""What `attention_grouped.mlir` computes: one query a head over keys that query heads share."""

from __future__ import annotations

import numpy as np

from examples.kernels.attention_causal import attend
from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide

KV_HEADS, HEAD = 8, 128


def inputs(case: Case, seed: int) -> Inputs:
    group, length = case["group"], case["length"]
    k, v = half(seed, 2, KV_HEADS, length, HEAD)
    return {
        "q_ptr": half(seed + 1, KV_HEADS, group, HEAD),
        "k_ptr": k,
        "v_ptr": v,
        "out_ptr": blank(KV_HEADS, group, HEAD),
        "group": group,
        "length": length,
        "scale": HEAD**-0.5,
    }


def expected(given: Inputs) -> Results:
    q, k, v = (wide(given[name]) for name in ("q_ptr", "k_ptr", "v_ptr"))
    seen = np.ones((given["group"], given["length"]), np.bool_)
    return {"out_ptr": attend(q, k, v, given["scale"], seen)}


ORACLE = Oracle(
    cases=[
        {"group": group, "length": length}
        for group, length in [(4, 2000), (1, 1), (8, 128), (3, 129), (6, 515)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2e-3,
    atol=2e-3,
)
