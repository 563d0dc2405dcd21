"""Rounds constants at compile time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.inside import ops_inside
from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp, defining_op
from ktir.passes.normalization.building import (
    constant,
)


@register
@dataclass(frozen=True)
class FoldConstantCasts(ModulePass):
    """Evaluate `arith.truncf` of a constant.

    Requires: nothing. Upstream folds it only where no digit is lost; rounding to nearest even is
    what it means at run time, too. Ensures: no `arith.truncf` of a constant is left.

        %t = arith.truncf %third : f32 to f16, with %third = 0.333333343
    becomes
        %t = arith.constant 0.333251953 : f16
    """

    NAME: ClassVar[str] = "ktir-fold-constant-casts"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for op in ops_inside(module):
                if op.operation.name == "arith.truncf" and (value := _constant_of(op)) is not None:
                    _fold(op, value)


def _constant_of(op: AnyOp) -> ir.FloatAttr | None:
    source = defining_op(op.operands[0])
    if source is None or source.operation.name != "arith.constant":
        return None
    value = source.attributes["value"]
    return value if isinstance(value, ir.FloatAttr) else None


def _fold(op: AnyOp, value: ir.FloatAttr) -> None:
    kind = op.results[0].type
    with ir.InsertionPoint(op), op.location:
        rounded = constant(ir.FloatAttr.get(kind, value.value), kind, op.location)
    op.results[0].replace_all_uses_with(rounded)
    op.operation.erase()
