"""Turns padding into a fill and a write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp, i64_list, shape_of, terminator
from ktir.passes.normalization.building import (
    extract,
    fill,
    insert,
)
from ktir.passes.normalization.generics import operations
from ktir.passes.normalization.sources import describe


@register
@dataclass(frozen=True)
class LowerPad(ModulePass):
    """Lower `tensor.pad` with a scalar padding value to `linalg.fill` and `tensor.insert_slice`.

    Requires: static shapes (`ktir-check-import`). Negative padding cuts the source first
    (`tensor.extract_slice`). Ensures: no `tensor.pad` is left. Fails when the padding value
    depends on the position.

        %r = tensor.pad %x low[1] high[2] { tensor.yield %zero } : tensor<4xf16> to tensor<7xf16>
    becomes
        %0 = linalg.fill ins(%zero) outs(%empty) -> tensor<7xf16>
        %r = tensor.insert_slice %x into %0[1] [4] [1] : tensor<4xf16> into tensor<7xf16>
    """

    NAME: ClassVar[str] = "ktir-lower-pad"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for op in operations(module):
                if op.operation.name == "tensor.pad":
                    _lower(op)


def _lower(op: AnyOp) -> None:
    low, high = i64_list(op, "static_low"), i64_list(op, "static_high")
    value = _padding_value(op)
    source = op.operands[0]
    with ir.InsertionPoint(op), op.location:
        piece = _cut(source, low, high)
        total = fill(value, shape_of(op.results[0]), op.location)
        if 0 not in shape_of(piece):
            total = insert(piece, total, [max(amount, 0) for amount in low])
    op.results[0].replace_all_uses_with(total)
    op.operation.erase()


def _padding_value(op: AnyOp) -> ir.Value:
    body = op.regions[0].blocks[0]
    value = terminator(body).operands[0]
    if value.owner == body:
        raise UnsupportedError(
            f"{describe(op)}: the padding value depends on the position; only scalars are supported"
        )
    owner = value.owner
    if not isinstance(owner, ir.Block) and owner.operation.block == body:
        if owner.operation.name != "arith.constant":
            raise UnsupportedError(
                f"{describe(op)}: the padding value is computed in the region; only scalars are "
                "supported"
            )
        owner.operation.move_before(op.operation)
    return value


def _cut(source: ir.Value, low: list[int], high: list[int]) -> ir.Value:
    offsets = [max(-amount, 0) for amount in low]
    sizes = [
        extent - offset - max(-amount, 0)
        for extent, offset, amount in zip(shape_of(source), offsets, high, strict=True)
    ]
    if tuple(sizes) == shape_of(source):
        return source
    return extract(source, offsets, sizes, [1] * len(sizes))
