"""Control flow inside bodies of structured ops: branches and loops on whole arrays.

Owns what `scf` ops mean there. A condition is an array: both sides of a branch are computed where
some elements take either, and a loop goes on until no element needs it; what an element does not
take part in leaves its values as they are. `active` arrays say who takes part, for ops that may
fault. Decoding is in `structured_decode`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ktir.errors import MachineError
from ktir.machine.body import Body, Program
from ktir.machine.scalar import Meaning

CONTROL = (
    "scf.execute_region",
    "scf.for",
    "scf.if",
    "scf.index_switch",
    "scf.while",
)
"""The ops that may stand in a body."""


@dataclass(frozen=True)
class Region:
    """A block inside a body.

    `body` has the block's arguments as inputs, and captures `active` and then what the block reads
    from around it, of which `around` are the numbers there. `rank` counts the axes of arrays.
    """

    body: Body
    around: tuple[int, ...]
    rank: int

    def evaluator(self, places: Sequence[int]) -> _Evaluate:
        """What the block yields for its arguments, for who is active, and what it reads from around
        it, which is at `places` in a list."""
        body = self.body
        program = Program(body, body.yields)
        template: list[Any] = [None] * len(body.types)
        for number, constant in body.constants.items():
            template[number] = constant.view((1,) * self.rank)
        active, *captured = _in_order(body)

        def evaluate(
            arguments: Sequence[Tensor], who: Tensor, around: Sequence[Tensor]
        ) -> list[Tensor]:
            values = template.copy()
            values[: body.inputs] = arguments
            values[active] = who
            for number, place in zip(captured, places, strict=True):
                values[number] = around[place]
            program.run(values)
            return [values[number] for number in body.yields]

        return evaluate


_Evaluate = Callable[[Sequence[Tensor], Tensor, Sequence[Tensor]], list[Tensor]]


def _in_order(body: Body) -> list[int]:
    """The captured values of a body, scalars and tensors, in the order in which they came up."""
    return sorted((*body.scalars, *body.tensors))


_Compute = Callable[[Tensor, Sequence[Tensor], Sequence[Tensor]], Sequence[Tensor]]
"""Takes who is active, operands, and what regions read from around them."""


def meaning_of(
    name: str, cases: Sequence[int], regions: Sequence[_Evaluate], inits: int, whole: Sequence[bool]
) -> Meaning:
    """What an op means for `active`, its operands, the first `inits` of the arrays, and those that
    its regions read; `whole` says which of these are tensors of their own shape. `cases` are those
    of a switch."""
    compute = _compute_of(name, cases, regions)

    def evaluate(who: Tensor, *arrays: Tensor) -> Any:
        operands, around = arrays[:inits], arrays[inits:]
        others = [x for x, is_whole in zip(around, whole, strict=True) if not is_whole]
        shape = np.broadcast_shapes(*(x.shape for x in (who, *operands, *others)))
        # A side that is not taken may be what changes along a loop.
        found = [x.expand(shape) for x in compute(who, operands, around)]
        return found[0] if len(found) == 1 else tuple(found)

    return evaluate


def _compute_of(name: str, cases: Sequence[int], regions: Sequence[_Evaluate]) -> _Compute:
    if name == "scf.for":
        return _loop(regions[0])
    if name == "scf.while":
        return _while(regions[0], regions[1])
    if name == "scf.if":
        return _branch(regions)
    if name == "scf.index_switch":
        default, *arms = regions
        return _switch(cases, arms, default)
    (region,) = regions
    return lambda who, operands, around: region((), who, around)


def _chosen(where: Tensor, taken: Sequence[Tensor], others: Sequence[Tensor]) -> list[Tensor]:
    return [torch.where(where, a, b) for a, b in zip(taken, others, strict=True)]


def _branch(arms: Sequence[_Evaluate]) -> _Compute:
    def compute(
        who: Tensor, operands: Sequence[Tensor], around: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        (condition,) = operands
        then, otherwise = who & condition, who & ~condition
        if len(arms) == 1 or not bool(otherwise.any()):
            return arms[0]((), then, around)
        if not bool(then.any()):
            return arms[1]((), otherwise, around)
        return _chosen(condition, arms[0]((), then, around), arms[1]((), otherwise, around))

    return compute


def _switch(cases: Sequence[int], arms: Sequence[_Evaluate], default: _Evaluate) -> _Compute:
    def compute(
        who: Tensor, operands: Sequence[Tensor], around: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        (which,) = operands
        left = who & torch.ones_like(which, dtype=torch.bool)
        for case in cases:
            left = left & (which != case)
        found: Sequence[Tensor] = default((), left, around)
        for case, arm in zip(cases, arms, strict=True):
            taken = who & (which == case)
            if bool(taken.any()):
                found = _chosen(which == case, arm((), taken, around), found)
        return found

    return compute


def _loop(body: _Evaluate) -> _Compute:
    def compute(
        who: Tensor, operands: Sequence[Tensor], around: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        low, high, step, *carried = operands
        if bool((who & (step <= 0)).any()):
            raise MachineError(f"the step of a loop must be positive, it is {int(step.min())}")
        at = low
        while bool((going := who & (at < high)).any()):
            found = body([at, *carried], going, around)
            carried = found if bool(going.all()) else _chosen(going, found, carried)
            at = at + step
        return carried

    return compute


def _while(before: _Evaluate, after: _Evaluate) -> _Compute:
    def compute(
        who: Tensor, operands: Sequence[Tensor], around: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        going, carried = who, list(operands)
        condition, *results = before(carried, going, around)
        while bool((again := going & condition).any()):
            found = after(results, again, around)
            carried = found if bool(again.all()) else _chosen(again, found, carried)
            condition, *passed = before(carried, again, around)
            results, going = _chosen(again, passed, results), again
        return results

    return compute
