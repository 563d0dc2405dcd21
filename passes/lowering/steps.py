"""A kernel as a tree of steps on slots: what `sdf` will do, before anything has an address.

Owns the data between selection (which steps a KTIR op becomes), liveness (when a slot lives),
placement (where it lies) and emission (which `sdf` op a step becomes). Nothing here decides.
Control flow has its steps in `control_steps`, indices theirs in `index`.

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
from ktir.passes.ir_utils import identity_map
from ktir.passes.lowering.index import Index, Key


@dataclasses.dataclass(eq=False)
class Slot:
    """A tensor value that needs a place; `name` is for people, `shape` is static.

    A tensor of open size has the least shape that is sure to hold it, and its own sizes in
    `extents`, which are empty if all of the shape counts.
    """

    name: str
    shape: tuple[int, ...]
    element: ir.Type
    extents: tuple[Index, ...] = ()

    @property
    def sizes(self) -> tuple[Index, ...]:
        """The sizes of the tensor, of which some may be values."""
        return self.extents or self.shape

    @property
    def size(self) -> int:
        """Bytes in the default layout, rows padded to whole sticks."""
        return padded_bytes(self.shape, str(self.element))


def extents_in(shape: tuple[int, ...], sizes: Sequence[Index]) -> tuple[Index, ...]:
    """The extents of a slot of this shape for a tensor of these sizes."""
    found = tuple(sizes)
    return () if found == shape else found


Inner = ir.AffineMap | ir.DenseElementsAttr
"""A part of a coordinate that follows from the place in the buffer: the value of a map of it, or
the entry there of a table of the buffer's shape."""


@dataclasses.dataclass(frozen=True)
class Via:
    """How one coordinate of memory follows from the element of the tile: as `inner` says, or with
    `index` the element of that slot at the place that the map `inner` names."""

    index: Slot | None
    inner: Inner


@dataclasses.dataclass(frozen=True)
class Access:
    """Places in memory for a buffer of `shape`: the lists that `sdf.read` states, or with `via`
    `sdf.gather`.

    The memory is the device's, or with `core` the scratchpad of that core. `base` is the address of
    coordinate 0 everywhere, in elements; a slot stands for its own address, from which coordinate 0
    is `shift` elements away. `within` has the first
    legal coordinate and the one after the last of each dimension, or nothing if all are.
    """

    base: Index | Slot
    shape: tuple[int, ...]
    offsets: tuple[Index, ...]
    bounds: tuple[Index, ...]
    strides: tuple[Index, ...]
    via: tuple[Via, ...] = ()
    core: Index | None = None
    within: tuple[int, ...] = ()
    shift: Index = 0

    @property
    def slots(self) -> list[Slot]:
        """Slots that say where the elements are, or hold them."""
        slots = [via.index for via in self.via if via.index is not None]
        return [*slots, self.base] if isinstance(self.base, Slot) else slots


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
    """The scalar `result` is `value`."""

    result: Key
    value: Index | ir.Attribute


@dataclasses.dataclass(eq=False)
class Check(Step):
    """A fault of the program, which `message` names, unless the i1 `condition` is true."""

    condition: Key
    message: str


@dataclasses.dataclass(eq=False)
class Enumerate(Step):
    """The coordinates of the points of a set to `targets`, one slot a dimension: the operands of
    `sdf.points`."""

    targets: tuple[Slot, ...]
    set: ir.Attribute
    order: ir.Attribute
    symbols: tuple[Index, ...]

    def writes(self) -> Sequence[Slot]:
        return self.targets


@dataclasses.dataclass(eq=False)
class CoreId(Step):
    """The coordinates of the core become `results`."""

    results: tuple[Key, ...]


@dataclasses.dataclass(eq=False)
class Load(Step):
    """Memory to `dst`; with `keep`, elements out of bounds stay as they are."""

    dst: Slot
    access: Access
    keep: bool = False

    def reads(self) -> Sequence[Slot]:
        return [*self.access.slots, self.dst] if self.keep else self.access.slots

    def writes(self) -> Sequence[Slot]:
        return (self.dst,)


@dataclasses.dataclass(eq=False)
class Store(Step):
    """`src` to memory; where that is a slot, the elements that are not written stay."""

    src: Slot
    access: Access

    def reads(self) -> Sequence[Slot]:
        return (self.src, *self.access.slots)

    def writes(self) -> Sequence[Slot]:
        return (self.access.base,) if isinstance(self.access.base, Slot) else ()


@dataclasses.dataclass(eq=False)
class Constant(Step):
    """`dst` is filled with the elements of a constant."""

    dst: Slot
    value: ir.DenseElementsAttr

    def writes(self) -> Sequence[Slot]:
        return (self.dst,)


@dataclasses.dataclass(eq=False)
class Allocate(Step):
    """`slot` begins to live, with bytes that nobody has written: what is stored to it stays for as
    long as it is used."""

    slot: Slot

    def writes(self) -> Sequence[Slot]:
        return (self.slot,)


@dataclasses.dataclass(eq=False)
class Compute(Step):
    """A structured op.

    Maps are those of the inputs and then the outputs. `accumulates`: the body reads the outputs.
    The output may overwrite an input in `reusable` in place.
    """

    engine: str
    inputs: tuple[Slot, ...]
    scalars: tuple[Key, ...]
    outputs: tuple[Slot, ...]
    maps: tuple[ir.AffineMap, ...]
    iterators: tuple[str, ...]
    body: Body
    accumulates: bool = False
    reusable: tuple[Slot, ...] = ()

    @property
    def lengths(self) -> tuple[Index, ...]:
        """The length of each loop, if a slot is of open size; else nothing."""
        slots = (*self.inputs, *self.outputs)
        if not any(slot.extents for slot in slots):
            return ()
        found: dict[int, Index] = {}
        for map_, slot in zip(self.maps, slots, strict=True):
            for expr, size in zip(map_.results, slot.sizes, strict=True):
                if isinstance(expr, ir.AffineDimExpr):
                    # All are equal; one that is a value is in the bounds of its buffer.
                    first = found.setdefault(expr.position, size)
                    found[expr.position] = size if isinstance(first, int) else first
        return tuple(found[loop] for loop in range(len(self.iterators)))

    def reads(self) -> Sequence[Slot]:
        return (*self.inputs, *self.outputs) if self.accumulates else self.inputs

    def writes(self) -> Sequence[Slot]:
        return self.outputs


def for_each(
    location: ir.Location,
    result: Slot,
    body: Body,
    *,
    inputs: Sequence[Slot] = (),
    maps: Sequence[ir.AffineMap] = (),
    scalars: Sequence[Key] = (),
    reusable: Sequence[Slot] = (),
) -> Compute:
    """A structured op that computes every element of `result` by itself; `maps` say where each of
    the inputs is read."""
    rank = len(result.shape)
    return Compute(
        location=location,
        engine="vector",
        inputs=tuple(inputs),
        scalars=tuple(scalars),
        outputs=(result,),
        maps=(*maps, identity_map(rank)),
        iterators=("parallel",) * rank,
        body=body,
        reusable=tuple(reusable),
    )


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
    sizes: tuple[Index, ...]

    def reads(self) -> Sequence[Slot]:
        return (self.src,)

    def writes(self) -> Sequence[Slot]:
        return (self.dst,)


@dataclasses.dataclass(eq=False)
class Extract(Step):
    """One element of `src` becomes the scalar `result`."""

    src: Slot
    indices: tuple[Index, ...]
    result: Key

    def reads(self) -> Sequence[Slot]:
        return (self.src,)


@dataclasses.dataclass(eq=False)
class Publish(Step):
    """The cores `producers` make `sources` visible to others; `future` stands for that."""

    sources: tuple[Slot, ...]
    producers: tuple[int, ...]
    future: Key

    def reads(self) -> Sequence[Slot]:
        return self.sources


@dataclasses.dataclass(eq=False)
class Receive(Step):
    """Fills `targets` with what core `source` published as `publish`.

    The published slots stay alive until here: a core may be late to fetch them.
    """

    targets: tuple[Slot, ...]
    source: Index
    publish: Publish

    def reads(self) -> Sequence[Slot]:
        return self.publish.sources

    def writes(self) -> Sequence[Slot]:
        return self.targets
