"""Selection of `memref` ops that a kernel needs: views of views, globals, single elements, sizes.

Owns their reading. A view of a view changes coordinates only; a global is a constant that fills a
slot when the program starts. Views in other dimensions are in `reshaped_views`, what takes whole
buffers is in `buffers`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import defining_op
from ktir.passes.lowering.affine import constant, scale, times, total
from ktir.passes.lowering.calls import symbol
from ktir.passes.lowering.coordinates import ByMap, ByTable, Coordinate, Inner, Shape
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.index import Index
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.shapes import require_part
from ktir.passes.lowering.steps import Constant, Extract, Reshape, Slot
from ktir.passes.lowering.tiles import Tile, empty_out, fill, tile_of
from ktir.passes.lowering.values import scalar_source, segments
from ktir.passes.lowering.views import Located, Part, located, reads_views
from ktir.resources import with_elements


@reads_views("memref.cast", "memref.memory_space_cast", "memref.assume_alignment")
def _cast(
    selection: Selection, op: ir.Operation, coordinates: Sequence[Coordinate], shape: Shape
) -> Located:
    return located(selection, op, op.operands[0], coordinates, shape)


def _check_part(selection: Selection, op: ir.Operation) -> None:
    """A part that leaves a view whose size is known is a fault, used or not."""
    (source,), offsets, sizes, strides = segments(op)
    starts = selection.mixed(op, "static_offsets", offsets)
    lengths = selection.mixed(op, "static_sizes", sizes)
    steps = selection.mixed(op, "static_strides", strides)
    for dim, extent in enumerate(_extents(selection, source)):
        if extent is not None:
            message = f"a part leaves the view that it is of in dimension {dim}"
            require_part(selection, op, extent, starts[dim], lengths[dim], steps[dim], message)


def _extents(selection: Selection, view: ir.Value) -> list[Index | None]:
    """The sizes of a view, None for those beyond which there may be coordinates that are masked."""
    maker = defining_op(selection.origin(view))
    type_ = ir.MemRefType(view.type)
    if maker is not None and maker.name == "memref.subview":
        lengths = selection.mixed(maker, "static_sizes", segments(maker)[2])
        dropped = _dropped(selection, maker, type_.rank)
        return [length for dim, length in enumerate(lengths) if dim not in dropped]
    if maker is not None and maker.name == "memref.reinterpret_cast":
        return list(selection.mixed(maker, "static_sizes", segments(maker)[2]))
    return [None if type_.is_dynamic_dim(dim) else size for dim, size in enumerate(type_.shape)]


@reads_views("memref.subview", made_by=_check_part)
def _subview(
    selection: Selection, op: ir.Operation, coordinates: Sequence[Coordinate], shape: Shape
) -> Located:
    """Coordinate `c` is `offset + stride * c` of the source; dropped dimensions stand still."""
    (source,), offsets, sizes, strides = segments(op)
    lengths = selection.mixed(op, "static_sizes", sizes)
    starts = selection.mixed(op, "static_offsets", offsets)
    steps = selection.mixed(op, "static_strides", strides)
    left = iter(coordinates)
    still = Coordinate(0, ByMap(constant(0)))
    dropped = _dropped(selection, op, len(coordinates))
    own = [size for dim, size in enumerate(lengths) if dim not in dropped]
    found = []
    for dim, (start, step) in enumerate(zip(starts, steps, strict=True)):
        coordinate = still if dim in dropped else next(left)
        offset = total(start, selection.plain(times(coordinate.offset, step), op))
        found.append(Coordinate(offset, _multiplied(selection, op, coordinate.inner, step)))
    return located(selection, op, source, found, shape).within(coordinates, own)


def _dropped(selection: Selection, op: ir.Operation, rank: int) -> set[int]:
    """The dimensions of the source that a result of so many dimensions lacks: the first ones of
    size 1 that leave as many sizes in order."""
    open_size = ir.ShapedType.get_dynamic_size()
    sizes = list(ir.DenseI64ArrayAttr(op.attributes["static_sizes"]))
    kept = list(ir.MemRefType(op.results[0].type).shape)
    dropped: set[int] = set()
    for dim, size in enumerate(sizes):
        at = dim - len(dropped)
        if (
            len(sizes) - len(dropped) > rank
            and size == 1
            and (at >= len(kept) or kept[at] != 1 or kept[at] == open_size)
        ):
            dropped.add(dim)
    for dim, size in enumerate(sizes):
        if len(sizes) - len(dropped) > rank and size == 1:
            dropped.add(dim)
    return dropped


def _multiplied(selection: Selection, op: ir.Operation, inner: Inner, step: Index) -> Inner:
    if step == 1:
        return inner
    if isinstance(step, int) and isinstance(inner, ByMap):
        return ByMap(scale(inner.expr, step))
    if isinstance(step, int) and isinstance(inner, ByTable):
        return ByTable(inner.table * step)
    raise selection.refusal(op, "its stride is a value, or its coordinate is read from memory")


@reads_views("memref.get_global")
def _global(
    selection: Selection, op: ir.Operation, coordinates: Sequence[Coordinate], _: Shape
) -> Located:
    """A slot of the running core that holds the elements of the constant in a row."""
    shape = tuple(ir.MemRefType(op.results[0].type).shape)
    slot = _global_slot(selection, op)
    part = Part(
        base=slot,
        core=selection.own_core(),
        lower=(0,) * len(shape),
        bounds=shape,
        strides=tuple(math.prod(shape[dim + 1 :]) for dim in range(len(shape))),
        lengths=shape,
        sizes=shape,
    )
    return Located((part,), tuple(coordinates))


def _global_slot(selection: Selection, op: ir.Operation) -> Slot:
    name = ir.FlatSymbolRefAttr(op.attributes["name"]).value
    if name not in selection.globals:
        found = symbol(op, "memref.global", name)
        value = None if found is None else found.attributes.get("initial_value")
        value = None if value is None else with_elements(value)
        if found is None or "constant" not in found.attributes:
            raise selection.refusal(op, f"@{name} is no constant global")
        if not isinstance(value, ir.DenseElementsAttr):
            raise selection.refusal(
                op, f"the elements of @{name} are not in the text; use dense<..>"
            )
        slot = selection.new_slot(op, value.type)
        row = Slot(slot.name, (math.prod(slot.shape),), slot.element)
        selection.prologue += [
            Constant(op.location, slot, value),
            Reshape(op.location, slot, row),
        ]
        selection.globals[name] = row
    return selection.globals[name]


@lowers("memref.load")
def _load(selection: Selection, op: ir.Operation) -> None:
    view, *places = op.operands
    tile = _element(selection, op, view, places)
    slot = selection.new_slot(op, ir.RankedTensorType.get(tile.shape, op.results[0].type))
    fill(selection, tile, slot, op)
    selection.append(Extract(op.location, slot, (0,) * len(tile.shape), op.results[0]))


@lowers("memref.store")
def _store(selection: Selection, op: ir.Operation) -> None:
    scalar, view, *places = op.operands
    tile = _element(selection, op, view, places)
    slot = selection.new_slot(op, ir.RankedTensorType.get(tile.shape, scalar.type))
    selection.fill(slot, scalar_source(scalar), op)
    empty_out(selection, tile, slot, op)


def _element(
    selection: Selection, op: ir.Operation, view: ir.Value, places: Sequence[ir.Value]
) -> Tile:
    """One element of a view as a tile."""
    coordinates = [Coordinate(selection.index(place), ByMap(constant(0))) for place in places]
    found = located(selection, op, view, coordinates, (1,) * len(places))
    return tile_of(op, found, (1,) * len(found.coordinates))


@lowers("memref.dim")
def _dim(selection: Selection, op: ir.Operation) -> None:
    size = size_of(selection, op, op.operands[0], selection.dimension(op))
    selection.define(op.results[0], size, op)


@lowers("memref.rank")
def _rank(selection: Selection, op: ir.Operation) -> None:
    selection.define(op.results[0], ir.MemRefType(op.operands[0].type).rank, op)


@lowers("memref.prefetch")
def _prefetch(selection: Selection, op: ir.Operation) -> None:
    """A hint, which changes nothing."""


def size_of(selection: Selection, op: ir.Operation, view: ir.Value, dim: int) -> Index:
    """The size of one dimension of a view."""
    size = ir.MemRefType(view.type).shape[dim]
    if size != ir.ShapedType.get_dynamic_size():
        return int(size)
    maker = defining_op(selection.origin(view))
    if maker is not None and maker.name == "memref.cast":
        return size_of(selection, op, maker.operands[0], dim)
    if maker is not None and maker.name in (
        "ktdp.construct_memory_view",
        "memref.reinterpret_cast",
    ):
        sizes = segments(maker)[-2]
        return selection.mixed(maker, "static_sizes", sizes)[dim]
    raise selection.refusal(op, "the size of the view is not known")
