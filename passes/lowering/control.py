"""Selection of control flow: loops that carry tensors and branches that yield them.

Owns `scf.for` and `scf.if`. A carried tensor has one slot inside and behind the loop; scalars stay
SSA values.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import body_of, is_tensor
from ktir.passes.lowering.selection import Selection, is_scalar, lowers
from ktir.passes.lowering.steps import Branch, Carried, Joined, Loop, Slot


@lowers("scf.for")
def _for(selection: Selection, op: ir.Operation) -> None:
    body = body_of(op)
    _, *arguments = body.arguments
    _require_known(selection, op, op.results)
    slots: list[tuple[int, Slot, Slot]] = []
    for i, (argument, result) in enumerate(zip(arguments, op.results, strict=True)):
        if not is_tensor(result):
            continue
        init = selection.slot(op.operands[3 + i], op)
        slot = selection.new_slot(op, result.type)
        selection.bind(argument, slot)
        selection.bind(result, slot)
        slots.append((i, slot, init))
    steps, yielded = selection.block(body)
    carried = tuple(Carried(slot, init, yielded[i]) for i, slot, init in slots)
    selection.append(Loop(op.location, op, carried, steps))


@lowers("scf.if")
def _if(selection: Selection, op: ir.Operation) -> None:
    _require_known(selection, op, op.results)
    sides = [
        selection.block(region.blocks[0]) if len(region.blocks) else ([], {})
        for region in op.regions
    ]
    (then, then_yields), (otherwise, otherwise_yields) = sides
    joined = []
    for i, result in enumerate(op.results):
        if is_tensor(result):
            slot = selection.new_slot(op, result.type)
            selection.bind(result, slot)
            joined.append(Joined(slot, then_yields[i], otherwise_yields[i]))
    selection.append(Branch(op.location, op, tuple(joined), then, otherwise))


def _require_known(selection: Selection, op: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Raises UnsupportedError if `op` passes on anything but tensors and scalars."""
    for value in values:
        if not is_tensor(value) and not is_scalar(value):
            raise selection.refusal(op, f"a value of type {value.type} cannot be passed on")
