"""Control flow that upstream has in other words: `affine` loops, branches and single elements,
blocks that branch to each other, and loops that count unsigned.

Owns which it is and its rewriting as ops of `scf` and `memref`, which all levels know.
"""

from __future__ import annotations

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.mlir._mlir_libs import _ktir
from ktir.unsigned_loops import count_unsigned_loops, has_unsigned_loops

_AFFINE = frozenset(
    f"affine.{name}" for name in ("for", "if", "parallel", "load", "store", "prefetch")
)


def has_other_control(op: ir.Operation) -> bool:
    """Whether there is such control flow inside `op`."""
    return _has_affine(op) or _has_blocks(op) or has_unsigned_loops(op)


def make_control_plain(function: ir.Operation) -> None:
    """Rewrites a `func.func` in place. Raises UnsupportedError with what upstream's passes say."""
    passes = {"lower-affine": _has_affine, "lift-cf-to-scf": _has_blocks}
    for name, is_needed in passes.items():
        if is_needed(function):
            _run(function, name)
    count_unsigned_loops(function)


def _run(function: ir.Operation, name: str) -> None:
    succeeded, diagnostics = _ktir.run_pipeline(function, f"func.func({name})")
    if not succeeded:
        raise UnsupportedError(f"{name} failed: " + "; ".join(text for _, _, text in diagnostics))


def _has_affine(op: ir.Operation) -> bool:
    return any(
        inner.operation.name in _AFFINE or _has_affine(inner.operation)
        for region in op.regions
        for block in region
        for inner in block
    )


def _has_blocks(op: ir.Operation) -> bool:
    """Whether a region inside `op` has several blocks."""
    return any(
        len(region.blocks) > 1
        or any(_has_blocks(inner.operation) for block in region for inner in block)
        for region in op.regions
    )
