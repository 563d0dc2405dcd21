"""Makes sure that what is written into belongs to the write alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import defining_op, element_type, shape_of
from ktir.passes.normalization.building import fill
from ktir.passes.normalization.generics import has_one_use, operations
from ktir.passes.structured import copy, empty


@register
@dataclass(frozen=True)
class OwnDestinations(ModulePass):
    """Give every `tensor.insert_slice` a destination that nothing else uses.

    Requires: runs last, as CSE merges equal fills again and canonicalisation removes copies. A
    shared empty or filled tensor is made again; any other value with more uses, and an argument,
    is copied by an identity generic. Ensures: a write may be done in place.

        %a = tensor.insert_slice %x into %zeros[..]; %b = tensor.insert_slice %y into %zeros[..]
    becomes
        %a = tensor.insert_slice %x into %zeros[..]; %b = tensor.insert_slice %y into %again[..]
    """

    NAME: ClassVar[str] = "ktir-own-destinations"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for op in operations(module):
                if op.operation.name != "tensor.insert_slice":
                    continue
                target = op.operands[1]
                if isinstance(target.owner, ir.Block) or not has_one_use(target):
                    with ir.InsertionPoint(op):
                        op.operation.operands[1] = _own(target, op.location)


def _own(target: ir.Value, location: ir.Location) -> ir.Value:
    """A value equal to `target` that nothing else uses."""
    start = defining_op(target)
    if start is not None and start.operation.name == "tensor.empty":
        return empty(shape_of(target), element_type(target), location)
    if start is not None and start.operation.name == "linalg.fill":
        return fill(start.operands[0], shape_of(target), location)
    return copy(target, location)
