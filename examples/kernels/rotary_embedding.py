"""What `rotary_embedding.mlir` computes: pairs of elements turned by the angle of a position."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide

HEAD = 128
HALF = HEAD // 2


def inputs(case: Case, seed: int) -> Inputs:
    tokens, heads, longest = case["tokens"], case["heads"], case["longest"]
    speeds = 10_000.0 ** (-np.arange(HALF) / HALF)
    angles = np.arange(longest)[:, None] * speeds
    positions = np.random.default_rng(seed).integers(0, longest, tokens)
    return {
        "x_ptr": half(seed, tokens, heads, HEAD),
        "positions_ptr": positions.astype(np.int32),
        "cos_ptr": np.cos(angles).astype(np.float16),
        "sin_ptr": np.sin(angles).astype(np.float16),
        "y_ptr": blank(heads, tokens, HEAD),
        "tokens": tokens,
        "heads": heads,
        "longest": longest,
    }


def expected(given: Inputs) -> Results:
    x = wide(given["x_ptr"])
    low, high = x[..., :HALF], x[..., HALF:]
    cos = wide(given["cos_ptr"])[given["positions_ptr"]][:, None, :]
    sin = wide(given["sin_ptr"])[given["positions_ptr"]][:, None, :]
    y = np.concatenate([low * cos - high * sin, high * cos + low * sin], axis=-1)
    return {"y_ptr": y.swapaxes(0, 1)}


ORACLE = Oracle(
    cases=[
        {"tokens": tokens, "heads": heads, "longest": longest}
        for tokens, heads, longest in [(300, 12, 4096), (1, 1, 1), (7, 8, 64), (257, 3, 100)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2**-10,
    atol=2**-20,
)
