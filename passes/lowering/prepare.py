"""Passes of MLIR that bring a kernel into the ops that selection knows.

Owns which of them a kernel needs. None changes what an element is computed from.
"""

from __future__ import annotations

from ktir.buffer_ops import use_tensors
from ktir.errors import PassError
from ktir.inside import ops_inside
from ktir.mlir import ir
from ktir.mlir._mlir_libs import _ktir
from ktir.passes.lowering.calls import inline_calls
from ktir.plain_control import has_other_control, make_control_plain

_STRUCTURED = frozenset(
    f"linalg.{name}" for name in ("fill", "generic", "index", "softmax", "yield")
)
"""Ops of linalg that selection takes as they are."""

_AFFINE_INDICES = frozenset(f"affine.{name}" for name in ("delinearize_index", "linearize_index"))


def prepare(kernel: ir.Operation) -> None:
    """Rewrites `kernel` in place. Raises PassError with what a pass says."""
    if has_other_control(kernel):
        make_control_plain(kernel)
    inline_calls(kernel)
    use_tensors(kernel)
    names = {op.name for op in ops_inside(kernel)}
    passes = []
    if names & _AFFINE_INDICES:
        passes.append("affine-expand-index-ops")
    if any(name.startswith("linalg.") and name not in _STRUCTURED for name in names):
        passes.append("linalg-generalize-named-ops")
    if passes:
        run_passes(kernel, f"func.func({','.join(passes)})")


def run_passes(op: ir.Operation, pipeline: str) -> None:
    """Runs passes on `op`. Raises PassError with what they say."""
    succeeded, diagnostics = _ktir.run_pipeline(op, pipeline)
    if not succeeded:
        raise PassError(f"{pipeline} failed: " + "; ".join(text for _, _, text in diagnostics))
