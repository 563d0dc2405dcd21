"""The ops inside an op, in one go: the bindings' own walk, a fraction of the time that regions,
blocks and lists of ops take one by one.
"""

from __future__ import annotations

from ktir.mlir import ir


def ops_inside(op: ir.Operation) -> list[ir.Operation]:
    """All ops in the regions of `op`, however deep, in the order of the text; those around others
    come before them."""
    found: list[ir.Operation] = []

    def visit(inner: ir.Operation) -> ir.WalkResult:
        found.append(inner)
        return ir.WalkResult.ADVANCE

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[1:]


def callees(op: ir.Operation) -> set[str]:
    """The names of the functions that are called inside an op."""
    return {
        ir.FlatSymbolRefAttr(inner.attributes["callee"]).value
        for inner in ops_inside(op)
        if inner.name == "func.call"
    }
