"""Refuses what no pass brings to the `linalg` level, before anything but clean-up is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.normalization.generics import functions
from ktir.passes.normalization.sources import describe, problem_of_type, problem_of_types, refuse

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
            refuse(
                [problem for function in functions(module) for problem in _of_function(function)]
            )


def _of_function(function: ir.OpView) -> Iterator[str]:
    blocks = list(function.regions[0].blocks)
    if len(blocks) != 1:
        yield f"{describe(function)}: control flow is not supported; found {len(blocks)} blocks"
        return
    for number, argument in enumerate(blocks[0].arguments):
        if (problem := problem_of_type(argument.type)) is not None:
            yield f"{describe(function)}: argument {number}: {problem}"
    for op in blocks[0].operations:
        problem = _of_op(op) or problem_of_types(op)
        if problem is not None:
            yield f"{describe(op)}: {problem}"


def _of_op(op: ir.OpView) -> str | None:
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
