"""Selection of ops on whole buffers: their elements as a tensor, copies, and memory that a kernel
allocates.

Owns all three. Allocated memory is a slot of the running core's scratchpad, whose elements lie as
the type of the buffer says.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.memory_spaces import ALLOCATES_IN, holds_allocations
from ktir.mlir import ir
from ktir.passes.lowering.coordinates import ByMap, Coordinate, Shape
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.memrefs import size_of
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.shapes import held_in
from ktir.passes.lowering.steps import Allocate, Slot, extents_in
from ktir.passes.lowering.tiles import Tile, empty_out, fill, tile_of
from ktir.passes.lowering.values import is_nothing, nothing
from ktir.passes.lowering.views import Located, Part, located, reads_views


def _allocate(selection: Selection, op: ir.Operation) -> None:
    type_ = ir.MemRefType(op.results[0].type)
    if not type_.has_static_shape:
        raise selection.refusal(op, f"the size of {type_} is known at run time only")
    if not holds_allocations(type_.memory_space):
        raise selection.refusal(op, f"its memory is {type_.memory_space}; {ALLOCATES_IN}")
    strides, offset = type_.get_strides_and_offset()
    last = sum((size - 1) * stride for size, stride in zip(type_.shape, strides, strict=True))
    count = 1 if 0 in type_.shape else offset + last + 1
    slot = selection.new_slot(op, ir.RankedTensorType.get([count], type_.element_type))
    selection.append(Allocate(op.location, slot))
    selection.allocated[op] = slot


@reads_views("memref.alloc", "memref.alloca", made_by=_allocate)
def _allocated(
    selection: Selection, op: ir.Operation, coordinates: Sequence[Coordinate], _: Shape
) -> Located:
    type_ = ir.MemRefType(op.results[0].type)
    strides = type_.get_strides_and_offset()[0]
    shape = tuple(type_.shape)
    part = Part(
        base=selection.allocated[op],
        core=selection.own_core(),
        lower=(0,) * len(shape),
        bounds=shape,
        strides=tuple(strides),
        lengths=shape,
        sizes=shape,
    )
    return Located((part,), tuple(coordinates))


@lowers("memref.dealloc")
def _deallocate(selection: Selection, op: ir.Operation) -> None:
    """Nothing: a slot lives until it is used for the last time."""


@lowers("memref.copy")
def _copy(selection: Selection, op: ir.Operation) -> None:
    """All elements of one view to another of the same sizes."""
    source, target = op.operands
    if 0 in ir.MemRefType(source.type).shape:
        return
    slot = _loaded(selection, op, source)
    _stored(selection, op, slot, target)


@lowers("bufferization.to_tensor")
def _to_tensor(selection: Selection, op: ir.Operation) -> None:
    if is_nothing(op.results[0]):
        selection.bind(op.results[0], nothing(op.results[0]))
    else:
        selection.bind(op.results[0], _loaded(selection, op, op.operands[0]))


@lowers("bufferization.materialize_in_destination")
def _materialize(selection: Selection, op: ir.Operation) -> None:
    if len(op.results):
        raise selection.refusal(op, "its destination is a tensor; name a view of memory")
    data, target = op.operands
    if not is_nothing(data):
        _stored(selection, op, selection.slot(data, op), target)


def _loaded(selection: Selection, op: ir.Operation, view: ir.Value) -> Slot:
    """Appends what fills a slot with all elements of a view."""
    tile = _whole(selection, op, view)
    element = ir.MemRefType(view.type).element_type
    slot = selection.new_slot(op, ir.RankedTensorType.get(tile.shape, element))
    slot.extents = tile.extents
    fill(selection, tile, slot, op)
    return slot


def _stored(selection: Selection, op: ir.Operation, slot: Slot, view: ir.Value) -> None:
    """Appends what moves a slot to all elements of a view of the same sizes."""
    tile = _whole(selection, op, view)
    empty_out(selection, tile, held_in(selection, op, slot, tile.shape, tile.extents), op)


def _whole(selection: Selection, op: ir.Operation, view: ir.Value) -> Tile:
    """All elements of a view, in row-major order."""
    rank = len(ir.MemRefType(view.type).shape)
    sizes = [selection.plain(size_of(selection, op, view, dim), op) for dim in range(rank)]
    shape = tuple(n if isinstance(n, int) else selection.bound(op, n) for n in sizes)
    every = [Coordinate(0, ByMap(ir.AffineExpr.get_dim(dim))) for dim in range(rank)]
    found = located(selection, op, view, every, sizes)
    return tile_of(op, found, shape, extents_in(shape, sizes))
