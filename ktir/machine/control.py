"""Control flow: `scf.for`, `scf.if`, `scf.while`, `scf.forall` and regions that run once.

Where all cores agree, a loop is a Python loop over decoded steps. Where bounds or conditions differ
by core, the body runs for the group of cores that are active, in a frame of its own with the values
it reads narrowed to them; results are merged.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import MachineError
from ktir.machine.block import Block, Step
from ktir.machine.decode import Scope, decode_region, handler, scalar_type, terminators
from ktir.machine.frame import Frame, merge, narrow, put, steady
from ktir.machine.iteration import Iteration
from ktir.machine.kernel_state import KernelScope
from ktir.machine.numerics import dtype_of
from ktir.machine.stacked import Stack
from ktir.mlir import ir

terminators("scf.yield", "scf.condition")

_CHUNK = 1024
"""Iterations whose induction values are made at a time."""


def run_group(
    frame: Frame, block: Block, active: Tensor, arguments: Sequence[Any], captured: Sequence[int]
) -> list[Any]:
    """Runs `block` for the cores at positions `active` of the frame's group.

    `arguments` are values for those cores; `captured` are slots of `frame` that the block reads.
    Returns the block's results for those cores.
    """
    inner = frame.narrowed(active, captured)
    for slot, value in zip(block.arguments, arguments, strict=True):
        inner[slot] = value
    block.run(inner)
    return [inner[slot] for slot in block.results]


class _Scattered:
    """Values of a few slots, kept by group of cores, while groups split further."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._parts: list[tuple[Tensor, list[Any]]] = []

    def add(self, positions: Tensor, values: Sequence[Any]) -> None:
        """Notes the values of the cores at `positions`."""
        if positions.shape[0]:
            self._parts.append((positions, list(values)))

    def merged(self) -> list[Any]:
        """One value a slot for all cores."""
        count = len(self._parts[0][1]) if self._parts else 0
        return [
            merge([(p, values[i]) for p, values in self._parts], self._size) for i in range(count)
        ]


@handler("scf.for")
def decode_for(op: Any, scope: Scope) -> Step:
    """A counted loop. Zero or fewer iterations leave the initial values."""
    low, high, step = scope.slots([op.operands[0], op.operands[1], op.operands[2]])
    initial = scope.slots(list(op.operands)[3:])
    dtype = dtype_of(scalar_type(op.operands[0].type))
    with _iteration(scope) as iteration:
        block = decode_region(op.regions[0], scope)
    results = scope.define_all(list(op.results))
    stack = Stack.of(op, iteration)
    uniform, divergent = _uniform_for(block, dtype, stack), _divergent_for(block, stack)

    def run(frame: Frame) -> None:
        bounds = (frame[low], frame[high], frame[step])
        carried = [frame[slot] for slot in initial]
        if all(bound.shape[0] == 1 for bound in bounds):
            carried = uniform(frame, bounds, carried)
        else:
            carried = divergent(frame, bounds, carried)
        put(frame, results, carried)

    return run


def _iteration(scope: Scope) -> contextlib.AbstractContextManager[Iteration | None]:
    """What a body decoded inside does to the scratchpad of a kernel; None outside kernels."""
    return scope.iteration() if isinstance(scope, KernelScope) else contextlib.nullcontext()


def _uniform_for(block: Block, dtype: torch.dtype, stack: Stack | None) -> Any:
    induction, *arguments = block.arguments
    yields = block.results
    body = block.run

    def run(frame: Frame, bounds: tuple[Tensor, ...], carried: list[Any]) -> list[Any]:
        low, high, step = (int(bound) for bound in bounds)
        if stack is not None:
            trips = -((low - high) // _positive(step))
            low += step * stack.run(frame, block, bounds[0], bounds[2], trips)
        for value in _inductions(low, high, _positive(step), dtype):
            frame[induction] = value
            for slot, item in zip(arguments, carried, strict=True):
                frame[slot] = item
            body(frame)
            carried = steady([frame[slot] for slot in yields])
        return carried

    return run


def _positive(step: int) -> int:
    if step <= 0:
        raise MachineError(f"the step of a loop must be positive, it is {step}")
    return step


def _inductions(low: int, high: int, step: int, dtype: torch.dtype) -> Iterator[Tensor]:
    """The values of the induction variable, [1] each."""
    for begin in range(low, high, step * _CHUNK):
        end = min(high, begin + step * _CHUNK)
        yield from torch.split(torch.arange(begin, end, step, dtype=dtype), 1)


def _divergent_for(block: Block, stack: Stack | None) -> Any:
    """Bounds that differ by core: iteration k runs for the cores that have one."""

    def run(frame: Frame, bounds: tuple[Tensor, ...], carried: list[Any]) -> list[Any]:
        size = frame.group.size
        low, high, step = (bound.expand(size) for bound in bounds)
        _positive(int(step.min()))
        trips = ((high - low + step - 1) // step).clamp(min=0)
        done = _Scattered(size)
        active, finished = torch.arange(size), 0
        # Between two counts that occur, the active group does not change.
        for count in sorted(set(trips.tolist())):
            if count > finished:
                first = low[active] + finished * step[active]
                carried = _iterate(
                    frame, block, stack, active, first, step[active], count - finished, carried
                )
                finished = count
            leaving = trips[active] == count
            gone, left = leaving.nonzero().flatten(), (~leaving).nonzero().flatten()
            done.add(active[gone], [narrow(value, gone) for value in carried])
            carried = [narrow(value, left) for value in carried]
            active = active[left]
        return done.merged()

    return run


def _iterate(
    frame: Frame,
    block: Block,
    stack: Stack | None,
    active: Tensor,
    first: Tensor,
    step: Tensor,
    count: int,
    carried: list[Any],
) -> list[Any]:
    """`count` iterations for one group of cores; induction values start at `first`, one a core."""
    everyone = active.shape[0] == frame.group.size
    inner = frame if everyone else frame.narrowed(active, block.captured)
    induction, *arguments = block.arguments
    done = 0 if stack is None else stack.run(inner, block, first, step, count)
    for k in range(done, count):
        inner[induction] = first + k * step
        for slot, item in zip(arguments, carried, strict=True):
            inner[slot] = item
        block.run(inner)
        carried = steady([inner[slot] for slot in block.results])
    return carried


@handler("scf.if")
def decode_if(op: Any, scope: Scope) -> Step:
    """A branch; a missing else does nothing."""
    condition = scope.slot(op.operands[0])
    arms = [decode_region(region, scope) for region in op.regions]
    if len(arms) == 1:
        arms.append(Block((), (), {}, (), ()))
    if_true, if_false = arms
    results = scope.define_all(list(op.results))

    def run(frame: Frame) -> None:
        chosen = frame[condition]
        if chosen.shape[0] == 1:
            arm = if_true if bool(chosen) else if_false
            arm.run(frame)
            values = [frame[slot] for slot in arm.results]
        else:
            values = _both_arms(frame, chosen, if_true, if_false)
        put(frame, results, values)

    return run


def _both_arms(frame: Frame, chosen: Tensor, if_true: Block, if_false: Block) -> list[Any]:
    done = _Scattered(frame.group.size)
    for arm, active in ((if_true, chosen), (if_false, ~chosen)):
        positions = active.nonzero().flatten()
        if positions.shape[0] == frame.group.size:
            arm.run(frame)
            return [frame[slot] for slot in arm.results]
        if positions.shape[0]:
            done.add(positions, run_group(frame, arm, positions, (), arm.captured))
    return done.merged()


@handler("scf.index_switch")
def decode_switch(op: Any, scope: Scope) -> Step:
    """The arm of the case that an index names, else the default."""
    which = scope.slot(op.operands[0])
    cases = list(ir.DenseI64ArrayAttr(op.attributes["cases"]))
    default, *named = [decode_region(region, scope) for region in op.regions]
    arms = list(zip(cases, named, strict=True))
    results = scope.define_all(list(op.results))

    def run(frame: Frame) -> None:
        put(frame, results, _switched(frame, frame[which], arms, default))

    return run


def _switched(
    frame: Frame, which: Tensor, arms: Sequence[tuple[int, Block]], default: Block
) -> list[Any]:
    """The results of the first arm whose case a core's index is; the other cores go on."""
    if not arms:
        default.run(frame)
        return [frame[slot] for slot in default.results]
    (case, arm), *rest = arms
    chosen = which == case
    if chosen.shape[0] == 1 or bool(chosen.all()):
        if not bool(chosen[0]):
            return _switched(frame, which, rest, default)
        arm.run(frame)
        return [frame[slot] for slot in arm.results]
    done = _Scattered(frame.group.size)
    for number, block in (*arms, (None, default)):
        taken = which == number if number is not None else _none_of(which, arms)
        positions = taken.nonzero().flatten()
        if positions.shape[0]:
            done.add(positions, run_group(frame, block, positions, (), block.captured))
    return done.merged()


def _none_of(which: Tensor, arms: Sequence[tuple[int, Block]]) -> Tensor:
    return torch.stack([which != case for case, _ in arms]).all(0)


@handler("scf.while")
def decode_while(op: Any, scope: Scope) -> Step:
    """A loop with a condition: the first region decides and passes values to the second."""
    initial = scope.slots(list(op.operands))
    before = decode_region(op.regions[0], scope)
    after = decode_region(op.regions[1], scope)
    results = scope.define_all(list(op.results))

    def run(frame: Frame) -> None:
        values = _while(frame, before, after, [frame[slot] for slot in initial])
        put(frame, results, values)

    return run


def _while(frame: Frame, before: Block, after: Block, carried: list[Any]) -> list[Any]:
    size = frame.group.size
    active = torch.arange(size)
    done = _Scattered(size)
    while active.shape[0]:
        condition, *passed = run_for(frame, before, active, carried)
        going = condition.expand(active.shape[0])
        stay, leave = going.nonzero().flatten(), (~going).nonzero().flatten()
        done.add(active[leave], [narrow(value, leave) for value in passed])
        active = active[stay]
        if active.shape[0]:
            passed = [narrow(value, stay) for value in passed]
            carried = steady(run_for(frame, after, active, passed))
    return done.merged()


def run_for(frame: Frame, block: Block, active: Tensor, arguments: Sequence[Any]) -> list[Any]:
    """Runs a block for the cores at positions `active`; in the frame itself if they are all."""
    if active.shape[0] < frame.group.size:
        return run_group(frame, block, active, arguments, block.captured)
    for slot, value in zip(block.arguments, arguments, strict=True):
        frame[slot] = value
    block.run(frame)
    return [frame[slot] for slot in block.results]


@handler("scf.execute_region")
def decode_execute_region(op: Any, scope: Scope) -> Step:
    """A region that runs once, in place."""
    block = decode_region(op.regions[0], scope)
    for result, slot in zip(op.results, block.results, strict=True):
        scope.alias(result, slot)
    return block.run
