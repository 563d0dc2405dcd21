"""Selection of `linalg.pack` and `linalg.unpack`: gathers inside the scratchpad.

Owns where each element of one layout lies in the other. What a tile lacks is filled in first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ktir.layout import round_up
from ktir.mlir import ir
from ktir.passes.ir_utils import shape_of
from ktir.passes.lowering.affine import add, scale
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.index import Index
from ktir.passes.lowering.local_access import local_access
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.steps import Copy, Load, Slot, Via
from ktir.passes.lowering.values import Splat, is_open, scalar_source, segments


@dataclasses.dataclass(frozen=True)
class _Tiling:
    """The size of the tiles of each plain dimension that has some, the packed dimension that counts
    them, and the one that is inside them."""

    tiles: dict[int, int]
    outer: dict[int, int]
    inner: dict[int, int]

    @staticmethod
    def of(selection: Selection, op: ir.Operation, rank: int) -> _Tiling:
        sizes = list(ir.DenseI64ArrayAttr(op.attributes["static_inner_tiles"]))
        if any(is_open(size) for size in sizes):
            raise selection.refusal(op, "the sizes of its inner tiles are values; use constants")
        dims = list(ir.DenseI64ArrayAttr(op.attributes["inner_dims_pos"]))
        order = list(range(rank))
        if "outer_dims_perm" in op.attributes:
            order = list(ir.DenseI64ArrayAttr(op.attributes["outer_dims_perm"])) or order
        return _Tiling(
            tiles=dict(zip(dims, sizes, strict=True)),
            outer={dim: order.index(dim) for dim in range(rank)},
            inner={dim: rank + number for number, dim in enumerate(dims)},
        )

    def plain(self) -> list[ir.AffineExpr]:
        """Each plain dimension, from the packed ones."""
        found: list[ir.AffineExpr] = []
        for dim in sorted(self.outer):
            expr: ir.AffineExpr = ir.AffineExpr.get_dim(self.outer[dim])
            if dim in self.tiles:
                expr = add(scale(expr, self.tiles[dim]), ir.AffineExpr.get_dim(self.inner[dim]))
            found.append(expr)
        return found

    def packed(self) -> list[ir.AffineExpr]:
        """Each packed dimension, from the plain ones."""
        found: dict[int, ir.AffineExpr] = {}
        for dim, place in self.outer.items():
            expr: ir.AffineExpr = ir.AffineExpr.get_dim(dim)
            if dim in self.tiles:
                size = ir.AffineExpr.get_constant(self.tiles[dim])
                found[self.inner[dim]] = ir.AffineExpr.get_mod(expr, size)
                expr = ir.AffineExpr.get_floor_div(expr, size)
            found[place] = expr
        return [found[place] for place in sorted(found)]


@lowers("linalg.pack")
def _pack(selection: Selection, op: ir.Operation) -> None:
    (source,), _, padding, _ = segments(op)
    tensor = selection.tensor(source)
    shape = shape_of(source)
    tiling = _Tiling.of(selection, op, len(shape))
    sizes = [tiling.tiles.get(dim, 1) for dim in range(len(shape))]
    whole = tuple(round_up(n, size) for n, size in zip(shape, sizes, strict=True))
    if whole == tuple(shape) and isinstance(tensor, Splat):
        selection.bind(op.results[0], tensor)
        return
    slot = _of_known_size(selection, op, selection.slot(source, op))
    if whole != slot.shape:
        if not padding:
            raise selection.refusal(
                op, f"a tensor of {list(slot.shape)} does not fill its tiles; state a padding value"
            )
        slot = _padded(selection, op, slot, whole, padding[0])
    _gather(selection, op, slot, tiling.plain())


@lowers("linalg.unpack")
def _unpack(selection: Selection, op: ir.Operation) -> None:
    source = op.operands[0]
    tensor = selection.tensor(source)
    if isinstance(tensor, Splat):
        selection.bind(op.results[0], tensor)
        return
    tiling = _Tiling.of(selection, op, len(shape_of(op.results[0])))
    slot = _of_known_size(selection, op, selection.slot(source, op))
    _gather(selection, op, slot, tiling.packed())


def _of_known_size(selection: Selection, op: ir.Operation, slot: Slot) -> Slot:
    if slot.extents:
        raise selection.refusal(op, "its source has a size that is a value; use constants")
    return slot


def _padded(
    selection: Selection, op: ir.Operation, slot: Slot, shape: tuple[int, ...], value: ir.Value
) -> Slot:
    """A slot of this shape that begins with the elements of another."""
    whole = Slot(f"{slot.name}, padded", shape, slot.element)
    selection.fill(whole, scalar_source(value), op)
    zeros: tuple[Index, ...] = (0,) * len(shape)
    ones: tuple[Index, ...] = (1,) * len(shape)
    selection.append(Copy(op.location, slot, zeros, ones, whole, zeros, ones, slot.shape))
    return whole


def _gather(
    selection: Selection, op: ir.Operation, slot: Slot, places: Sequence[ir.AffineExpr]
) -> None:
    """Appends what fills the result from a slot, whose dimensions follow from those of the
    result."""
    result = selection.new_slot(op, op.results[0].type)
    rank = len(result.shape)
    via = [Via(None, ir.AffineMap.get(rank, 0, [expr])) for expr in places]
    access = local_access(selection, slot, result.shape, via)
    selection.append(Load(op.location, result, access))
    selection.bind(op.results[0], result)
