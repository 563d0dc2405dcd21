"""A kernel as a tree of steps on slots: what `sdf` will do, before anything has an address.

Owns the data between selection (which steps a KTIR op becomes), liveness (when a slot lives),
placement (where it lies) and emission (which `sdf` op a step becomes). Nothing here decides.

A *slot* is a tensor value that needs a place in the scratchpad. It is written by one step or, for
the values that a loop carries and a branch yields, at the points where control flow joins. A *move*
asks that a slot starts as a copy of another one; where liveness can give both one place, it costs
nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from ktir.layout import padded_bytes
from ktir.mlir import ir


@dataclasses.dataclass(eq=False)
class Slot:
    """A tensor value that needs a place; `name` is for people, `shape` is static."""

    name: str
    shape: tuple[int, ...]
    element: ir.Type

    @property
    def size(self) -> int:
        """Bytes in the default layout, rows padded to whole sticks."""
        return padded_bytes(self.shape, str(self.element))


@dataclasses.dataclass(frozen=True)
class Affine:
    """An affine expression of `operands` (its dimensions, in order) that is no constant and no
    plain operand."""

    expr: ir.AffineExpr
    operands: tuple[ir.Value, ...]


@dataclasses.dataclass(frozen=True)
class Least:
    """The least of several indices."""

    of: tuple[Index, ...]


Index = int | ir.Value | Affine | Least
"""An `index` of the program: a constant, a scalar of the kernel, or computed from scalars."""


@dataclasses.dataclass(frozen=True)
class Via:
    """How one coordinate of device memory follows from the element of the tile: the value of `map`,
    or with `index` the element of that slot at `map`."""

    index: Slot | None
    map: ir.AffineMap


@dataclasses.dataclass(frozen=True)
class Access:
    """Places in device memory for a buffer of `shape`: the lists that `sdf.read` states, or with
    `via` `sdf.gather`."""

    base: ir.Value
    shape: tuple[int, ...]
    offsets: tuple[Index, ...]
    bounds: tuple[Index, ...]
    strides: tuple[Index, ...]
    via: tuple[Via, ...] = ()

    @property
    def index_slots(self) -> list[Slot]:
        return [via.index for via in self.via if via.index is not None]


Arguments = tuple[Sequence[ir.Value], Sequence[ir.Value], Sequence[ir.Value]]
"""The arguments of a compute body: elements of the inputs, scalars, elements of the outputs."""

Body = Callable[[Arguments], list[ir.Value]]
"""Builds a compute body at the current insertion point; returns what it yields."""


@dataclasses.dataclass(eq=False)
class Step:
    """Base of all steps; `location` is that of the op it comes from."""

    location: ir.Location

    def reads(self) -> Sequence[Slot]:
        """Slots whose bytes the step needs."""
        return ()

    def writes(self) -> Sequence[Slot]:
        """Slots that the step writes, in whole or in part."""
        return ()


@dataclasses.dataclass(eq=False)
class Scalar(Step):
    """An op on scalars, kept as it is."""

    op: ir.Operation


@dataclasses.dataclass(eq=False)
class Define(Step):
    """The scalar `result` of the kernel is `value`."""

    result: ir.Value
    value: Index | ir.Attribute


@dataclasses.dataclass(eq=False)
class CoreId(Step):
    """The coordinates of the core become `results`."""

    results: tuple[ir.Value, ...]


@dataclasses.dataclass(eq=False)
class Load(Step):
    """Device memory to `dst`."""

    dst: Slot
    access: Access

    def reads(self) -> Sequence[Slot]:
        return self.access.index_slots

    def writes(self) -> Sequence[Slot]:
        return (self.dst,)


@dataclasses.dataclass(eq=False)
class Store(Step):
    """`src` to device memory."""

    src: Slot
    access: Access

    def reads(self) -> Sequence[Slot]:
        return (self.src, *self.access.index_slots)


@dataclasses.dataclass(eq=False)
class Compute(Step):
    """A structured op.

    Maps are those of the inputs and then the outputs. `accumulates`: the body reads the outputs.
    The output may overwrite an input in `reusable` in place.
    """

    engine: str
    inputs: tuple[Slot, ...]
    scalars: tuple[ir.Value, ...]
    outputs: tuple[Slot, ...]
    maps: tuple[ir.AffineMap, ...]
    iterators: tuple[str, ...]
    body: Body
    accumulates: bool = False
    reusable: tuple[Slot, ...] = ()

    def reads(self) -> Sequence[Slot]:
        return (*self.inputs, *self.outputs) if self.accumulates else self.inputs

    def writes(self) -> Sequence[Slot]:
        return self.outputs


@dataclasses.dataclass(eq=False)
class WholeMove(Step):
    """Base of the steps that fill all of `dst` from all of `src`."""

    src: Slot
    dst: Slot

    def reads(self) -> Sequence[Slot]:
        return (self.src,)

    def writes(self) -> Sequence[Slot]:
        return (self.dst,)


@dataclasses.dataclass(eq=False)
class Move(WholeMove):
    """All of `src` to `dst`, of the same shape; nothing to do if both have one place."""


@dataclasses.dataclass(eq=False)
class Reshape(WholeMove):
    """The elements of `src` in the shape of `dst`; a move if both shapes lie equally in memory."""


@dataclasses.dataclass(eq=False)
class Copy(Step):
    """A rectangle of `src` to a rectangle of `dst`; the rest of `dst` keeps its bytes."""

    src: Slot
    src_offsets: tuple[Index, ...]
    src_strides: tuple[Index, ...]
    dst: Slot
    dst_offsets: tuple[Index, ...]
    dst_strides: tuple[Index, ...]
    sizes: tuple[int, ...]

    def reads(self) -> Sequence[Slot]:
        return (self.src,)

    def writes(self) -> Sequence[Slot]:
        return (self.dst,)


@dataclasses.dataclass(eq=False)
class Extract(Step):
    """One element of `src` becomes the scalar `result`."""

    src: Slot
    indices: tuple[Index, ...]
    result: ir.Value

    def reads(self) -> Sequence[Slot]:
        return (self.src,)


@dataclasses.dataclass(frozen=True)
class Carried:
    """A tensor that a loop carries: `slot` holds it inside and after the loop, `init` before the
    first iteration, `yielded` at the end of each."""

    slot: Slot
    init: Slot
    yielded: Slot


@dataclasses.dataclass(eq=False)
class Loop(Step):
    """An `scf.for`; its scalar iteration arguments stay SSA values."""

    op: ir.Operation
    carried: tuple[Carried, ...]
    body: list[Step]


@dataclasses.dataclass(frozen=True)
class Joined:
    """A tensor that a branch yields: `slot` is the result, the others what each side yields."""

    slot: Slot
    then: Slot
    otherwise: Slot


@dataclasses.dataclass(eq=False)
class Branch(Step):
    """An `scf.if`; its scalar results stay SSA values. Without an else, `otherwise` is empty."""

    op: ir.Operation
    joined: tuple[Joined, ...]
    then: list[Step]
    otherwise: list[Step]
