"""Selection of loops whose iterations are independent: `scf.forall` and `scf.parallel`.

Owns their reading as nested counted loops, in row-major order of their counters. What an iteration
contributes at its end, a slice of a shared tensor or a part of a reduction, is carried from one
iteration to the next.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import body_of
from ktir.passes.lowering.control import carried_values
from ktir.passes.lowering.control_steps import Loop
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.index import Index, Key, Made
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.shapes import held_in
from ktir.passes.lowering.steps import Slot
from ktir.passes.lowering.tensors import insert_slice
from ktir.passes.lowering.values import Passed, segments

_Bounds = tuple[Index, Index, Index]
"""First, end and step of one counter."""


@lowers("scf.forall")
def _forall(selection: Selection, op: ir.Operation) -> None:
    lower, upper, steps, outputs = segments(op)
    names = ("staticLowerBound", "staticUpperBound", "staticStep")
    lists = [
        selection.mixed(op, name, values)
        for name, values in zip(names, (lower, upper, steps), strict=True)
    ]
    block = body_of(op)
    rank = len(lists[0])
    counters, arguments = list(block.arguments)[:rank], list(block.arguments)[rank:]
    *ops, terminator = (inner.operation for inner in block)

    def iteration(values: list[Passed]) -> list[Passed]:
        for argument, value in zip(arguments, values, strict=True):
            selection.bind_passed(argument, value, op)
        for inner in ops:
            selection.op(inner)
        # An iteration sees what others wrote, but not what it writes itself.
        for insertion in terminator.regions[0].blocks[0]:
            target = insert_slice(selection, insertion.operation)
            selection.bind(insertion.operation.operands[1], target)
        return [selection.passed(argument, op) for argument in arguments]

    starts = [selection.passed(output, op) for output in outputs]
    results = _nest(selection, op, counters, list(zip(*lists, strict=True)), starts, iteration)
    for result, value in zip(op.results, results, strict=True):
        selection.bind_passed(result, value, op)


@lowers("scf.parallel")
def _parallel(selection: Selection, op: ir.Operation) -> None:
    lower, upper, steps, inits = segments(op)
    block = body_of(op)
    *ops, reduce = (inner.operation for inner in block)

    def iteration(values: list[Passed]) -> list[Passed]:
        for inner in ops:
            selection.op(inner)
        return [
            _combined(selection, reduce, region, value, operand)
            for region, value, operand in zip(reduce.regions, values, reduce.operands, strict=True)
        ]

    bounds: list[_Bounds] = list(zip(lower, upper, steps, strict=True))
    starts = [selection.passed(init, op) for init in inits]
    results = _nest(selection, op, list(block.arguments), bounds, starts, iteration)
    for result, value in zip(op.results, results, strict=True):
        selection.bind_passed(result, value, op)


def _combined(
    selection: Selection, reduce: ir.Operation, region: ir.Region, value: Passed, operand: ir.Value
) -> Passed:
    """Appends what a reduction makes of its value so far and one operand."""
    so_far, new = region.blocks[0].arguments
    selection.bind_passed(so_far, value, reduce)
    selection.bind_passed(new, selection.passed(operand, reduce), reduce)
    steps, (combined,) = selection.block(region.blocks[0])
    selection.steps += steps
    if isinstance(value, Slot) and isinstance(combined, Slot):
        return held_in(selection, reduce, combined, value.shape, value.extents)
    return combined


def _nest(
    selection: Selection,
    op: ir.Operation,
    counters: Sequence[Key],
    bounds: Sequence[_Bounds],
    starts: Sequence[Passed],
    iteration: Callable[[list[Passed]], list[Passed]],
) -> list[Passed]:
    """Appends one loop a counter around `iteration`, which gets the carried values and returns the
    next ones; the values behind the loops."""
    if not counters:
        return iteration(list(starts))
    arguments: list[Passed] = [_like(start) for start in starts]
    (lower, upper, by), *inner = bounds
    with selection.nested() as steps:
        yielded = _nest(selection, op, counters[1:], inner, arguments, iteration)
    results: list[Passed] = [
        argument if isinstance(argument, Slot) else _like(argument) for argument in arguments
    ]
    carried, scalars = carried_values(arguments, starts, yielded, results)
    loop = Loop(op.location, lower, upper, by, counters[0], carried, scalars, steps)
    selection.append(loop)
    return results


def _like(value: Passed) -> Passed:
    """A new slot or scalar for a carried value."""
    if value is None:
        return None
    if isinstance(value, Slot):
        return dataclasses.replace(value)
    assert isinstance(value, (ir.Value, Made))
    return Made("a value that a loop carries", value.type)
