"""Control flow that upstream has in other words: `affine` loops, branches and single elements,
blocks that branch to each other, and loops that count unsigned.

Owns which it is and its rewriting as ops of `scf` and `memref`, which all levels know.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.dialects import load_dialects
from ktir.errors import UnsupportedError
from ktir.inside import ops_inside
from ktir.mlir import ir
from ktir.mlir._mlir_libs import _ktir
from ktir.unsigned_loops import count_unsigned_loops, unsigned_loops

_AFFINE = frozenset(
    f"affine.{name}" for name in ("for", "if", "parallel", "load", "store", "prefetch")
)


def has_other_control(op: ir.Operation) -> bool:
    """Whether there is such control flow inside `op`."""
    ops = ops_inside(op)
    return _has_affine(ops) or _has_blocks([op, *ops]) or bool(unsigned_loops(ops))


def make_control_plain(function: ir.Operation) -> None:
    """Rewrites a `func.func` in place. Raises UnsupportedError with what upstream's passes say."""
    load_dialects(function.context)
    if _has_affine(ops_inside(function)):
        _run(function, "lower-affine")
    if _has_blocks([function, *ops_inside(function)]):
        _run(function, "lift-cf-to-scf")
    count_unsigned_loops(function)


def _run(function: ir.Operation, name: str) -> None:
    succeeded, diagnostics = _ktir.run_pipeline(function, f"func.func({name})")
    if not succeeded:
        raise UnsupportedError(f"{name} failed: " + "; ".join(text for _, _, text in diagnostics))


def _has_affine(ops: Sequence[ir.Operation]) -> bool:
    return not _AFFINE.isdisjoint([op.name for op in ops])


def _has_blocks(ops: Sequence[ir.Operation]) -> bool:
    """Whether a region of one of the ops has several blocks."""
    return any(len(region.blocks) > 1 for op in ops for region in op.regions)
