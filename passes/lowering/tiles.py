"""Access tiles, loads and stores: the elements of a buffer, each at a coordinate of a view.

A tile is an enumeration of coordinates: the buffer has the dimensions in the order in which they
are visited, and a tensor of another shape is a reshape of it. Owns direct tiles and the moves
through tiles of any kind; a distributed view needs a transfer for each part. How a part becomes the
lists of a transfer is in `accesses`, indirect tiles are in `indirect`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ktir.mlir import ir
from ktir.passes.ir_utils import shape_of
from ktir.passes.lowering.accesses import access_of, may_hold
from ktir.passes.lowering.affine import fold, total
from ktir.passes.lowering.coordinates import Coordinate
from ktir.passes.lowering.parts import check_held
from ktir.passes.lowering.points import points
from ktir.passes.lowering.selection import Selection, lowers, of_shape, reshaped, segments
from ktir.passes.lowering.steps import Load, Reshape, Slot, Store
from ktir.passes.lowering.views import Part, located


@dataclasses.dataclass(frozen=True)
class Tile:
    """Coordinates of a view for a buffer of `shape`; `op` makes the tile."""

    op: ir.Operation
    parts: tuple[Part, ...]
    shape: tuple[int, ...]
    coordinates: tuple[Coordinate, ...]


@lowers("ktdp.construct_access_tile")
def _access_tile(selection: Selection, op: ir.Operation) -> None:
    (base,), indices, symbols = segments(op)
    found = points(selection, op, "access_tile_set", "access_tile_order", symbols, tile_shape(op))
    if 0 in found.shape:
        return
    base_map = ir.AffineMapAttr(op.attributes["base_map"]).value
    at = [selection.index(index) for index in indices]
    origin = [fold(e, at[: base_map.n_dims], at[base_map.n_dims :]) for e in base_map.results]
    coordinates = [
        dataclasses.replace(coordinate, offset=total(start, coordinate.offset))
        for start, coordinate in zip(origin, found.coordinates, strict=True)
    ]
    parts, places = located(selection, op, base, coordinates)
    selection.tiles[op.results[0]] = Tile(op, parts, found.shape, places)


def tile_shape(op: ir.Operation) -> tuple[int, ...]:
    """The shape in the type of the access tile that `op` makes; -1 for a size that is not known."""
    open_size = ir.ShapedType.get_dynamic_size()
    type_: Any = op.results[0].type
    return tuple(-1 if size == open_size else size for size in type_.shape)


@lowers("ktdp.load")
def _load(selection: Selection, op: ir.Operation) -> None:
    tile = selection.tiles[selection.origin(op.operands[0])]
    result = selection.new_slot(op, op.results[0].type)
    part = of_shape(result, tile.shape)
    fill(selection, tile, part, op)
    if part is not result:
        selection.append(Reshape(op.location, part, result))
    selection.bind(op.results[0], result)


def fill(selection: Selection, tile: Tile, slot: Slot, op: ir.Operation) -> None:
    """Appends what fills `slot` with the elements of a tile: one transfer for each part of its view
    that can hold some."""
    check_held(selection, tile, op)
    held = [part for part in tile.parts if may_hold(selection, tile, part)] or tile.parts[:1]
    for number, part in enumerate(held):
        access = access_of(selection, tile, part)
        selection.append(Load(op.location, slot, access, keep=number > 0))


@lowers("ktdp.store")
def _store(selection: Selection, op: ir.Operation) -> None:
    data, value = op.operands
    if 0 in shape_of(data):
        return
    tile = selection.tiles[selection.origin(value)]
    part = reshaped(selection, op, selection.slot(data, op), tile.shape)
    empty_out(selection, tile, part, op)


def empty_out(selection: Selection, tile: Tile, slot: Slot, op: ir.Operation) -> None:
    """Appends what moves `slot` to the elements of a tile, part by part."""
    check_held(selection, tile, op)
    for part in tile.parts:
        # A store that no part holds is a fault, which a transfer of the only part tells.
        if len(tile.parts) == 1 or may_hold(selection, tile, part):
            access = access_of(selection, tile, part)
            selection.append(Store(op.location, slot, access))
