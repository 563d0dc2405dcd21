"""What `attention_causal.mlir` computes, and attention in f64 for all kernels that are one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide

HEAD = 64

Wide = npt.NDArray[np.float64]


def attend(q: Wide, k: Wide, v: Wide, scale: float, seen: npt.NDArray[np.bool_]) -> Wide:
    """Softmax attention of q [.., M, D] over k and v [.., N, D], where `seen` [.., M, N] is true.

    A query that sees nothing gets zeros.
    """
    scores = np.where(seen, scale * (q @ np.swapaxes(k, -1, -2)), -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    power = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = power.sum(axis=-1, keepdims=True)
    result: Wide = power @ v / np.where(total > 0, total, 1)
    return result


def causal(length: int) -> npt.NDArray[np.bool_]:
    """Which key (column) each query (row) may see: those up to itself."""
    return np.tri(length, dtype=np.bool_)


def inputs(case: Case, seed: int) -> Inputs:
    heads, length = case["heads"], case["length"]
    q, k, v = half(seed, 3, heads, length, HEAD)
    keep = np.random.default_rng(seed).random(length) < 0.8
    return {
        "q_ptr": q,
        "k_ptr": k,
        "v_ptr": v,
        "keep_ptr": keep,
        "out_ptr": blank(heads, length, HEAD),
        "heads": heads,
        "length": length,
        "scale": HEAD**-0.5,
    }


def expected(given: Inputs) -> Results:
    q, k, v = (wide(given[name]) for name in ("q_ptr", "k_ptr", "v_ptr"))
    seen = causal(given["length"]) & given["keep_ptr"]
    return {"out_ptr": attend(q, k, v, given["scale"], seen)}


ORACLE = Oracle(
    cases=[
        {"heads": heads, "length": length}
        for heads, length in [(4, 512), (1, 1), (2, 63), (3, 65), (12, 200)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2e-3,
    atol=2e-3,
)
