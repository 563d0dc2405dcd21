"""What `ragged_mean.mlir` computes: means over pieces of a list of tokens."""

from __future__ import annotations

import itertools

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide


def inputs(case: Case, seed: int) -> Inputs:
    batch, longest, width = case["batch"], case["longest"], case["width"]
    lengths = np.random.default_rng(seed).integers(1, longest + 1, batch)
    lengths[1::4] = 0
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return {
        "x_ptr": half(seed, int(starts[-1]), width),
        "starts_ptr": starts.astype(np.int32),
        "y_ptr": blank(batch, width),
        "batch_arg": batch,
        "width_arg": width,
    }


def expected(given: Inputs) -> Results:
    x, starts = wide(given["x_ptr"]), given["starts_ptr"]
    sums = [x[start:end].sum(axis=0) for start, end in itertools.pairwise(starts)]
    lengths = np.maximum(np.diff(starts), 1)
    return {"y_ptr": np.stack(sums) / lengths[:, None]}


ORACLE = Oracle(
    cases=[
        {"batch": batch, "longest": longest, "width": width}
        for batch, longest, width in [(50, 100, 384), (1, 1, 64), (3, 17, 64), (33, 40, 1024)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=1e-3,
    atol=2**-14,
)
