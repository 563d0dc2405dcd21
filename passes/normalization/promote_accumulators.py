"""Makes narrow sums accumulate in f32."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.mlir.dialects import arith, linalg
from ktir.passes.base import ModulePass, register
from ktir.passes.normalization.generics import (
    Generic,
    build,
    constant,
    copy_body,
    defining,
    element_type,
    empty,
    fill,
    generic,
    has_one_use,
    is_elementwise,
    operations,
    shape,
)

NARROW = ("f16", "bf16")


@register
@dataclass(frozen=True)
class PromoteAccumulators(ModulePass):
    """Accumulate contractions and sums of f16 and bf16 in f32.

    Requires: named ops generalised. Rewrites each result of a reduction generic whose element type is f16 or bf16 and whose
    body adds one value to it: the init becomes f32, the product (if the value is one) and the sum are computed in f32,
    and a cast generic behind rounds once. Ensures: no such sum rounds at every step. Maxima and other
    reductions stay as they are.

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
            for op in operations(module):
                view = generic(op)
                if view is None or is_elementwise(view):
                    continue
                sums = {number: added for number in range(len(view.inits)) if (added := _added(view, number))}
                if sums:
                    _promote(view, sums)


def _added(view: Generic, number: int) -> ir.Value | None:
    """What the body adds to its accumulator `number`, if that is all it does with it and the accumulator is narrow."""
    accumulator = view.body.arguments[len(view.inputs) + number]
    if str(accumulator.type) not in NARROW or not has_one_use(accumulator):
        return None
    total = defining(view.yielded[number])
    if total is None or total.operation.name != "arith.addf" or not has_one_use(total.results[0]):
        return None
    addends = [value for value in total.operands if value != accumulator]
    return addends[0] if len(addends) == 1 else None


def _promote(view: Generic, sums: dict[int, ir.Value]) -> None:
    location = view.op.location
    with ir.InsertionPoint(view.op), location:
        inits = [_widen(init) if number in sums else init for number, init in enumerate(view.inits)]
        op, block = build(view.inputs, inits, view.accesses, view.iterators, location)
        mapping = dict(zip(view.body.arguments, block.arguments, strict=True))
        # The narrow sums themselves: their clones would mix types, so they get a value to stand for them first.
        yielded = _copy_with_wide_sums(view, sums, block, mapping)
        with ir.InsertionPoint(block):
            linalg.YieldOp(yielded)
        for number, (old, new) in enumerate(zip(view.op.results, op.results, strict=True)):
            old.replace_all_uses_with(cast(new, element_type(old)) if number in sums else new)
    view.op.operation.erase()


def _copy_with_wide_sums(
    view: Generic, sums: dict[int, ir.Value], block: ir.Block, mapping: dict[ir.Value, ir.Value]
) -> list[ir.Value]:
    totals = {number: defining(view.yielded[number]) for number in sums}
    locations = {number: total.location for number, total in totals.items()}
    accumulators = {number: view.body.arguments[len(view.inputs) + number] for number in sums}
    for number, total in totals.items():
        # Detach the sum from the body: what is copied then is only what it adds.
        total.results[0].replace_all_uses_with(sums[number])
        total.operation.erase()
    yielded = copy_body(view.body, block, mapping)
    with ir.InsertionPoint(block):
        for number in sums:
            wide = _wide(yielded[number], locations[number])
            accumulator = mapping[accumulators[number]]
            yielded[number] = arith.AddFOp(accumulator, wide, loc=locations[number]).result
    return yielded


def _wide(value: ir.Value, location: ir.Location) -> ir.Value:
    """`value` in f32; a product that nothing else uses is computed in f32 rather than rounded first."""
    wide = ir.F32Type.get()
    op = defining(value)
    if op is not None and op.operation.name == "arith.mulf" and not uses_left(value):
        factors = [arith.ExtFOp(wide, factor, loc=location).result for factor in op.operands]
        product = arith.MulFOp(*factors, loc=op.location).result
        op.operation.erase()
        return product
    return arith.ExtFOp(wide, value, loc=location).result


def uses_left(value: ir.Value) -> bool:
    return next(iter(value.uses), None) is not None


def _widen(init: ir.Value) -> ir.Value:
    """The init in f32: a fill stays a fill."""
    op = defining(init)
    location = ir.Location.current
    if op is not None and op.operation.name == "linalg.fill":
        scalar = defining(op.operands[0])
        if scalar is not None and scalar.operation.name == "arith.constant":
            number = ir.FloatAttr(scalar.attributes["value"]).value
            start = constant(ir.FloatAttr.get(ir.F32Type.get(), number), location)
            return fill(start, shape(init), location)
    return cast(init, ir.F32Type.get())


def cast(value: ir.Value, kind: ir.Type) -> ir.Value:
    """A generic at the current insertion point and location that widens or rounds a float tensor to `kind`."""
    location = ir.Location.current
    identity = tuple(range(len(shape(value))))
    target = empty(shape(value), kind, location)
    op, block = build([value], [target], [identity, identity], ["parallel"] * len(identity), location)
    wider = ir.FloatType(kind).width > ir.FloatType(element_type(value)).width
    with ir.InsertionPoint(block):
        convert = arith.ExtFOp if wider else arith.TruncFOp
        linalg.YieldOp([convert(kind, block.arguments[0], loc=location).result])
    return op.results[0]
