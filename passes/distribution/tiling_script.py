"""The transform scripts that tile kernels, and their interpretation."""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir
from ktir.mlir.dialects.transform import interpreter
from ktir.passes.distribution.kernel_function import CONTRACTION, ROOT, KernelFunction

_HEAD = """
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
"""
# A slice of a slice becomes one, so that a kernel loads the piece that it computes on, no more.
_PATTERNS = """
    transform.apply_patterns to %module {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.tensor.fold_tensor_empty
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
    } : !transform.any_op"""
_TAIL = """
    transform.yield
  }
}
"""


def fusion_script(kernels: Sequence[KernelFunction]) -> str:
    """Tiles each kernel's root over the tiles of all cores and fuses its producers in."""
    steps = []
    for kernel in kernels:
        if not any(kernel.loop_tiles):
            continue
        n, tiles = kernel.number, list(kernel.loop_tiles)
        steps.append(f"""
    %root{n} = transform.structured.match attributes {{{ROOT} = {n} : i64}} in %module
      : (!transform.any_op) -> !transform.any_op
    %tiled{n}, %loop{n} = transform.structured.fuse %root{n}
      tile_sizes {tiles} {{apply_cleanup, use_forall}}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)""")
    return _HEAD + "".join(steps) + _PATTERNS + _TAIL


def contraction_script(kernels: Sequence[KernelFunction]) -> str | None:
    """Cuts the reduction of the contractions that do not fit whole; None if there are none."""
    steps = []
    for kernel in kernels:
        if kernel.reduction_tiles is None:
            continue
        n, tiles = kernel.number, list(kernel.reduction_tiles)
        steps.append(f"""
    %contraction{n} = transform.structured.match attributes {{{CONTRACTION} = {n} : i64}} in %module
      : (!transform.any_op) -> !transform.any_op
    %piece{n}, %pieces{n} = transform.structured.tile_using_for %contraction{n} tile_sizes {tiles}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)""")
    return _HEAD + "".join(steps) + _PATTERNS + _TAIL if steps else None


def run_script(payload: ir.Operation, script: str) -> None:
    """Interprets a transform script on `payload`; raises what the interpreter raises."""
    transform = ir.Module.parse(script)
    sequence = transform.body.operations[0].operation
    interpreter.apply_named_sequence(payload, sequence, transform.operation)  # type: ignore[no-untyped-call]
