"""Numbers and conditions of the coordinates of a tile's elements, computed when the program runs.

Owns what no list of a transfer can say: an expression becomes a slot of coordinates, a condition
one of marks, which a transfer takes as one more coordinate, or of which a check says that none is
set.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ktir.mlir import ir
from ktir.passes.ir_utils import identity_map
from ktir.passes.lowering.affine import add, as_expression, constant, scale, substitute
from ktir.passes.lowering.bodies import counter, made
from ktir.passes.lowering.coordinates import ByMap, ByTable, Coordinate, Shape
from ktir.passes.lowering.index import Index, Key, Made, Test
from ktir.passes.lowering.indices import (
    index_table,
    write_comparison,
    write_constant,
    write_expression,
)
from ktir.passes.lowering.local_access import local_access
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.sets import Constraint
from ktir.passes.lowering.steps import (
    Arguments,
    Compute,
    Constant,
    Extract,
    Load,
    Slot,
    Via,
    for_each,
)

if TYPE_CHECKING:
    from ktir.passes.lowering.views import Inside


@dataclasses.dataclass(frozen=True)
class Condition:
    """`expr >= 0`, or with `equal` `expr == 0`, of the dimensions of an `Elements`."""

    expr: ir.AffineExpr
    equal: bool


class Elements:
    """The coordinates of the elements of a buffer of `shape`, in the bodies of compute steps;
    `extents` are its sizes where some are values.

    Its dimensions, in which conditions are stated, are first the counters of the buffer, then what
    is read or listed, then scalars of the kernel, as they come up.
    """

    def __init__(
        self,
        selection: Selection,
        op: ir.Operation,
        shape: tuple[int, ...],
        coordinates: Sequence[Coordinate],
        extents: tuple[Index, ...] = (),
    ) -> None:
        self._selection = selection
        self._op = op
        self._shape = shape
        self._extents = extents
        self._slots: list[Slot] = []
        self._maps: list[ir.AffineMap] = []
        self._casts: list[str] = []
        self._values: list[Key] = []
        inner = [self._inner(coordinate) for coordinate in coordinates]
        self._first_value = len(shape) + len(self._slots)
        self.coordinates = [
            add(self.of(coordinate.offset), expr)
            for coordinate, expr in zip(coordinates, inner, strict=True)
        ]

    def of(self, index: Index) -> ir.AffineExpr:
        """A scalar of the kernel as an expression."""
        expr = as_expression(self._selection.plain(index, self._op), self._values)
        behind = [ir.AffineExpr.get_dim(self._first_value + at) for at in range(len(self._values))]
        return substitute(expr, behind)

    def below(self, dim: int, size: Index) -> list[Condition]:
        """That a coordinate is in [0, size)."""
        at = self.coordinates[dim]
        last = add(add(self.of(size), scale(at, -1)), constant(-1))
        return [Condition(at, equal=False), Condition(last, equal=False)]

    def holds(self, constraint: Constraint, symbols: Sequence[Index]) -> Condition:
        """A constraint on all coordinates."""
        values = [self.of(symbol) for symbol in symbols]
        return Condition(substitute(constraint.expr, self.coordinates, values), constraint.equal)

    def marks(self, groups: Sequence[Sequence[Condition]]) -> Slot:
        """Appends what fills a slot with 0 where all conditions of exactly one of `groups` hold,
        and 1 elsewhere."""

        def mark(dims: Mapping[int, ir.Value]) -> ir.Value:
            number = ir.IntegerType.get_signless(32)
            held = [made("arith.extui", number, _all(group, dims)) for group in groups]
            count = functools.reduce(lambda a, b: made("arith.addi", number, a, b), held)
            one = write_constant(ir.IntegerAttr.get(number, 1))
            return made("arith.extui", _mark(), write_comparison("ne", count, one))

        return self._filled("marks", _mark(), mark)

    def unmet(self, given: Sequence[Condition], wanted: Sequence[Condition]) -> Slot:
        """Appends what fills a slot with 1 where all of `given` hold but not all of `wanted`, and 0
        elsewhere."""
        truth = ir.IntegerType.get_signless(1)

        def mark(dims: Mapping[int, ir.Value]) -> ir.Value:
            true = write_constant(ir.IntegerAttr.get(truth, 1))
            lacks = made("arith.xori", truth, _all(wanted, dims), true)
            return made("arith.extui", _mark(), made("arith.andi", truth, _all(given, dims), lacks))

        return self._filled("marks", _mark(), mark)

    def numbers(self, expr: ir.AffineExpr) -> Slot:
        """Appends what fills a slot of i64 with an expression of the dimensions."""
        number = ir.IntegerType.get_signless(64)
        return self._filled(
            "coordinates",
            number,
            lambda dims: made("arith.index_cast", number, write_expression(expr, dims)),
        )

    def _filled(
        self, what: str, type_: ir.Type, value: Callable[[Mapping[int, ir.Value]], ir.Value]
    ) -> Slot:
        """A slot with what `value` builds from the dimensions, which are indices."""
        slot = Slot(f"{what} of {self._op.name}", self._shape, type_, self._extents)

        def build(arguments: Arguments) -> list[ir.Value]:
            inputs, scalars, _ = arguments
            counters = [counter(dim) for dim in range(len(self._shape))]
            found = [_cast(cast, number) for cast, number in zip(self._casts, inputs, strict=True)]
            return [value(dict(enumerate([*counters, *found, *scalars])))]

        self._selection.append(
            for_each(
                self._op.location,
                slot,
                build,
                inputs=self._slots,
                maps=self._maps,
                scalars=self._values,
            )
        )
        return slot

    def _inner(self, coordinate: Coordinate) -> ir.AffineExpr:
        """The part of a coordinate that each element has of its own."""
        if isinstance(coordinate.inner, ByMap):
            return coordinate.inner.expr
        rank = len(self._shape)
        if isinstance(coordinate.inner, ByTable):
            number = ir.IntegerType.get_signless(64)
            slot = Slot(f"coordinates of {self._op.name}", self._shape, number)
            table = index_table(coordinate.inner.table)
            self._selection.append(Constant(self._op.location, slot, table))
            return self._input(slot, identity_map(rank))
        places = ir.AffineMap.get(rank, 0, list(coordinate.inner.places))
        slot = coordinate.inner.slot
        if places.is_projected_permutation and _signless(slot.element) == slot.element:
            return self._input(slot, places)
        return self._input(self._spread(slot, places), identity_map(rank), _is_unsigned(slot))

    def _spread(self, slot: Slot, places: ir.AffineMap) -> Slot:
        """A slot with the bits of the element of another for every element of the buffer."""
        rank = len(self._shape)
        found = Slot(
            f"elements of {slot.name}", self._shape, _signless(slot.element), self._extents
        )
        via = [Via(None, ir.AffineMap.get(rank, 0, [expr])) for expr in places.results]
        access = local_access(self._selection, slot, self._shape, via)
        self._selection.append(Load(self._op.location, found, access))
        return found

    def _input(self, slot: Slot, map_: ir.AffineMap, unsigned: bool = False) -> ir.AffineExpr:
        self._casts.append("arith.index_castui" if unsigned else "arith.index_cast")
        self._slots.append(slot)
        self._maps.append(map_)
        return ir.AffineExpr.get_dim(len(self._shape) + len(self._slots) - 1)


def refuse_marks(selection: Selection, op: ir.Operation, marks: Slot, message: str) -> None:
    """Appends a check that no mark is set; `message` says what one means."""
    rank = len(marks.shape)
    index = ir.IndexType.get()
    count = Slot(f"the number of {marks.name}", (1,), index)
    selection.fill(count, ir.IntegerAttr.get(index, 0), op)

    def build(arguments: Arguments) -> list[ir.Value]:
        (mark,), _, (so_far,) = arguments
        return [made("arith.addi", index, so_far, made("arith.index_castui", index, mark))]

    still = ir.AffineMap.get(rank, 0, [constant(0)])
    selection.append(
        Compute(
            location=op.location,
            engine="vector",
            inputs=(marks,),
            scalars=(),
            outputs=(count,),
            maps=(identity_map(rank), still),
            iterators=("reduction",) * rank,
            body=build,
            accumulates=True,
        )
    )
    found = Made("a number of marks", index)
    selection.append(Extract(op.location, count, (0,), found))
    selection.require(Test("eq", found, 0), message, op)


def require_inside(
    selection: Selection,
    op: ir.Operation,
    inside: Inside,
    shape: tuple[int, ...],
    extents: tuple[Index, ...],
) -> None:
    """Appends what makes it a fault that a coordinate is not below its size, where that is not
    known, in a buffer of `shape` and `extents` that `op` accesses."""
    left = [
        dim
        for dim, (coordinate, size) in enumerate(zip(inside.coordinates, inside.sizes, strict=True))
        if not is_inside(selection, coordinate, size, extents or shape)
    ]
    if not left:
        return
    elements = Elements(selection, op, shape, inside.coordinates, extents)
    marks = elements.marks([[c for dim in left for c in elements.below(dim, inside.sizes[dim])]])
    message = (
        f"a coordinate in one of the dimensions {left} of a part of a view is outside the view"
    )
    refuse_marks(selection, op, marks, message)


def is_inside(selection: Selection, coordinate: Coordinate, size: Index, shape: Shape) -> bool:
    """Whether it is known that a coordinate is below a size."""
    inner = coordinate.inner
    walked = inner.expr if isinstance(inner, ByMap) else None
    is_whole = isinstance(walked, ir.AffineDimExpr) and shape[walked.position] == size
    if is_whole and coordinate.offset == 0:
        return True
    known = [extent for extent in shape if isinstance(extent, int)]
    if len(known) < len(shape):
        return False
    span, offsets = coordinate.span(known), selection.ranges.of(coordinate.offset)
    ends = selection.ranges.of(size)
    if span is None or offsets is None or ends is None:
        return False
    return all(
        low + span[0] >= 0 and high + span[1] < least
        for (low, high), (least, _) in zip(offsets, ends, strict=True)
    )


def _mark() -> ir.Type:
    return ir.IntegerType.get_signless(8)


def _cast(name: str, value: ir.Value) -> ir.Value:
    """A number from memory as an index."""
    index = ir.IndexType.get()
    return value if value.type == index else made(name, index, value)


def _signless(element: ir.Type) -> ir.Type:
    """The type of the same bits that `arith` computes with."""
    is_plain = isinstance(element, ir.IndexType) or ir.IntegerType(element).is_signless
    return element if is_plain else ir.IntegerType.get_signless(ir.IntegerType(element).width)


def _is_unsigned(slot: Slot) -> bool:
    element = slot.element
    return not isinstance(element, ir.IndexType) and ir.IntegerType(element).is_unsigned


def _all(group: Sequence[Condition], dims: Mapping[int, ir.Value]) -> ir.Value:
    """Whether all conditions hold, as i1."""
    truth = ir.IntegerType.get_signless(1)
    zero = write_constant(ir.IntegerAttr.get(ir.IndexType.get(), 0))
    found = [
        write_comparison("eq" if c.equal else "sge", write_expression(c.expr, dims), zero)
        for c in group
    ]
    true = write_constant(ir.IntegerAttr.get(truth, 1))
    return functools.reduce(lambda a, b: made("arith.andi", truth, a, b), found, true)
