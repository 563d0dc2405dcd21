"""Makes sure that what is written into belongs to the write alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.mlir.dialects import linalg
from ktir.passes.base import ModulePass, register
from ktir.passes.normalization.generics import (
    build,
    defining,
    empty,
    fill,
    has_one_use,
    operations,
    shape,
)


@register
@dataclass(frozen=True)
class OwnDestinations(ModulePass):
    """Give every `tensor.insert_slice` a destination that nothing else uses.

    Requires: runs last, as CSE merges equal fills again and canonicalisation removes copies. A shared empty or filled tensor is
    made again; any other value with more uses, and an argument, is copied by an identity generic. Ensures: a write may be
    done in place.

        %a = tensor.insert_slice %x into %zeros[..]; %b = tensor.insert_slice %y into %zeros[..]
    becomes
        %a = tensor.insert_slice %x into %zeros[..]; %b = tensor.insert_slice %y into %zeros_again[..]
    """

    NAME: ClassVar[str] = "ktir-own-destinations"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for op in operations(module):
                if op.operation.name != "tensor.insert_slice":
                    continue
                target = op.operands[1]
                if isinstance(target.owner, ir.Block) or not has_one_use(target):
                    with ir.InsertionPoint(op), op.location:
                        op.operation.operands[1] = _own(target)


def _own(target: ir.Value) -> ir.Value:
    """A value equal to `target` that is new, at the current insertion point and location."""
    source = defining(target)
    location = ir.Location.current
    start = empty(shape(target), target.type.element_type, location)
    if source is not None and source.operation.name == "tensor.empty":
        return start
    if source is not None and source.operation.name == "linalg.fill":
        return fill(source.operands[0], shape(target), location)
    identity = tuple(range(len(shape(target))))
    op, block = build([target], [start], [identity, identity], ["parallel"] * len(identity), location)
    with ir.InsertionPoint(block):
        linalg.YieldOp([block.arguments[0]])
    return op.results[0]
