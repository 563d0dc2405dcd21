"""What `page_rank.mlir` computes: where the power iteration ends, and after how many rounds."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, wide

# Far from every power of the damping factor, so that f32 and f64 stop in the same round.
TOLERANCE = 3e-4


def inputs(case: Case, seed: int) -> Inputs:
    n = case["n"]
    links = np.random.default_rng(seed).random((n, n)) ** 8
    return {
        "a_ptr": (links / links.sum(axis=0)).astype(np.float32),
        "x_ptr": blank(n, dtype=np.float32),
        "rounds_ptr": np.full(1, -1, np.int32),
        "n": n,
        "damping": 0.85,
        "tolerance": TOLERANCE,
        "most": case["most"],
    }


def expected(given: Inputs) -> Results:
    a, n, damping = wide(given["a_ptr"]), given["n"], given["damping"]
    x, change, rounds = np.full(n, 1 / n), np.inf, 0
    while change > given["tolerance"] and rounds < given["most"]:
        following = damping * a @ x + (1 - damping) / n
        change, x, rounds = float(np.abs(following - x).sum()), following, rounds + 1
    return {"x_ptr": x, "rounds_ptr": np.array([rounds])}


ORACLE = Oracle(
    cases=[
        {"n": n, "most": most} for n, most in [(512, 100), (1, 100), (63, 100), (500, 3), (17, 0)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=1e-4,
    atol=1e-7,
)
