"""Selection of `memref` ops that see the same elements in other dimensions, or the same memory in
other ones: `transpose`, `expand_shape`, `collapse_shape`, `reinterpret_cast`.

Owns their reading. Where coordinates of the result are sums of those of the source that is all;
what joins dimensions or starts anew changes the part itself, which must then be the view's own.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import defining_op
from ktir.passes.lowering.affine import add, constant, scale, times, total
from ktir.passes.lowering.coordinates import ByMap, Coordinate, Shape
from ktir.passes.lowering.index import Index
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.steps import Slot
from ktir.passes.lowering.values import segments
from ktir.passes.lowering.views import Located, Part, Stated, located, reads_views


@reads_views("memref.transpose")
def _transpose(
    selection: Selection, op: ir.Operation, coordinates: Sequence[Coordinate], shape: Shape
) -> Located:
    """Dimension k of the result is the one that the map's result k names."""
    order = [
        ir.AffineDimExpr(expr).position
        for expr in ir.AffineMapAttr(op.attributes["permutation"]).value.results
    ]
    found = [coordinates[order.index(dim)] for dim in range(len(order))]
    return located(selection, op, op.operands[0], found, shape)


def _groups(op: ir.Operation) -> list[list[int]]:
    groups = ir.ArrayAttr(op.attributes["reassociation"])
    return [[ir.IntegerAttr(d).value for d in ir.ArrayAttr(group)] for group in groups]


@reads_views("memref.expand_shape")
def _expand(
    selection: Selection, op: ir.Operation, coordinates: Sequence[Coordinate], shape: Shape
) -> Located:
    """A coordinate of the source is the row-major number of those it is divided into."""
    _, *values = op.operands
    sizes = selection.mixed(op, "static_output_shape", values)
    found = []
    for group in _groups(op):
        known = [size for size in (sizes[dim] for dim in group[1:]) if isinstance(size, int)]
        if len(known) < len(group) - 1:
            raise selection.refusal(op, "a size other than the first of a group is a value")
        offset: Index = 0
        expr = constant(0)
        for dim in group:
            weight = math.prod(known[len(known) - group[-1] + dim :])
            coordinate = coordinates[dim]
            if not isinstance(coordinate.inner, ByMap):
                if len(group) == 1:
                    break
                raise selection.refusal(op, "a coordinate of a divided dimension is no affine map")
            offset = total(offset, selection.plain(times(coordinate.offset, weight), op))
            expr = add(expr, scale(coordinate.inner.expr, weight))
        else:
            found.append(Coordinate(offset, ByMap(expr)))
            continue
        found.append(coordinates[group[0]])
    return located(selection, op, op.operands[0], found, shape).within(coordinates, sizes)


@reads_views("memref.collapse_shape")
def _collapse(
    selection: Selection, op: ir.Operation, coordinates: Sequence[Coordinate], shape: Shape
) -> Located:
    """Joined dimensions of a view's own part, which must follow on each other."""
    part = _own_part(selection, op, op.operands[0])
    joined = [_joined(selection, op, part, group) for group in _groups(op)]
    lower, bounds, strides, lengths, sizes, stated = (
        zip(*joined, strict=True) if joined else ((),) * 6
    )
    made = dataclasses.replace(
        part,
        lower=lower,
        bounds=bounds,
        strides=strides,
        lengths=lengths,
        sizes=sizes,
        stated=stated,
    )
    return Located((made,), tuple(coordinates))


_Joined = tuple[Index, Index, Index, Index, Index | None, Stated]
"""Lower end, bound, stride, length, size and stated ends of a dimension."""


def _joined(selection: Selection, op: ir.Operation, part: Part, group: Sequence[int]) -> _Joined:
    sizes = part.sizes or part.lengths
    stated = part.stated or ((None, None),) * len(part.lengths)
    longer = [dim for dim in group if part.lengths[dim] != 1] or list(group[-1:])
    last = longer[-1]
    found = (
        part.lower[last],
        part.bounds[last],
        part.strides[last],
        part.lengths[last],
        sizes[last],
        stated[last],
    )
    for dim in reversed(longer[:-1]):
        _, bound, stride, length, *_ = found
        if bound != length or part.lower[dim] != 0 or part.lower[last] != 0:
            raise selection.refusal(op, "dimensions are joined that are not valid as a whole")
        if not isinstance(length, int) or part.strides[dim] != times(stride, length):
            raise selection.refusal(op, "dimensions are joined that do not follow on each other")
        bound, length = (
            selection.plain(times(of[dim], length), op) for of in (part.bounds, part.lengths)
        )
        size = sizes[dim]
        first, end = stated[dim]
        if end is not None:
            end = selection.plain(times(selection.plain(end, op), found[3]), op)
        found = (0, bound, stride, length, None if size is None else length, (first, end))
    return found


@reads_views("memref.reinterpret_cast")
def _reinterpret(
    selection: Selection, op: ir.Operation, coordinates: Sequence[Coordinate], shape: Shape
) -> Located:
    """Other sizes and strides from an offset on, which is counted from the start of the memory,
    whatever part of it the source is."""
    part = _own_part(selection, op, _memory(op.operands[0]))
    _, offsets, sizes, strides = segments(op)
    (offset,) = selection.mixed(op, "static_offsets", offsets)
    lengths = tuple(selection.mixed(op, "static_sizes", sizes))
    if any(low != 0 for low in part.lower):
        raise selection.refusal(op, "the view does not begin at coordinate 0")
    made = dataclasses.replace(
        part,
        base=part.base if isinstance(part.base, Slot) else total(part.base, offset),
        shift=offset if isinstance(part.base, Slot) else 0,
        lower=(0,) * len(lengths),
        bounds=lengths,
        strides=tuple(selection.mixed(op, "static_strides", strides)),
        lengths=lengths,
        sizes=lengths,
    )
    found = Located((made,), tuple(coordinates))
    # A transfer tells what is outside constant sizes.
    is_known = all(isinstance(length, int) for length in lengths)
    return found if is_known else found.within(coordinates, lengths)


def _memory(value: ir.Value) -> ir.Value:
    """The view that a view of a view is made of."""
    op = defining_op(value)
    while op is not None and op.name.startswith("memref.") and len(op.operands):
        value = op.operands[0]
        op = defining_op(value)
    return value


def _own_part(selection: Selection, op: ir.Operation, value: ir.Value) -> Part:
    """The one part of a view whose coordinates are the part's own. Raises UnsupportedError."""
    rank = ir.MemRefType(value.type).rank
    own = tuple(Coordinate(0, ByMap(ir.AffineExpr.get_dim(dim))) for dim in range(rank))
    found = located(selection, op, value, own, ir.MemRefType(value.type).shape)
    (part, *others) = found.parts
    is_whole = all(inside.sizes == part.lengths for inside in found.inside)
    if others or part.masks or found.coordinates != own or not is_whole:
        raise selection.refusal(op, "its source is a part of a view, or no plain view")
    return part
