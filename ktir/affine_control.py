"""The `affine` ops that upstream has in other words: loops, branches and single elements.

Owns which they are and their rewriting as ops of `scf` and `memref`, which all levels know.
"""

from __future__ import annotations

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.mlir._mlir_libs import _ktir

_OPS = frozenset(
    f"affine.{name}" for name in ("for", "if", "parallel", "load", "store", "prefetch")
)


def has_affine_control(op: ir.Operation) -> bool:
    """Whether there is one of these ops inside `op`."""
    return any(
        inner.operation.name in _OPS or has_affine_control(inner.operation)
        for region in op.regions
        for block in region
        for inner in block
    )


def lower_affine_control(function: ir.Operation) -> None:
    """Rewrites a `func.func` in place. Raises UnsupportedError with what upstream's pass says."""
    succeeded, diagnostics = _ktir.run_pipeline(function, "func.func(lower-affine)")
    if not succeeded:
        raise UnsupportedError(
            "lower-affine failed: " + "; ".join(text for _, _, text in diagnostics)
        )
