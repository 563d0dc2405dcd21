"""What `band_matvec.mlir` computes: an upper band of 64 diagonals times a vector."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide

BAND = 64


def inputs(case: Case, seed: int) -> Inputs:
    n = case["n"]
    i, j = np.indices((n, n))
    # Outside the band stand numbers that would spoil the result.
    a = np.where((j >= i) & (j < i + BAND), half(seed, n, n), np.nan).astype(np.float16)
    return {"a_ptr": a, "x_ptr": half(seed + 1, n), "y_ptr": blank(n, dtype=np.float32), "n": n}


def expected(given: Inputs) -> Results:
    return {"y_ptr": np.nan_to_num(wide(given["a_ptr"])) @ wide(given["x_ptr"])}


ORACLE = Oracle(
    cases=[{"n": n} for n in (1000, 1, 63, 64, 129, 2100)],
    inputs=inputs,
    expected=expected,
    rtol=1e-4,
    atol=1e-4,
)
