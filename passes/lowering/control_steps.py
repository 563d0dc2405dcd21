"""The steps of control flow: loops and branches, with what they carry and yield.

Owns their data. Tensors are slots: a loop carries one in a slot that holds it inside and behind the
loop. Scalars stay SSA values, named by keys.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ktir.mlir import ir
from ktir.passes.lowering.index import Index, Key
from ktir.passes.lowering.steps import Slot, Step


@dataclasses.dataclass(frozen=True)
class Carried:
    """A tensor that a loop carries: `slot` holds it inside and after the loop, `init` before the
    first iteration, `yielded` at the end of each."""

    slot: Slot
    init: Slot
    yielded: Slot


@dataclasses.dataclass(frozen=True)
class CarriedScalar:
    """A scalar that a loop carries: `argument` inside, `result` behind it."""

    argument: Key
    init: Index
    yielded: Index
    result: Key


@dataclasses.dataclass(eq=False)
class Loop(Step):
    """A counted loop, an `scf.for` with these attributes."""

    lower: Index
    upper: Index
    by: Index
    counter: Key
    carried: tuple[Carried, ...]
    scalars: tuple[CarriedScalar, ...]
    body: list[Step]
    attributes: Mapping[str, ir.Attribute] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Joined:
    """A tensor that a branch yields: `slot` is the result, the others what each side yields."""

    slot: Slot
    then: Slot
    otherwise: Slot


@dataclasses.dataclass(frozen=True)
class JoinedScalar:
    """A scalar that a branch yields."""

    result: Key
    then: Index
    otherwise: Index


@dataclasses.dataclass(eq=False)
class Branch(Step):
    """An `scf.if`. Without an else, `otherwise` is empty."""

    condition: Key
    joined: tuple[Joined, ...]
    scalars: tuple[JoinedScalar, ...]
    then: list[Step]
    otherwise: list[Step]


@dataclasses.dataclass(frozen=True)
class PassedOn:
    """A tensor that the condition of a while loop passes on: `slot` holds it in the second region
    and behind the loop, `passed` is what the first region passes."""

    slot: Slot
    passed: Slot


@dataclasses.dataclass(frozen=True)
class PassedScalar:
    """A scalar that the condition of a while loop passes on: to `argument` of the second region and
    to the `result`."""

    argument: Key
    passed: Index
    result: Key


@dataclasses.dataclass(eq=False)
class While(Step):
    """An `scf.while`: `before` decides by `condition` and passes values on, `after` is the body.

    `carried` are slots at the start of `before`, yielded by `after`; `result` of a carried scalar
    has no meaning.
    """

    carried: tuple[Carried, ...]
    scalars: tuple[CarriedScalar, ...]
    before: list[Step]
    condition: Key
    passed: tuple[PassedOn, ...]
    passed_scalars: tuple[PassedScalar, ...]
    after: list[Step]
