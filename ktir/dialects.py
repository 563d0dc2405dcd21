"""The dialects whose ops are made here, and their loading into a context.

A context that only reads a text has the dialects of that text, which is quicker; who makes ops
there loads the others first.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir

PROGRAM_DIALECTS = ("func", "arith", "math", "index", "cf", "scf", "sdf")
"""Dialects of the ops that programs consist of, and of their modules."""

DIALECTS = (
    *("func", "arith", "math", "index", "cf", "scf", "affine", "tensor", "linalg", "memref"),
    *("bufferization", "plan", "ktdp", "sdf", "spyreop"),
)
"""Dialects whose ops are made here; others are loaded when a text has them. To load all that MLIR
has takes twice as long, to load these three times as long as to read a small kernel."""


def reading_context() -> ir.Context:
    """A context for modules that are parsed and read in this process.

    On one thread: the bindings collect a parser's diagnostics as Python objects, which threads of
    MLIR's own must not touch.
    """
    context = ir.Context(load_on_create_dialects=())  # type: ignore[call-arg]  # of the site
    context.enable_multithreading(False)
    return context


def load_dialects(context: ir.Context, names: Sequence[str] = DIALECTS) -> None:
    """Loads dialects, as far as they are not there yet."""
    dialects = context.dialects
    for name in names:
        _ = dialects[name]
