"""Drops run-time assertions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.inside import ops_inside
from ktir.mlir import ir
from ktir.passes.base import ModulePass, register


@register
@dataclass(frozen=True)
class EraseAsserts(ModulePass):
    """Erase `cf.assert`: checking the bounds of a gather is the machine's work.

    Requires: nothing. Ensures: no `cf.assert` is left, so bodies of generics are free of side
    effects and may be fused. What computed only the condition is left for canonicalisation.

        cf.assert %in_bounds, "index must be smaller than dim size"     ->     (nothing)
    """

    NAME: ClassVar[str] = "ktir-erase-asserts"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for op in ops_inside(module):
                if op.name == "cf.assert":
                    op.erase()
