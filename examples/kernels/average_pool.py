"""What `average_pool.mlir` computes: means of 2 x 2 squares."""

from __future__ import annotations

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide


def inputs(case: Case, seed: int) -> Inputs:
    channels, rows, cols = case["channels"], case["rows"], case["cols"]
    return {
        "x_ptr": half(seed, channels, rows, cols),
        "y_ptr": blank(channels, rows // 2, cols // 2),
        "channels": channels,
        "rows": rows,
        "cols": cols,
    }


def expected(given: Inputs) -> Results:
    x = wide(given["x_ptr"])
    channels, rows, cols = x.shape
    squares = x.reshape(channels, rows // 2, 2, cols // 2, 2)
    return {"y_ptr": squares.mean(axis=(2, 4))}


ORACLE = Oracle(
    cases=[
        {"channels": channels, "rows": rows, "cols": cols}
        for channels, rows, cols in [(40, 64, 512), (1, 2, 2), (33, 34, 66), (3, 30, 510)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2**-10,
    atol=2**-20,
)
