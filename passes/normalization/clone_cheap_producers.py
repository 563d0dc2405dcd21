"""Gives every user its own copy of what costs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp
from ktir.passes.normalization.generics import VIEW_OPS, generic, is_cheap, operations


@register
@dataclass(frozen=True)
class CloneCheapProducers(ModulePass):
    """Clone casts to wider types, transposes, broadcasts, coordinates and reshapes for each of
    their uses.

    Requires: named ops generalised; no CSE may run between this and the fusion that uses it, as it
    merges the clones. Upstream fuses a producer only if it has one use. What only moves or widens
    values may be computed in each user, whereas arithmetic is done once. Ensures: every result of
    such an op has at most one use.

        %w = linalg.generic ins(%x) { arith.extf }; f(%w); g(%w)
    becomes
        %w = linalg.generic ins(%x) { arith.extf }; f(%w)
        %v = linalg.generic ins(%x) { arith.extf }; g(%v)
    """

    NAME: ClassVar[str] = "ktir-clone-cheap-producers"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            # Users come after producers, so going backwards clones whole chains.
            for op in reversed(list(operations(module))):
                if op.operation.name in VIEW_OPS or (
                    (view := generic(op)) is not None and is_cheap(view)
                ):
                    _clone_for_uses(op)


def _clone_for_uses(op: AnyOp) -> None:
    (result,) = op.results
    # A body may read the result too; such a use keeps the original.
    direct = [use for use in list(result.uses) if use.owner.operation.block == op.operation.block]
    for use in direct[1:] if len(direct) == len(list(result.uses)) else direct:
        clone = op.operation.clone(ip=ir.InsertionPoint(use.owner))
        use.owner.operation.operands[use.operand_number] = clone.results[0]
