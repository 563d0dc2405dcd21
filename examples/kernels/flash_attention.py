"""What `flash_attention.mlir` computes: causal attention, in f64 and with all scores at once."""

from __future__ import annotations

from examples.kernels.attention_causal import attend, causal
from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide

HEAD = 128


def inputs(case: Case, seed: int) -> Inputs:
    heads, length = case["heads"], case["length"]
    q, k, v = half(seed, 3, heads, length, HEAD)
    return {
        "q_ptr": q,
        "k_ptr": k,
        "v_ptr": v,
        "out_ptr": blank(heads, length, HEAD),
        "heads": heads,
        "length": length,
        "scale": HEAD**-0.5,
    }


def expected(given: Inputs) -> Results:
    q, k, v = (wide(given[name]) for name in ("q_ptr", "k_ptr", "v_ptr"))
    return {"out_ptr": attend(q, k, v, given["scale"], causal(given["length"]))}


ORACLE = Oracle(
    cases=[
        {"heads": heads, "length": length}
        for heads, length in [(8, 512), (1, 1), (2, 127), (3, 129), (1, 1000)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2e-3,
    atol=2e-3,
)
