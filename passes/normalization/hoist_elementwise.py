"""Moves arithmetic on one tensor out from between views and the contraction that reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp, defining_op, element_type, shape_of
from ktir.passes.normalization.building import clone_generic, collapse, expand
from ktir.passes.normalization.generics import (
    VIEW_OPS,
    Generic,
    each_generic,
    generic,
    has_one_use,
    is_cheap,
    is_contraction,
    is_elementwise,
    reassociation,
)
from ktir.passes.structured import Access, build, empty, finish


@register
@dataclass(frozen=True)
class HoistElementwise(ModulePass):
    """Compute an operand of a contraction before it is reshaped, transposed or repeated.

    Requires: cheap producers cloned for each use. Between a value and a contraction that reads it
    there may be views, transposes, broadcasts, casts and arithmetic on that one tensor (the scale
    of attention's keys). The arithmetic is moved above the moves. Ensures: behind the last
    arithmetic of an operand there are only moves and casts, which fold into the contraction's maps
    and body, so no transposed copy is made.

        %t = transpose(%k); %s = linalg.generic ins(%t) { arith.mulf %in, %scale }
        contraction(%q, %s)
    becomes
        %s = linalg.generic ins(%k) { arith.mulf %in, %scale }; %t = transpose(%s)
        contraction(%q, %t)
    """

    NAME: ClassVar[str] = "ktir-hoist-elementwise"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for view in each_generic(module):
                if not is_contraction(view):
                    continue
                for number in range(len(view.inputs)):
                    while _hoist_once(view.op.operands[number]):
                        pass


def _hoist_once(operand: ir.Value) -> bool:
    """Swaps the lowest move of the chain above `operand` that has arithmetic right below it; False
    if there is none.
    """
    below: Generic | None = None
    needed = False
    value = operand
    while has_one_use(value) and (op := defining_op(value)) is not None:
        view = generic(op)
        if _is_move(op, view):
            if below is not None and needed:
                _swap(op, below)
                return True
            below = None
        elif view is not None and is_pointwise(view):
            below = view
            # Casts below all arithmetic may stay: the contraction takes them.
            needed = needed or not is_cheap(view)
        else:
            return False
        value = op.operands[0]
    return False


def is_pointwise(view: Generic) -> bool:
    """Elementwise over one tensor, in its own order; further operands are of rank 0."""
    identity = tuple(range(view.loops))
    return (
        is_elementwise(view)
        and len(view.inits) == 1
        and len(view.inputs) >= 1
        and view.accesses[0] == identity
        and view.init_accesses[0] == identity
        and all(access == () for access in view.accesses[1:-1])
        and not list(view.body.arguments[-1].uses)
        and not any(op.operation.name in ("linalg.index", "tensor.extract") for op in view.body_ops)
    )


def _is_move(op: AnyOp, view: Generic | None) -> bool:
    if op.operation.name in VIEW_OPS:
        return True
    return (
        view is not None
        and is_elementwise(view)
        and len(view.inputs) == 1
        and not view.body_ops
        and view.yielded == (view.body.arguments[0],)
        and view.accesses[0] != view.accesses[1]
    )


def _swap(move: AnyOp, work: Generic) -> None:
    """From `work(move(x))` to `move(work(x))`."""
    source = move.operands[0]
    location = work.op.location
    identity: Access = tuple(range(len(shape_of(source))))
    with ir.InsertionPoint(work.op):
        target = empty(shape_of(source), element_type(work.op.results[0]), location)
        inputs = [source, *work.inputs[1:]]
        accesses = [identity, *work.accesses[1:-1], identity]
        op = clone_generic(work, inputs, [target], accesses, ["parallel"] * len(identity))
        moved = _moved(move, op.results[0])
    work.op.results[0].replace_all_uses_with(moved)
    work.op.operation.erase()
    move.operation.erase()


def _moved(move: AnyOp, value: ir.Value) -> ir.Value:
    """`move` applied to `value`, whose element type may differ from its own operand's."""
    extents = shape_of(move.results[0])
    with move.location:
        if (view := generic(move)) is not None:
            target = empty(extents, element_type(value), move.location)
            op, block = build([value], [target], view.accesses, view.iterators, move.location)
            finish(block, [block.arguments[0]], move.location)
            return op.result
        make = expand if move.operation.name == "tensor.expand_shape" else collapse
        return make(value, reassociation(move), extents)
