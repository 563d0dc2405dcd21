"""Where a reshape between kernels needs its data laid out anew."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.emission.placement import Placements, reshape_of
from ktir.passes.facts import shape_and_element
from ktir.passes.grouping.group_kernels import copy_kernel
from ktir.passes.ir_utils import body_of, functions_of

RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")


@register
@dataclasses.dataclass(frozen=True)
class InsertRelayouts(ModulePass):
    """Puts a plan.relayout before every reshape that strides cannot express.

    Requires: plan.kernel ops with views between them. Rewrites: a reshape of a tensor whose rows are padded, or that is a slice, reads a
    dense copy made by a kernel of its own. Ensures: every view is a matter of strides and an offset. Never fails.

    Before: `tensor.collapse_shape %x [[0, 1]] : tensor<67x100xf16> into tensor<6700xf16>`
    After: the same on the result of `plan.kernel "copy" .. { plan.relayout %x {layout = dense} .. }`
    """

    NAME: ClassVar[str] = "ktir-insert-relayouts"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for function in functions_of(module):
                for op in [op.operation for op in body_of(function)]:
                    if op.name in RESHAPES and not _is_view(function, op):
                        with ir.InsertionPoint(op):
                            copy = copy_kernel(op.operands[0], op.location, "dense")
                        op.operands[0] = copy.results[0]


def _is_view(function: ir.Operation, reshape: ir.Operation) -> bool:
    source = Placements(function).of(reshape.operands[0])
    return reshape_of(source, shape_and_element(reshape.results[0])[0]) is not None
