"""Takes the barriers out again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.normalization.generics import operations
from ktir.passes.normalization.insert_barriers import BARRIER, is_barrier


@register
@dataclass(frozen=True)
class RemoveBarriers(ModulePass):
    """Replace every barrier call by its operand and erase the declarations.

    Requires: nothing. Ensures: no symbol that `ktir-insert-barriers` made is left.

        %b = call @ktir.barrier.0(%x); f(%b)     ->     f(%x)
    """

    NAME: ClassVar[str] = "ktir-remove-barriers"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for op in operations(module):
                if is_barrier(op.operation):
                    op.results[0].replace_all_uses_with(op.operands[0])
                    op.operation.erase()
            for op in list(module.regions[0].blocks[0].operations):
                if op.operation.name == "func.func" and ir.StringAttr(
                    op.attributes["sym_name"]
                ).value.startswith(BARRIER):
                    op.operation.erase()
