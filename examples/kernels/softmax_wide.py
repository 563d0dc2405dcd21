"""What `softmax_wide.mlir` computes: softmax over the last dimension, in f64."""

from __future__ import annotations

from examples.kernels.contract import Oracle
from examples.kernels.softmax_rows import expected, inputs

ORACLE = Oracle(
    cases=[
        {"rows": rows, "cols": cols}
        for rows, cols in [
            (4, 900_001),
            (1, 1),
            (3, 63),
            (13, 4096),
            (9, 4097),
            (5, 200_000),
        ]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2e-3,
    atol=2**-24,
)
