"""What `swiglu_mlp_32.mlir` computes: the gated layer of `swiglu_mlp_4`, on more tokens."""

from __future__ import annotations

from examples.kernels.contract import Oracle
from examples.kernels.swiglu_mlp_4 import expected, inputs

ORACLE = Oracle(
    cases=[
        {"count": count, "width": width, "hidden": hidden}
        for count, width, hidden in [(300, 512, 1024), (1, 1, 1), (257, 200, 300), (40, 64, 1000)]
    ],
    inputs=inputs,
    expected=expected,
    rtol=2e-3,
    atol=2e-3,
)
