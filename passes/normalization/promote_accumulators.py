"""Makes narrow sums accumulate in f32."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import defining_op, element_type, shape_of
from ktir.passes.normalization.building import constant, copy_body, fill, pointwise, scalar
from ktir.passes.normalization.generics import (
    Generic,
    each_generic,
    has_one_use,
    is_elementwise,
    is_used,
)
from ktir.passes.structured import build, finish

NARROW = ("f16", "bf16")


@register
@dataclass(frozen=True)
class PromoteAccumulators(ModulePass):
    """Accumulate contractions and sums of f16 and bf16 in f32.

    Requires: named ops generalised. Rewrites each result of a reduction generic whose element type
    is f16 or bf16 and whose body adds one value to it: the init becomes f32, the product (if the
    value is one) and the sum are computed in f32, and a cast generic behind rounds once. Ensures:
    no such sum rounds at every step. Maxima and other reductions stay as they are.

        %r = linalg.generic {.. ["reduction"]} ins(%x : tensor<64xf16>) outs(%zero : tensor<f16>)
             { %s = arith.addf %in, %out : f16; linalg.yield %s }
    becomes
        %w = linalg.generic {.. ["reduction"]} ins(%x : tensor<64xf16>) outs(%zero : tensor<f32>)
             { %e = arith.extf %in; %s = arith.addf %e, %out : f32; linalg.yield %s }
        %r = linalg.generic ins(%w : tensor<f32>) outs(%e : tensor<f16>) { arith.truncf .. }
    """

    NAME: ClassVar[str] = "ktir-promote-accumulators"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for view in each_generic(module):
                if is_elementwise(view):
                    continue
                sums = {
                    number: added
                    for number in range(len(view.inits))
                    if (added := _added(view, number))
                }
                if sums:
                    _promote(view, sums)


def _added(view: Generic, number: int) -> ir.Value | None:
    """What the body adds to its accumulator `number`, if that is all it does with it and the
    accumulator is narrow.
    """
    accumulator = view.body.arguments[len(view.inputs) + number]
    if str(accumulator.type) not in NARROW or not has_one_use(accumulator):
        return None
    total = defining_op(view.yielded[number])
    if total is None or total.operation.name != "arith.addf" or not has_one_use(total.results[0]):
        return None
    addends = [value for value in total.operands if value != accumulator]
    return addends[0] if len(addends) == 1 else None


def _promote(view: Generic, sums: dict[int, ir.Value]) -> None:
    location = view.op.location
    with ir.InsertionPoint(view.op), location:
        inits = [
            _widen(init, location) if number in sums else init
            for number, init in enumerate(view.inits)
        ]
        op, block = build(view.inputs, inits, view.accesses, view.iterators, location)
        finish(block, _wide_body(view, sums, block), location)
        for number, (old, new) in enumerate(zip(view.op.results, op.results, strict=True)):
            kind = element_type(old)
            rounded = pointwise(new, kind, "arith.truncf", location) if number in sums else new
            old.replace_all_uses_with(rounded)
    view.op.operation.erase()


def _wide_body(view: Generic, sums: dict[int, ir.Value], block: ir.Block) -> list[ir.Value]:
    """Copies the body with its sums in f32; returns what to yield."""
    mapping = dict(zip(view.body.arguments, block.arguments, strict=True))
    places = {}
    for number, added in sums.items():
        # Without the narrow sum, what is copied and yielded in its place is what it adds.
        total = view.yielded[number].owner
        places[number] = total.location
        total.results[0].replace_all_uses_with(added)
        total.erase()
    yielded = copy_body(view.body, block, mapping)
    with ir.InsertionPoint(block):
        for number, place in places.items():
            accumulator = block.arguments[len(view.inputs) + number]
            addends = [accumulator, _wide(yielded[number], place)]
            yielded[number] = scalar("arith.addf", ir.F32Type.get(), addends, place)
    return yielded


def _wide(value: ir.Value, place: ir.Location) -> ir.Value:
    """`value` in f32; a product with no other use is taken in f32, not rounded first."""
    wide = ir.F32Type.get()
    product = defining_op(value)
    if product is None or product.operation.name != "arith.mulf" or is_used(value):
        return scalar("arith.extf", wide, [value], place)
    factors = [scalar("arith.extf", wide, [factor], place) for factor in product.operands]
    taken = scalar("arith.mulf", wide, factors, product.location)
    product.operation.erase()
    return taken


def _widen(init: ir.Value, location: ir.Location) -> ir.Value:
    """The init in f32: a fill with a constant stays a fill."""
    wide = ir.F32Type.get()
    start = defining_op(init)
    if start is not None and start.operation.name == "linalg.fill":
        number = defining_op(start.operands[0])
        if number is not None and number.operation.name == "arith.constant":
            value = ir.FloatAttr.get(wide, ir.FloatAttr(number.attributes["value"]).value)
            return fill(constant(value, wide, location), shape_of(init), location)
    return pointwise(init, wide, "arith.extf", location)
