"""What `paged_cache_write.mlir` does: tokens moved to their slots, exactly."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, half, wide

HEADS, HEAD, PAGE = 8, 128, 16


def inputs(case: Case, seed: int) -> Inputs:
    tokens, pages = case["tokens"], case["pages"]
    slots = np.random.default_rng(seed).permutation(pages * PAGE)[:tokens]
    slots[3::5] = -1
    k, v = half(seed, 2, tokens, HEADS, HEAD)
    keys, values = half(seed + 1, 2, pages, PAGE, HEADS, HEAD)
    return {
        "k_ptr": k,
        "v_ptr": v,
        "slots_ptr": slots,
        "keys_ptr": keys,
        "values_ptr": values,
        "tokens": tokens,
        "pages": pages,
    }


def expected(given: Inputs) -> Results:
    slots = given["slots_ptr"]
    kept = slots >= 0
    results = {}
    for cache, new in (("keys_ptr", "k_ptr"), ("values_ptr", "v_ptr")):
        places = wide(given[cache])
        places.reshape(-1, HEADS, HEAD)[slots[kept]] = wide(given[new])[kept]
        results[cache] = places
    return results


ORACLE = Oracle(
    cases=[
        {"tokens": tokens, "pages": pages}
        for tokens, pages in [(200, 30), (1, 1), (16, 1), (33, 7)]
    ],
    inputs=inputs,
    expected=expected,
)
