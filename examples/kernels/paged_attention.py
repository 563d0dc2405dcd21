"""What `paged_attention.mlir` computes: attention of one query a head over pages of keys."""

from __future__ import annotations

import numpy as np

from examples.kernels.attention_causal import attend
from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide

KV_HEADS, HEAD, PAGE = 8, 128, 16


def inputs(case: Case, seed: int) -> Inputs:
    batch, group, longest = case["batch"], case["group"], case["longest"]
    random = np.random.default_rng(seed)
    lengths = random.integers(1, longest + 1, batch)
    lengths[0] = longest
    pages_a_row = -(-longest // PAGE)
    pages = batch * pages_a_row + 3
    table = random.permutation(pages)[: batch * pages_a_row].reshape(batch, pages_a_row)
    keys, values = half(seed, 2, pages, PAGE, KV_HEADS, HEAD)
    return {
        "q_ptr": half(seed + 1, batch, KV_HEADS, group, HEAD),
        "keys_ptr": keys,
        "values_ptr": values,
        "table_ptr": table.astype(np.int32),
        "lengths_ptr": lengths.astype(np.int32),
        "out_ptr": blank(batch, KV_HEADS, group, HEAD),
        "batch": batch,
        "group": group,
        "pages": pages,
        "pages_a_row": pages_a_row,
        "scale": HEAD**-0.5,
    }


def expected(given: Inputs) -> Results:
    """Sequence by sequence, on keys and values put in a row."""
    results = []
    for q, pages, length in zip(
        wide(given["q_ptr"]), given["table_ptr"], given["lengths_ptr"], strict=True
    ):
        k, v = (
            wide(given[name])[pages].reshape(-1, KV_HEADS, HEAD)[:length].swapaxes(0, 1)
            for name in ("keys_ptr", "values_ptr")
        )
        seen = np.ones((q.shape[1], length), np.bool_)
        results.append(attend(q, k, v, given["scale"], seen))
    return {"out_ptr": np.stack(results)}


ORACLE = Oracle(
    cases=[
        {"batch": batch, "group": group, "longest": longest}
        for batch, group, longest in [(6, 4, 500), (1, 1, 1), (2, 8, 128), (5, 3, 129)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2e-3,
    atol=2e-3,
)
