"""Recognises gathers and comparisons whose integers are coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp, defining_op, shape_of
from ktir.passes.normalization.building import (
    constant,
    extract,
    index_constant,
    read_instead,
    scalar,
)
from ktir.passes.normalization.coordinates import Coordinate, coordinate, decided
from ktir.passes.normalization.generics import Generic, each_generic


@register
@dataclass(frozen=True)
class FoldCoordinates(ModulePass):
    """Read a tensor by an indexing map where a gather's indices are coordinates in disguise.

    Requires: unit dimensions folded into maps. Attention masks come as gathers whose index tensors
    count rows and columns, wrapped for negative values. Where every index of a `tensor.extract` is
    a loop plus a constant, through index casts, wrapping selects and the generics that made the
    index tensors, the extract becomes an operand (of a slice, where the loops read a part); where
    one loop counts in several coordinates, as along a diagonal, it stays an extract at plain loops,
    of a slice. A comparison of a coordinate with a constant that has one outcome becomes a
    constant. Ensures: only gathers that depend on data and diagonals are left. An index out of
    bounds stays a gather, for the machine to report.

        linalg.generic ins(%rows) { %i = arith.index_cast %in; tensor.extract %t[%i] .. }
        with %rows = linalg.generic { linalg.index 0 .. }
    becomes
        linalg.generic ins(%rows, %t) { linalg.yield %in_0 }
    """

    NAME: ClassVar[str] = "ktir-fold-coordinates"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for view in each_generic(module):
                _fold_comparisons(view)
                left: Generic | None = view
                while left is not None:
                    left = _fold_extract(left)


def _fold_comparisons(view: Generic) -> None:
    for op in view.body_ops:
        if op.operation.name == "arith.cmpi" and (outcome := decided(op, view)) is not None:
            with ir.InsertionPoint(op):
                value = constant(ir.BoolAttr.get(outcome), op.results[0].type, op.location)
            op.results[0].replace_all_uses_with(value)
            op.operation.erase()


def _fold_extract(view: Generic) -> Generic | None:
    """Turns the first extract with affine indices into an operand, and those along diagonals before
    it into extracts at plain loops; returns the new generic, or None if there is none.
    """
    for op in view.body.operations:
        if op.operation.name == "tensor.extract":
            indices = [coordinate(index, view) for index in list(op.operands)[1:]]
            known = [index for index in indices if index is not None]
            if len(known) < len(indices) or not _in_bounds(known, shape_of(op.operands[0])):
                continue
            if not _is_diagonal(known):
                return _replace(view, op, known)
            _make_plain(view, op, known)
    return None


def _in_bounds(indices: list[Coordinate], extents: tuple[int, ...]) -> bool:
    return all(
        index.offset >= 0 and index.last < extent
        for index, extent in zip(indices, extents, strict=True)
    )


def _is_diagonal(indices: list[Coordinate]) -> bool:
    """Whether a loop counts in several coordinates, which no indexing map of this level says."""
    loops = [index.loop for index in indices if index.loop is not None]
    return len(loops) > len(set(loops))


def _make_plain(view: Generic, extraction: AnyOp, indices: list[Coordinate]) -> None:
    """Reads a slice at loops without offsets; leaves what does so already."""
    location = extraction.location
    if all(_is_plain(value) for value in list(extraction.operands)[1:]):
        return
    with ir.InsertionPoint(view.op), location:
        source = _slice(extraction.operands[0], indices)
    with ir.InsertionPoint(extraction):
        loops = [_loop(index, location) for index in indices]
        kind = extraction.results[0].type
        plain = scalar("tensor.extract", kind, [source, *loops], location)
    extraction.results[0].replace_all_uses_with(plain)
    extraction.operation.erase()


def _is_plain(value: ir.Value) -> bool:
    """Whether an index is a loop, or the 0 that `_loop` makes."""
    op = defining_op(value)
    if op is not None and op.operation.name == "arith.constant":
        return ir.IntegerAttr(op.attributes["value"]).value == 0
    return op is not None and op.operation.name == "linalg.index"


def _loop(index: Coordinate, location: ir.Location) -> ir.Value:
    if index.loop is None:
        return index_constant(0, location)
    dim = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), index.loop)
    return scalar("linalg.index", ir.IndexType.get(), [], location, {"dim": dim})


def _replace(view: Generic, extraction: AnyOp, indices: list[Coordinate]) -> Generic | None:
    with ir.InsertionPoint(view.op), view.op.location:
        source = _slice(extraction.operands[0], indices)
    return read_instead(view, extraction, source, tuple(index.loop for index in indices))


def _slice(source: ir.Value, indices: list[Coordinate]) -> ir.Value:
    sizes = [index.extent for index in indices]
    if tuple(sizes) == shape_of(source):
        return source
    return extract(source, [index.offset for index in indices], sizes, [1] * len(sizes))
