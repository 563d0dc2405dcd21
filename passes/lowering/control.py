"""Selection of control flow: loops that carry tensors and branches that yield them.

Owns `scf.for`, `scf.if`, `scf.while`, `scf.index_switch` and regions that run once. A carried
tensor has one slot inside and behind the loop; scalars stay SSA values. Loops whose iterations are
independent are in `parallel`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import body_of, is_tensor
from ktir.passes.lowering.carried import CarriedSizes, joined_sizes, passed_sizes
from ktir.passes.lowering.control_steps import (
    Branch,
    Carried,
    CarriedScalar,
    Joined,
    JoinedScalar,
    Loop,
    PassedOn,
    PassedScalar,
    While,
)
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.index import Index, Key, Made, Test
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.steps import Slot, Step
from ktir.passes.lowering.values import Passed, is_nothing, nothing


@lowers("scf.for")
def _for(selection: Selection, op: ir.Operation) -> None:
    body = body_of(op)
    lower, upper, by, *inits = op.operands
    counter, *arguments = body.arguments
    starts = [selection.passed(init, op) for init in inits]
    sizes = CarriedSizes(selection, op, starts)
    while True:
        inside = [_carry(selection, argument, sizes, i) for i, argument in enumerate(arguments)]
        steps, yielded = selection.block(body)
        if sizes.settles(yielded):
            break
    fitted = sizes.fit(starts, yielded)
    behind = _behind(selection, op, inside)
    carried, others = carried_values(inside, fitted.starts, fitted.yielded, behind)
    attributes = {name: op.attributes[name] for name in op.attributes}
    selection.append(
        Loop(
            location=op.location,
            lower=lower,
            upper=upper,
            by=by,
            counter=counter,
            carried=carried,
            scalars=(*others, *fitted.scalars),
            body=[*steps, *fitted.steps],
            attributes=attributes,
        )
    )


def _carry(
    selection: Selection, argument: ir.Value, sizes: CarriedSizes, number: int
) -> Slot | ir.Value | None:
    """The slot of a tensor that a loop carries as `argument`, bound to it; a scalar as it is."""
    if not is_tensor(argument):
        return argument
    if is_nothing(argument):
        selection.bind(argument, nothing(argument))
        return None
    slot = sizes.slot(number)
    selection.bind(argument, slot)
    return slot


def _behind(
    selection: Selection, op: ir.Operation, inside: Sequence[Passed]
) -> list[Slot | ir.Value | None]:
    """Binds the results of a loop to the slots that carry them; what each result is."""
    found: list[Slot | ir.Value | None] = []
    for result, value in zip(op.results, inside, strict=True):
        if value is None or isinstance(value, Slot):
            selection.bind_passed(result, value, op)
            found.append(value)
        else:
            found.append(result)
    return found


def carried_values(
    arguments: Sequence[Passed],
    starts: Sequence[Passed],
    yielded: Sequence[Passed],
    results: Sequence[Passed],
) -> tuple[tuple[Carried, ...], tuple[CarriedScalar, ...]]:
    """The tensors and the scalars that a loop carries: inside it, before it, at the end of an
    iteration and behind it. A slot is the same inside and behind."""
    tensors: list[Carried] = []
    scalars: list[CarriedScalar] = []
    for argument, start, end, result in zip(arguments, starts, yielded, results, strict=True):
        if argument is None:
            continue
        if isinstance(argument, Slot):
            assert isinstance(start, Slot)
            assert isinstance(end, Slot)
            tensors.append(Carried(argument, start, end))
        else:
            scalars.append(
                CarriedScalar(_key(argument), _scalar(start), _scalar(end), _key(result))
            )
    return tuple(tensors), tuple(scalars)


def _key(passed: Passed) -> Key:
    assert isinstance(passed, (ir.Value, Made))
    return passed


def _scalar(passed: Passed) -> Index:
    assert passed is not None
    assert not isinstance(passed, Slot)
    return passed


@lowers("scf.if")
def _if(selection: Selection, op: ir.Operation) -> None:
    sides = [
        selection.block(region.blocks[0]) if len(region.blocks) else ([], [])
        for region in op.regions
    ]
    append_branch(selection, op, op.operands[0], sides[0], sides[1])


def append_branch(
    selection: Selection,
    op: ir.Operation,
    condition: Key,
    then: tuple[list[Step], list[Passed]],
    otherwise: tuple[list[Step], list[Passed]],
) -> None:
    """Appends a branch whose sides are steps and what they yield for the results of `op`."""
    joined: list[Joined] = []
    scalars: list[JoinedScalar] = []
    for number, (result, a, b) in enumerate(zip(op.results, then[1], otherwise[1], strict=False)):
        if a is None or b is None:
            selection.bind_passed(result, None, op)
        elif isinstance(a, Slot) and isinstance(b, Slot):
            slot, sizes = joined_sizes(selection, op, (then, otherwise), number)
            selection.bind(result, slot)
            one, other = then[1][number], otherwise[1][number]
            assert isinstance(one, Slot)
            assert isinstance(other, Slot)
            joined.append(Joined(slot, one, other))
            scalars += sizes
        else:
            scalars.append(JoinedScalar(result, _scalar(a), _scalar(b)))
    selection.append(
        Branch(op.location, condition, tuple(joined), tuple(scalars), then[0], otherwise[0])
    )


@lowers("scf.while")
def _while(selection: Selection, op: ir.Operation) -> None:
    before, after = (region.blocks[0] for region in op.regions)
    starts = [selection.passed(init, op) for init in op.operands]
    sizes = CarriedSizes(selection, op, starts)
    while True:
        arguments = enumerate(before.arguments)
        inside = [_carry(selection, argument, sizes, i) for i, argument in arguments]
        deciding, (condition, *passed) = selection.block(before)
        passed_on, passed_with = passed_sizes(selection, inside, passed)
        for place, slot in zip(after.arguments, passed_on, strict=True):
            if is_tensor(place):
                selection.bind_passed(place, slot, op)
        steps, yielded = selection.block(after)
        if sizes.settles(yielded):
            break
    fitted = sizes.fit(starts, yielded)
    kept = [
        argument if slot is not None and not isinstance(slot, Slot) else slot
        for argument, slot in zip(after.arguments, passed_on, strict=True)
    ]
    behind = _behind(selection, op, kept)
    carried, others = carried_values(inside, fitted.starts, fitted.yielded, inside)
    tensors: list[PassedOn] = []
    passing: list[PassedScalar] = []
    for argument, value, result in zip(kept, passed, behind, strict=True):
        if argument is None:
            continue
        if isinstance(argument, Slot):
            assert isinstance(value, Slot)
            tensors.append(PassedOn(argument, value))
        else:
            passing.append(PassedScalar(_key(argument), _scalar(value), _key(result)))
    assert isinstance(condition, ir.Value)
    selection.append(
        While(
            location=op.location,
            carried=carried,
            scalars=(*others, *fitted.scalars),
            before=deciding,
            condition=condition,
            passed=tuple(tensors),
            passed_scalars=(*passing, *passed_with),
            after=[*steps, *fitted.steps],
        )
    )


@lowers("scf.index_switch")
def _index_switch(selection: Selection, op: ir.Operation) -> None:
    """A chain of branches; the default stands at its end."""
    default, *regions = op.regions
    cases = list(ir.DenseI64ArrayAttr(op.attributes["cases"]))
    _switch(selection, op, list(zip(cases, regions, strict=True)), default)


def _switch(
    selection: Selection,
    op: ir.Operation,
    cases: Sequence[tuple[int, ir.Region]],
    default: ir.Region,
) -> list[Passed]:
    """Appends a branch for the first case, with the others in its else; the results."""
    if not cases:
        steps, yielded = selection.block(default.blocks[0])
        selection.steps += steps
        return yielded
    (case, region), *rest = cases
    i1 = ir.IntegerType.get_signless(1)
    test = Test("eq", op.operands[0], case)
    condition = selection.made(test, f"case {case}", op.location, i1)
    then = selection.block(region.blocks[0])
    with selection.nested() as steps:
        yielded = _switch(selection, op, rest, default)
    append_branch(selection, op, condition, then, (steps, yielded))
    return [selection.passed(result, op) for result in op.results]


@lowers("scf.execute_region")
def _execute_region(selection: Selection, op: ir.Operation) -> None:
    if len(op.regions[0].blocks) != 1:
        raise selection.refusal(op, "it has several blocks; use scf for control flow")
    steps, yielded = selection.block(op.regions[0].blocks[0])
    selection.steps += steps
    for result, value in zip(op.results, yielded, strict=True):
        selection.bind_passed(result, value, op)
