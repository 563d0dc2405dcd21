"""Refuses what no pass brings to the `linalg` level, before anything but clean-up is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp
from ktir.passes.normalization.sources import problem_of_types, refuse_ops

# Dialects whose ops are scalar and may stand in bodies and, before canonicalisation, outside of
# them.
SCALAR = ("arith", "math")
TENSOR_OPS = (
    "tensor.empty",
    "tensor.expand_shape",
    "tensor.collapse_shape",
    "tensor.extract_slice",
    "tensor.insert_slice",
    "tensor.concat",
    "tensor.pad",
    "tensor.cast",
)
WINDOWED = ("conv", "depthwise_conv", "pooling", "winograd")


@register
@dataclass(frozen=True)
class CheckImport(ModulePass):
    """Refuse ops and types that normalisation cannot bring to the `linalg` level.

    Changes nothing. Fails with every problem found (the first eight in full), each naming the op
    as it was imported, its types, the line of the model it comes from and what is supported:
    `tm_tensor`, control flow, convolution and pooling, dynamic shapes, complex and quantised
    types. What passes here may still be refused in its final form by `ktir-check-linalg`.
    """

    NAME: ClassVar[str] = "ktir-check-import"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            refuse_ops(module, _of_op)


def _of_op(op: AnyOp) -> str | None:
    return _of_name(op) or problem_of_types(op)


def _of_name(op: AnyOp) -> str | None:
    name = op.operation.name
    dialect, _, short = name.partition(".")
    if dialect == "linalg":
        if short.startswith(WINDOWED):
            return (
                "windowed ops are not supported; supported are linalg ops whose maps are projected "
                "permutations"
            )
        return None
    if dialect in SCALAR or name in TENSOR_OPS or name in ("func.return", "cf.assert"):
        return None
    known = ", ".join(("linalg", *SCALAR)) + " and of " + ", ".join(TENSOR_OPS)
    return f"this op is not supported; supported are the ops of {known}"
