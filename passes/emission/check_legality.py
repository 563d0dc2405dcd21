"""The contract of the `ktir` level, as a pass."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ktir.contracts import check_contract
from ktir.mlir import ir
from ktir.passes.base import ModulePass, register


@register
@dataclasses.dataclass(frozen=True)
class CheckLegality(ModulePass):
    """Check that the module keeps the contract of the `ktir` level.

    Changes nothing. It has the name of the pass of torch-spyre/ktir-mlir-frontend that asks the
    same. There the pass also checks who receives from whom between tiles; here the verifiers of the
    inter-tile ops do, whenever a module is read.

    Fails when: there is no kernel; an op of a kernel is of a dialect that KTIR does not hold.
    """

    NAME: ClassVar[str] = "ktir-check-legality"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            check_contract(module, "ktir")
