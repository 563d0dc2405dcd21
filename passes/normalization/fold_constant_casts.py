"""Rounds constants at compile time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.normalization.generics import constant, defining


@register
@dataclass(frozen=True)
class FoldConstantCasts(ModulePass):
    """Evaluate `arith.truncf` of a constant.

    Requires: nothing. Upstream folds it only where no digit is lost; rounding to nearest even is what it means at run time,
    too. Ensures: no `arith.truncf` of a constant is left.

        %t = arith.truncf %third : f32 to f16, with %third = 0.333333343     ->     %t = arith.constant 0.333251953 : f16
    """

    NAME: ClassVar[str] = "ktir-fold-constant-casts"

    def run(self, module: ir.Operation) -> None:
        casts: list[ir.OpView] = []

        def collect(op: ir.Operation) -> ir.WalkResult:
            if op.name == "arith.truncf" and _constant_of(op.opview) is not None:
                casts.append(op.opview)
            return ir.WalkResult.ADVANCE

        with module.context:
            module.walk(collect)
            for op in casts:
                value = _constant_of(op)
                if value is not None:
                    _fold(op, value)


def _constant_of(op: ir.OpView) -> ir.FloatAttr | None:
    source = defining(op.operands[0])
    if source is None or source.operation.name != "arith.constant":
        return None
    value = source.attributes["value"]
    return value if isinstance(value, ir.FloatAttr) else None


def _fold(op: ir.OpView, value: ir.FloatAttr) -> None:
    with ir.InsertionPoint(op), op.location:
        rounded = constant(ir.FloatAttr.get(op.results[0].type, value.value), op.location)
    op.results[0].replace_all_uses_with(rounded)
    op.operation.erase()
