"""Turns concatenation into one write a piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp, defining_op, element_type, shape_of
from ktir.passes.normalization.building import insert
from ktir.passes.normalization.generics import integer, operations
from ktir.passes.normalization.sources import describe
from ktir.passes.structured import empty


@register
@dataclass(frozen=True)
class LowerConcat(ModulePass):
    """Lower `tensor.concat` to a chain of `tensor.insert_slice` into a fresh tensor.

    Requires: nothing. A piece that is only cast to a dynamic shape is taken as it was. Ensures: no
    `tensor.concat` is left; pieces without elements are dropped; every tensor that is written into
    has the next write as its only use.

        %r = tensor.concat dim(0) %a, %b : (tensor<2x4xf16>, tensor<3x4xf16>) -> tensor<5x4xf16>
    becomes
        %0 = tensor.empty() : tensor<5x4xf16>
        %1 = tensor.insert_slice %a into %0[0, 0] [2, 4] [1, 1]
        %r = tensor.insert_slice %b into %1[2, 0] [3, 4] [1, 1]
    """

    NAME: ClassVar[str] = "ktir-lower-concat"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for op in operations(module):
                if op.operation.name == "tensor.concat":
                    _lower(op)


def _lower(op: AnyOp) -> None:
    dim = integer(op, "dim")
    result = op.results[0]
    if not ir.RankedTensorType(result.type).has_static_shape:
        raise UnsupportedError(f"{describe(op)}: dynamic shapes are not supported")
    with ir.InsertionPoint(op), op.location:
        total = empty(shape_of(result), element_type(result), op.location)
        offset = 0
        for operand in op.operands:
            piece = _static(operand, op)
            sizes = shape_of(piece)
            offsets = [0] * len(sizes)
            offsets[dim] = offset
            offset += sizes[dim]
            if 0 not in sizes:
                total = insert(piece, total, offsets)
    result.replace_all_uses_with(total)
    op.operation.erase()


def _static(piece: ir.Value, op: AnyOp) -> ir.Value:
    """The piece with its static shape, if need be from above a cast."""
    cast = defining_op(piece)
    if cast is not None and cast.operation.name == "tensor.cast":
        piece = cast.operands[0]
    if not ir.RankedTensorType(piece.type).has_static_shape:
        raise UnsupportedError(f"{describe(op)}: dynamic shapes are not supported")
    return piece
