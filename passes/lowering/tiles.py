"""Access tiles, loads and stores: the elements of a buffer, each at a coordinate of a view.

A tile is an enumeration of coordinates: the buffer has the dimensions in the order in which they
are visited, and a tensor of another shape is a reshape of it. Owns direct tiles and the moves
through tiles of any kind; a distributed view needs a transfer for each part. How a part becomes the
lists of a transfer is in `accesses`, indirect tiles are in `indirect`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

from ktir.mlir import ir
from ktir.passes.lowering.accesses import access_of, may_hold
from ktir.passes.lowering.affine import as_expression, constant, fold, total
from ktir.passes.lowering.coordinates import Coordinate
from ktir.passes.lowering.elements import require_inside
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.index import Index, Key
from ktir.passes.lowering.open_views import check_elements
from ktir.passes.lowering.parts import check_held
from ktir.passes.lowering.points import points
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.shapes import held_in, number_of, plain, relaid
from ktir.passes.lowering.steps import Access, Load, Slot, Store
from ktir.passes.lowering.values import is_nothing, is_open, segments
from ktir.passes.lowering.views import Inside, Located, Part, located


@dataclasses.dataclass(frozen=True)
class Tile:
    """Coordinates of a view for a buffer of `shape`; `op` makes the tile.

    `extents` are its sizes where some are values; `limits` see `Points`, `inside` see `Located`.
    """

    op: ir.Operation
    parts: tuple[Part, ...]
    shape: tuple[int, ...]
    coordinates: tuple[Coordinate, ...]
    extents: tuple[Index, ...] = ()
    limits: tuple[tuple[Key, int], ...] = ()
    inside: tuple[Inside, ...] = ()


def tile_of(
    op: ir.Operation,
    places: Located,
    shape: tuple[int, ...],
    extents: tuple[Index, ...] = (),
    limits: tuple[tuple[Key, int], ...] = (),
) -> Tile:
    """The tile of these places, which `op` makes."""
    return Tile(op, places.parts, shape, places.coordinates, extents, limits, places.inside)


@lowers("ktdp.construct_access_tile")
def _access_tile(selection: Selection, op: ir.Operation) -> None:
    (base,), indices, symbols = segments(op)
    found = points(
        selection,
        op,
        "access_tile_set",
        "access_tile_order",
        symbols,
        tile_shape(op),
        # A tile of more points than the view has leaves it.
        stated_shape(ir.MemRefType(base.type)),
    )
    if 0 in found.shape:
        return
    base_map = ir.AffineMapAttr(op.attributes["base_map"]).value
    at = [selection.index(index) for index in indices]
    origin = [fold(e, at[: base_map.n_dims], at[base_map.n_dims :]) for e in base_map.results]
    coordinates = [
        dataclasses.replace(coordinate, offset=total(start, coordinate.offset))
        for start, coordinate in zip(origin, found.coordinates, strict=True)
    ]
    sizes = found.extents or found.shape
    places = located(selection, op, base, coordinates, sizes)
    selection.tiles[op.results[0]] = tile_of(op, places, found.shape, found.extents, found.limits)


def tile_shape(op: ir.Operation) -> tuple[int, ...]:
    """The shape in the type of the access tile that `op` makes; -1 for a size that is not known."""
    return stated_shape(op.results[0].type)


def stated_shape(type_: Any) -> tuple[int, ...]:
    """The sizes that a type states; -1 for one that it leaves open."""
    return tuple(-1 if is_open(size) else size for size in type_.shape)


@lowers("ktdp.load")
def _load(selection: Selection, op: ir.Operation) -> None:
    tile = selection.tiles[selection.origin(op.operands[0])]
    type_ = ir.RankedTensorType(op.results[0].type)
    part = selection.new_slot(op, _type_of(tile.shape, type_.element_type))
    part.extents = tile.extents
    fill(selection, tile, part, op)
    selection.bind(op.results[0], _as_stated(selection, op, part, type_))


def _type_of(shape: tuple[int, ...], element: ir.Type) -> ir.Type:
    return ir.RankedTensorType.get(shape, element)


def _as_stated(
    selection: Selection, op: ir.Operation, slot: Slot, type_: ir.RankedTensorType
) -> Slot:
    """The elements of a tile in the shape of its tensor's type; what a type of another rank leaves
    open follows from the number of elements."""
    shape = stated_shape(type_)
    if -1 not in shape:
        return relaid(selection, op, slot, shape)
    if len(shape) == len(slot.shape):
        return slot
    known = math.prod(size for size in shape if size >= 0)
    if shape.count(-1) != 1 or not known:
        raise selection.refusal(op, "its tensor has another rank than the tile and open sizes")
    number = plain(selection, op, number_of(selection, op, slot.sizes))
    values: list[Key] = []
    quotient = ir.AffineExpr.get_floor_div(as_expression(number, values), constant(known))
    rest = fold(quotient.maybe_downcast(), values)
    room = max(math.prod(slot.shape) // known, 1)
    extents = tuple(rest if size < 0 else size for size in shape)
    return relaid(selection, op, slot, tuple(room if n < 0 else n for n in shape), extents)


def fill(selection: Selection, tile: Tile, slot: Slot, op: ir.Operation) -> None:
    """Appends what fills `slot` with the elements of a tile: one transfer for each part of its view
    that can hold some."""
    for number, access in enumerate(_accesses(selection, tile, op)):
        selection.append(Load(op.location, slot, access, keep=number > 0))
    _see_limits(selection, tile)


def _accesses(selection: Selection, tile: Tile, op: ir.Operation) -> Iterator[Access]:
    """The transfers of a tile: one for each part of its view that can hold some of it, and at least
    one, which tells a fault where no part does."""
    for inside in tile.inside:
        require_inside(selection, op, inside, tile.shape, tile.extents)
    check_held(selection, tile, op)
    check_elements(selection, tile, op)
    held = [part for part in tile.parts if may_hold(selection, tile, part)]
    for part in held or tile.parts[:1]:
        yield access_of(selection, tile, part)


def _see_limits(selection: Selection, tile: Tile) -> None:
    """Notes that a tile has been inside its view, since its elements have been moved."""
    for key, most in tile.limits:
        selection.bounds.see(key, most)


@lowers("ktdp.store")
def _store(selection: Selection, op: ir.Operation) -> None:
    data, value = op.operands
    if is_nothing(data):
        return
    tile = selection.tiles[selection.origin(value)]
    slot = selection.slot(data, op)
    change = held_in if len(slot.shape) == len(tile.shape) and tile.extents else relaid
    part = change(selection, op, slot, tile.shape, tile.extents)
    empty_out(selection, tile, part, op)


def empty_out(selection: Selection, tile: Tile, slot: Slot, op: ir.Operation) -> None:
    """Appends what moves `slot` to the elements of a tile, part by part."""
    for access in _accesses(selection, tile, op):
        selection.append(Store(op.location, slot, access))
    _see_limits(selection, tile)
