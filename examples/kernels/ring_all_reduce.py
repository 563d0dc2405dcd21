"""What `ring_all_reduce.mlir` computes: for every member of a ring the sum over the ring."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide

RINGS, MEMBERS, PIECE = 4, 8, 256


def inputs(case: Case, seed: int) -> Inputs:
    pieces = case["pieces"]
    shape = (RINGS, MEMBERS, pieces, PIECE)
    return {
        "x_ptr": half(seed, *shape).astype(np.float32),
        "y_ptr": blank(*shape, dtype=np.float32),
        "pieces": pieces,
    }


def expected(given: Inputs) -> Results:
    x = wide(given["x_ptr"])
    return {"y_ptr": np.broadcast_to(x.sum(axis=1, keepdims=True), x.shape).copy()}


ORACLE = Oracle(
    cases=[{"pieces": pieces} for pieces in (16, 1, 11)],
    inputs=inputs,
    expected=expected,
    rtol=1e-5,
    atol=1e-5,
)
