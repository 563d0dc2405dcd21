"""Where a reshape between kernels needs its data laid out anew."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.device_memory import Placements, reshape_of
from ktir.passes.grouping.kernel_ops import copy_kernel, relayout_op
from ktir.passes.ir_utils import body_of, defining_op, functions_of, shape_of, terminator

RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")


@register
@dataclasses.dataclass(frozen=True)
class InsertRelayouts(ModulePass):
    """Put a `plan.relayout` before every reshape that strides cannot express.

    Requires: `plan.kernel` ops with views between them.
    Rewrites: where a reshape's rows are padded, the kernel that makes the tensor stores it densely;
    what no kernel makes (an argument, a slice) is copied by a kernel of its own.
    Ensures: every view is a matter of strides and an offset.
    Fails when: a slice between kernels has dynamic offsets, sizes or strides, which the `linalg`
    level does not allow.

    Before:

        %k = plan.kernel .. -> (tensor<67x100xf16>) { ..  plan.yield %v : tensor<67x100xf16> }
        %r = tensor.collapse_shape %k [[0, 1]] : tensor<67x100xf16> into tensor<6700xf16>

    After:

        %k = plan.kernel .. -> (tensor<67x100xf16>) {
          ..
          %d = plan.relayout %v to dense : tensor<67x100xf16>
          plan.yield %d : tensor<67x100xf16>
        }
        %r = tensor.collapse_shape %k [[0, 1]] : tensor<67x100xf16> into tensor<6700xf16>
    """

    NAME: ClassVar[str] = "ktir-insert-relayouts"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for function in functions_of(module):
                for op in [op.operation for op in body_of(function)]:
                    if op.name not in RESHAPES or _is_view(function, op):
                        continue
                    owner = defining_op(op.operands[0])
                    if owner is not None and owner.name == "plan.kernel":
                        _store_densely(owner, ir.OpResult(op.operands[0]).result_number)
                    if not _is_view(function, op):
                        with ir.InsertionPoint(op):
                            copy = copy_kernel(op.operands[0], op.location, "dense")
                        op.operands[0] = copy.results[0]


def _store_densely(kernel: ir.Operation, number: int) -> None:
    """Yields result `number` of the kernel through a dense relayout."""
    last = terminator(body_of(kernel))
    with ir.InsertionPoint(last), kernel.location:
        relayout = relayout_op(last.operands[number], "dense")
    last.operands[number] = relayout.results[0]


def _is_view(function: ir.Operation, reshape: ir.Operation) -> bool:
    source = Placements(function).of(reshape.operands[0])
    return reshape_of(source, shape_of(reshape.results[0])) is not None
