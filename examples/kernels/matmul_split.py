"""What `matmul_split.mlir` computes: a matrix product."""

from __future__ import annotations

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide


def inputs(case: Case, seed: int) -> Inputs:
    m, n, k = case["m"], case["n"], case["k"]
    return {
        "a_ptr": half(seed, m, k),
        "b_ptr": half(seed + 1, k, n, scale=k**-0.5),
        "c_ptr": blank(m, n),
        "m": m,
        "n": n,
        "k": k,
    }


def expected(given: Inputs) -> Results:
    return {"c_ptr": wide(given["a_ptr"]) @ wide(given["b_ptr"])}


ORACLE = Oracle(
    cases=[
        {"m": m, "n": n, "k": k}
        for m, n, k in [(512, 512, 2048), (1, 1, 1), (130, 63, 65), (600, 520, 300), (64, 64, 1000)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=1e-3,
    atol=1e-3,
)
