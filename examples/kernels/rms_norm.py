"""What `rms_norm.mlir` computes: rows divided by the root of their mean square, times weights."""

from __future__ import annotations

import numpy as np
import torch

from examples.kernels.contract import Case, Inputs, Oracle, Results, half, wide


def bfloat(seed: int, *shape: int) -> torch.Tensor:
    """Normally distributed bf16 numbers."""
    return torch.from_numpy(half(seed, *shape)).bfloat16()


def inputs(case: Case, seed: int) -> Inputs:
    rows, cols = case["rows"], case["cols"]
    return {
        "x_ptr": bfloat(seed, rows, cols),
        "w_ptr": bfloat(seed + 1, cols),
        "y_ptr": torch.full((rows, cols), torch.nan, dtype=torch.bfloat16),
        "rows": rows,
        "cols": cols,
        "eps": 1e-5,
    }


def expected(given: Inputs) -> Results:
    x = wide(given["x_ptr"])
    mean = (x * x).mean(axis=-1, keepdims=True)
    return {"y_ptr": x / np.sqrt(mean + given["eps"]) * wide(given["w_ptr"])}


ORACLE = Oracle(
    cases=[
        {"rows": rows, "cols": cols}
        for rows, cols in [
            (512, 2048),
            (1, 1),
            (3, 63),
            (5, 64),
            (129, 65),
            (130, 4096),
            (31, 3000),
        ]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2**-8,
    atol=1e-6,
)
