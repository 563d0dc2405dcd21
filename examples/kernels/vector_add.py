"""What `vector_add.mlir` computes: the sum of two vectors, exact but for one rounding to f16."""

from __future__ import annotations

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide


def inputs(case: Case, seed: int) -> Inputs:
    n = case["n"]
    x, y = half(seed, 2, n)
    return {"x_ptr": x, "y_ptr": y, "z_ptr": blank(n), "n": n}


def expected(given: Inputs) -> Results:
    return {"z_ptr": wide(given["x_ptr"]) + wide(given["y_ptr"])}


ORACLE = Oracle(
    cases=[{"n": n} for n in (1_000_000, 1, 63, 64, 65, 4097, 131_072, 300_001)],
    inputs=inputs,
    expected=expected,
    rtol=2**-11,
    atol=2**-25,
)
