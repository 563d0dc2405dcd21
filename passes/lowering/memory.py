"""Selection of ktdp loads and stores: views and tiles fold into the lists of a transfer.

A tile is an enumeration of coordinates: the buffer has the dimensions in the order in which they
are visited, and a tensor of another shape is a reshape of it.

Owns the reading of memory views (base, bounds, strides) and access tiles (offsets), and the refusal
of what a transfer cannot express: distributed views, memory other than the device's, sets that are
not boxes. Indirect access tiles are in `indirect`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import defining_op
from ktir.passes.lowering.affine import add, constant, constant_value, fold, scale, total
from ktir.passes.lowering.boxes import Interval, NotABoxError, box_of
from ktir.passes.lowering.index import Index, Least
from ktir.passes.lowering.selection import Selection, lowers, of_shape, reshaped, segments
from ktir.passes.lowering.steps import Access, Load, Reshape, Store

_DEVICE_MEMORY = re.compile(r"#ktdp\.(spyre_memory_space<HBM>|memory_space<global>)")


@lowers("ktdp.construct_memory_view", "ktdp.construct_distributed_memory_view")
def _describe(selection: Selection, op: ir.Operation) -> None:
    """Views describe only; what is wrong with one matters to the tiles of it."""


@lowers("ktdp.construct_access_tile")
def _access_tile(selection: Selection, op: ir.Operation) -> None:
    (base,), indices, symbols = segments(op)
    view = view_of(selection, op, base)
    order = order_of(selection, op, "access_tile_order")
    base_map = ir.AffineMapAttr(op.attributes["base_map"]).value
    at = [selection.index(index) for index in indices]
    origin = [fold(e, at[: base_map.n_dims], at[base_map.n_dims :]) for e in base_map.results]
    lower, extents = box(selection, op, "access_tile_set", symbols)
    offsets = [total(*offset) for offset in zip(origin, lower, strict=True)]
    selection.tiles[op.results[0]] = Access(
        base=view.base,
        shape=tuple(extents[dim] for dim in order),
        offsets=tuple(offsets[dim] for dim in order),
        bounds=tuple(view.bounds[dim] for dim in order),
        strides=tuple(view.strides[dim] for dim in order),
    )


@lowers("ktdp.load")
def _load(selection: Selection, op: ir.Operation) -> None:
    access = selection.tiles[op.operands[0]]
    result = selection.new_slot(op, op.results[0].type)
    part = of_shape(result, access.shape)
    selection.append(Load(op.location, part, access))
    if part is not result:
        selection.append(Reshape(op.location, part, result))
    selection.bind(op.results[0], result)


@lowers("ktdp.store")
def _store(selection: Selection, op: ir.Operation) -> None:
    data, tile = op.operands
    access = selection.tiles[tile]
    part = reshaped(selection, op, selection.slot(data, op), access.shape)
    selection.append(Store(op.location, part, access))


@dataclasses.dataclass(frozen=True)
class View:
    """A view of device memory, one bound and stride a dimension."""

    base: ir.Value
    bounds: tuple[Index, ...]
    strides: tuple[Index, ...]


def view_of(selection: Selection, user: ir.Operation, value: ir.Value) -> View:
    """What the view `value` says. Raises UnsupportedError where no transfer can reach it."""
    op = defining_op(value)
    if op is None or op.name != "ktdp.construct_memory_view":
        maker = "an argument of a block" if op is None else f"'{op.name}'"
        raise selection.refusal(
            user, f"its view is made by {maker}; expected 'ktdp.construct_memory_view'"
        )
    space = str(op.attributes["memory_space"])
    if not _DEVICE_MEMORY.fullmatch(space):
        raise selection.refusal(
            op, f"the memory space is {space}; transfers reach device memory (HBM, global) only"
        )
    (base,), sizes, strides = segments(op)
    symbols = [selection.index(size) for size in sizes]
    bounds = [
        _bound(selection, op, dim, interval, size, symbols)
        for dim, (interval, size) in enumerate(
            zip(
                _intervals(selection, op, "coordinate_set"),
                selection.mixed(op, "static_sizes", sizes),
                strict=True,
            )
        )
    ]
    return View(base, tuple(bounds), tuple(selection.mixed(op, "static_strides", strides)))


def _bound(
    selection: Selection,
    op: ir.Operation,
    dim: int,
    interval: Interval,
    size: Index,
    symbols: Sequence[Index],
) -> Index:
    """The first coordinate of a dimension that a view does not hold."""
    if interval.constant_lower() != 0:
        raise selection.refusal(
            op, f"its coordinate_set does not start at 0 in d{dim}; transfers count bounds from 0"
        )
    if not interval.upper:
        return size
    bounds = [fold(add(bound, constant(1)), (), symbols) for bound in interval.upper]
    known = [bound for bound in bounds if isinstance(bound, int)]
    unknown = [bound for bound in bounds if not isinstance(bound, int)]
    if not unknown:
        return min(known)
    least = (*unknown, min(known)) if known else tuple(unknown)
    return least[0] if len(least) == 1 else Least(least)


def _intervals(selection: Selection, op: ir.Operation, name: str) -> list[Interval]:
    attribute = op.attributes[name]
    try:
        # Kernels name few sets, many times.
        if attribute not in selection.boxes:
            selection.boxes[attribute] = box_of(attribute)
    except NotABoxError as error:
        raise selection.refusal(op, f"its {name} is not a box: {error}") from error
    return selection.boxes[attribute]


def box(
    selection: Selection, op: ir.Operation, name: str, symbols: Sequence[ir.Value]
) -> tuple[list[Index], list[int]]:
    """The lower bounds and the extents of the set `name`, which must be a box of known size."""
    values = [selection.index(symbol) for symbol in symbols]
    lower: list[Index] = []
    extents: list[int] = []
    for dim, interval in enumerate(_intervals(selection, op, name)):
        low, high = _greatest(interval.lower), _least(interval.upper)
        if low is None or high is None:
            raise selection.refusal(
                op, f"its {name} has no bounds, or several symbolic ones, in d{dim}"
            )
        lower.append(fold(low, (), values))
        extent = fold(add(add(high, scale(low, -1)), constant(1)), (), values)
        if not isinstance(extent, int):
            raise selection.refusal(
                op, f"its {name} has a dynamic extent in d{dim}; a buffer needs a static one"
            )
        extents.append(extent)
    return lower, extents


def _greatest(bounds: Sequence[ir.AffineExpr]) -> ir.AffineExpr | None:
    """The greatest bound; None if there is none or it is not known which."""
    values = _constants(bounds)
    return constant(max(values)) if values else bounds[0] if len(bounds) == 1 else None


def _least(bounds: Sequence[ir.AffineExpr]) -> ir.AffineExpr | None:
    values = _constants(bounds)
    return constant(min(values)) if values else bounds[0] if len(bounds) == 1 else None


def _constants(bounds: Sequence[ir.AffineExpr]) -> list[int]:
    """The values of bounds that are all constants, else nothing."""
    values = [constant_value(bound) for bound in bounds]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


def order_of(selection: Selection, op: ir.Operation, name: str) -> list[int]:
    """The dimensions of a set, slowest first, as the order map `name` visits its points."""
    map_ = ir.AffineMapAttr(op.attributes[name]).value
    if not map_.is_permutation:
        raise selection.refusal(op, f"its {name} is {map_}; expected a permutation")
    return [ir.AffineDimExpr(expr).position for expr in map_.results]
