"""Views of memory: where the coordinates of a tensor lie, part by part.

Owns the reading of memory views and distributed views: base, bounds and strides of each part, the
core whose scratchpad holds it, and what its coordinate set says beyond bounds. Views of other kinds
enter themselves in `READERS`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from ktir.memory_spaces import EXPECTED, memory_of
from ktir.mlir import ir
from ktir.passes.ir_utils import defining_op
from ktir.passes.lowering.affine import fold, greatest, least, negated, times, total
from ktir.passes.lowering.boxes import Interval
from ktir.passes.lowering.coordinates import Coordinate, Shape
from ktir.passes.lowering.handlers import Handler, lowers
from ktir.passes.lowering.index import Index, Test
from ktir.passes.lowering.parts import check_parts
from ktir.passes.lowering.points import set_of
from ktir.passes.lowering.reserved import reserve
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.sets import Constraint, SetError, points_of
from ktir.passes.lowering.steps import Slot
from ktir.passes.lowering.values import segments


@dataclasses.dataclass(frozen=True)
class Mask:
    """A constraint on the coordinates of a view, with the values of its symbols."""

    constraint: Constraint
    symbols: tuple[Index, ...]


Stated = tuple[Index | None, Index | None]
"""The first coordinate of a dimension and the one after the last, None where a set states none."""


@dataclasses.dataclass(frozen=True)
class Part:
    """Coordinates of a tensor that lie in one memory: from `lower` on, as many as `bounds` says.

    `base` is the address of coordinate `lower` in elements; a slot stands for its own address, from
    which the coordinate is `shift` elements away.
    `core` is the one whose scratchpad the memory is, None for device memory. All indices are
    constants, keys or affine, but for bounds. `lengths` are the sizes of the memory. `sizes` are
    those of the whole view: a coordinate from one of them on is a fault; None where the type leaves
    them open, and where a distributed view does not state them. `is_shared`: other coordinates of
    the view are in other parts, or a fault; else they are masked. `stated` are the first coordinate
    of each dimension and the one after the last as the set says, None where it says nothing; one
    that it has must exist.
    """

    base: Index | Slot
    core: Index | None
    lower: tuple[Index, ...]
    bounds: tuple[Index, ...]
    strides: tuple[Index, ...]
    lengths: tuple[Index, ...]
    masks: tuple[Mask, ...] = ()
    sizes: tuple[Index | None, ...] | None = None
    is_shared: bool = False
    stated: tuple[Stated, ...] = ()
    shift: Index = 0


@dataclasses.dataclass(frozen=True)
class Inside:
    """Coordinates of the elements of a buffer in a view that is made of another one, and its sizes:
    whoever accesses the elements must find them below."""

    coordinates: tuple[Coordinate, ...]
    sizes: tuple[Index, ...]


@dataclasses.dataclass(frozen=True)
class Located:
    """The parts of a view, coordinates in them, and what must be true of those in the views
    between."""

    parts: tuple[Part, ...]
    coordinates: tuple[Coordinate, ...]
    inside: tuple[Inside, ...] = ()

    def within(self, coordinates: Sequence[Coordinate], sizes: Sequence[Index]) -> Located:
        """The same, of a view whose own coordinates are these."""
        more = Inside(tuple(coordinates), tuple(sizes))
        return dataclasses.replace(self, inside=(*self.inside, more))


Reader = Callable[[Selection, ir.Operation, Sequence[Coordinate], Shape], Located]
"""Says what the view that an op makes is, and which of its coordinates the given ones are, those of
the elements of a buffer of these sizes."""

READERS: dict[str, Reader] = {}
"""Readers by op name; filled when the files of the families are imported."""


def _describe(selection: Selection, op: ir.Operation) -> None:
    """Views describe only; what is wrong with one matters to those who use it."""


def _check_sizes(selection: Selection, op: ir.Operation) -> None:
    """A view of fewer than no elements is a fault, used or not."""
    _, sizes, _ = segments(op)
    for dim, size in enumerate(selection.mixed(op, "static_sizes", sizes)):
        known = selection.ranges.of(size)
        if known is None or min(low for low, _ in known) < 0:
            message = f"the size of a view is negative in dimension {dim}; sizes are 0 or more"
            selection.require(Test("sge", size, 0), message, op)


def reads_views(*names: str, made_by: Handler = _describe) -> Callable[[Reader], Reader]:
    """Decorator: makes a function the reader of the views that the ops `names` make; `made_by`
    handles the ops themselves."""

    def enter(reader: Reader) -> Reader:
        for name in names:
            READERS[name] = reader
            lowers(name)(made_by)
        return reader

    return enter


def located(
    selection: Selection,
    user: ir.Operation,
    value: ir.Value,
    coordinates: Sequence[Coordinate],
    shape: Shape,
) -> Located:
    """The parts of the view `value`, and its coordinates as those of the parts: those of the
    elements of a buffer, whose sizes are `shape`.

    Raises UnsupportedError for what is no view.
    """
    op = defining_op(selection.origin(value))
    reader = None if op is None else READERS.get(op.name)
    if op is None or reader is None:
        maker = "an argument of a block" if op is None else f"'{op.name}'"
        raise selection.refusal(
            user, f"its view is made by {maker}; expected 'ktdp.construct_memory_view'"
        )
    return reader(selection, op, coordinates, shape)


@reads_views("ktdp.construct_memory_view", made_by=_check_sizes)
def _single(
    selection: Selection, op: ir.Operation, coordinates: Sequence[Coordinate], shape: Shape
) -> Located:
    """A view of its own: the address is that of coordinate 0 of the tensor."""
    part = _with_elements(selection, op, _part(selection, op))
    shifts = [
        selection.plain(times(low, stride), op)
        for low, stride in zip(part.lower, part.strides, strict=True)
        if low != 0
    ]
    assert not isinstance(part.base, Slot)
    part = dataclasses.replace(part, base=total(part.base, *shifts))
    reserve(selection, op, part)
    return Located((part,), tuple(coordinates))


def _compose(selection: Selection, op: ir.Operation) -> None:
    """Views put together: the address of each is that of its own first coordinate."""
    type_ = ir.MemRefType(op.results[0].type)
    whole = tuple(type_.shape) if type_.has_static_shape else None
    parts: list[tuple[ir.Operation, Part]] = []
    for operand in op.operands:
        maker = defining_op(selection.origin(operand))
        if maker is None or maker.name != "ktdp.construct_memory_view":
            raise selection.refusal(op, "a part is no view made by 'ktdp.construct_memory_view'")
        part = _from_least(selection, maker, _part(selection, maker))
        reserve(selection, maker, part)
        parts.append((maker, dataclasses.replace(part, sizes=whole, is_shared=True)))
    check_parts(selection, op, parts)
    selection.composed[op] = tuple(part for _, part in parts)


@reads_views("ktdp.construct_distributed_memory_view", made_by=_compose)
def _distributed(
    selection: Selection, op: ir.Operation, coordinates: Sequence[Coordinate], shape: Shape
) -> Located:
    return Located(selection.composed[op], tuple(coordinates))


def _part(selection: Selection, op: ir.Operation) -> Part:
    """A memory view as a part whose base is not shifted yet."""
    (base,), sizes, strides = segments(op)
    symbols = [selection.index(size) for size in sizes]
    set_, box = set_of(selection, op, "coordinate_set")
    lengths = selection.mixed(op, "static_sizes", sizes)
    type_ = ir.MemRefType(op.results[0].type)
    lower: list[Index] = []
    bounds: list[Index] = []
    stated: list[Stated] = []
    for interval, length in zip(box.intervals, lengths, strict=True):
        low = selection.plain(_lower(interval, symbols), op)
        lower.append(low)
        bounds.append(_bound(interval, low, length, symbols))
        stated.append((low if interval.lower else None, _end(interval, symbols)))
    return Part(
        base=selection.index(base),
        core=_core(selection, op),
        lower=tuple(lower),
        bounds=tuple(bounds),
        strides=tuple(selection.mixed(op, "static_strides", strides)),
        lengths=tuple(lengths),
        stated=tuple(stated),
        masks=tuple(Mask(rest, tuple(symbols[: set_.symbols])) for rest in box.rest),
        # A constant size that the program gives as a value is as open as any other.
        sizes=tuple(None if type_.is_dynamic_dim(dim) else n for dim, n in enumerate(lengths)),
    )


def _from_least(selection: Selection, op: ir.Operation, part: Part) -> Part:
    """A part of a distributed view with its base at `lower`, whatever the least coordinates of its
    set are: element 0 of the memory is at those."""
    if not part.masks:
        return part
    set_, _ = set_of(selection, op, "coordinate_set")
    symbols = [n for n in part.masks[0].symbols if isinstance(n, int)]
    try:
        if len(symbols) < set_.symbols:
            raise SetError("it depends on values")
        listed = points_of(set_, symbols)
    except SetError as error:
        raise selection.refusal(op, f"its coordinate_set cannot be listed: {error}") from error
    if not len(listed):
        return part
    assert not isinstance(part.base, Slot)
    shifts = [
        selection.plain(times(total(low, -int(least)), stride), op)
        for low, least, stride in zip(part.lower, listed.min(axis=0), part.strides, strict=True)
        if low != int(least)
    ]
    return dataclasses.replace(part, base=total(part.base, *shifts))


def _lower(interval: Interval, symbols: Sequence[Index]) -> Index:
    """The first coordinate of a dimension that a view holds."""
    return greatest([fold(bound, (), symbols) for bound in interval.lower]) if interval.lower else 0


def _end(interval: Interval, symbols: Sequence[Index]) -> Index | None:
    """The coordinate after the last one of a dimension, if the set says which."""
    ends = [total(fold(bound, (), symbols), 1) for bound in interval.upper]
    return least(ends) if ends else None


def _bound(interval: Interval, low: Index, length: Index, symbols: Sequence[Index]) -> Index:
    """How many coordinates a view holds from `low` on, at most as many as its set says."""
    ends: list[Index] = [total(fold(bound, (), symbols), 1) for bound in interval.upper] or [length]
    count = least(ends if low == 0 else [total(end, negated(low)) for end in ends])
    return max(count, 0) if isinstance(count, int) else count


def _with_elements(selection: Selection, op: ir.Operation, part: Part) -> Part:
    """A view that holds no more than its sizes where they are values, whatever its set says."""
    lower, bounds = list(part.lower), list(part.bounds)
    for dim, size in enumerate(part.sizes or ()):
        if size is not None:
            continue
        low = lower[dim]
        first, _ = selection.bounds.of(low)
        if first is None or first < 0:
            lower[dim] = selection.plain(greatest([low, 0]), op)
            # The end of the set stays where it is.
            past = total(low, negated(lower[dim]))
            bounds[dim] = total(selection.plain(bounds[dim], op), past)
        bounds[dim] = least([bounds[dim], total(part.lengths[dim], negated(lower[dim]))])
    return dataclasses.replace(part, lower=tuple(lower), bounds=tuple(bounds))


def _core(selection: Selection, op: ir.Operation) -> Index | None:
    """The core whose scratchpad a view is in; None for device memory."""
    space = op.attributes["memory_space"]
    memory = memory_of(space)
    if memory is None:
        raise selection.refusal(op, f"the memory space is {space}; expected {EXPECTED}")
    if not memory.is_scratchpad:
        return None
    if memory.core is None:
        return selection.own_core()
    if memory.core >= selection.cores:
        raise selection.refusal(
            op,
            f"it is in the scratchpad of core {memory.core}, but the grid has {selection.cores} "
            "cores",
        )
    return memory.core
