"""Moves merges of leading dimensions below the generics that read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import defining_op, element_type, shape_of
from ktir.passes.normalization.building import clone_generic, collapse, expand, fill
from ktir.passes.normalization.generics import (
    Generic,
    each_generic,
    is_gather,
    reads_coordinates,
    reassociation,
    touches_last,
)
from ktir.passes.structured import Access, empty


@register
@dataclass(frozen=True)
class SinkCollapses(ModulePass):
    """Let a generic read the source of a `tensor.collapse_shape` of leading dimensions with more
    loops.

    Requires: named ops generalised, unit dimensions folded. torch-mlir merges batch and rows for
    each matmul and splits them again. In order of the function, a generic that reads such a merge
    gets a loop for each merged dimension, and its results are merged behind it, where the next
    generic does the same or the split cancels it. Upstream's fusion does this only for values with
    one use. Merges of the last dimension stay: they change what a stick holds. Ensures: no generic
    without coordinates reads a merge of leading dimensions.

        %c = tensor.collapse_shape %x [[0, 1], [2]]
        %r = linalg.generic ins(%c) {(d0, d1) -> (d0, d1)} -> tensor<256x384xf16>
    becomes
        %e = linalg.generic ins(%x) {(d0, d1, d2) -> (d0, d1, d2)} -> tensor<2x128x384xf16>
        %r = tensor.collapse_shape %e [[0, 1], [2]]
    """

    NAME: ClassVar[str] = "ktir-sink-collapses"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for view in each_generic(module):
                split = _merged_loops(view)
                if split and not reads_coordinates(view) and not is_gather(view):
                    _expand(view, split)


def _merged_loops(view: Generic) -> dict[int, list[int]]:
    """For each loop over a merged dimension the extents that were merged."""
    split: dict[int, list[int]] = {}
    for number, value in enumerate(view.inputs):
        collapse = defining_op(value)
        if (
            collapse is None
            or collapse.operation.name != "tensor.collapse_shape"
            or touches_last(collapse)
        ):
            continue
        source = shape_of(collapse.operands[0])
        for loop, group in zip(view.accesses[number], reassociation(collapse), strict=True):
            if loop is not None and len(group) > 1:
                split.setdefault(loop, [source[dim] for dim in group])
    return split


def _expand(view: Generic, split: dict[int, list[int]]) -> None:
    loops = _new_loops(view.loops, split)
    accesses = [_expanded_access(access, loops) for access in view.accesses]
    iterators = [kind for loop, kind in enumerate(view.iterators) for _ in loops[loop]]
    count = len(view.inputs)
    with ir.InsertionPoint(view.op), view.op.location:
        operands = [
            _split(value, access, split)
            for value, access in zip((*view.inputs, *view.inits), view.accesses, strict=True)
        ]
        op = clone_generic(view, operands[:count], operands[count:], accesses, iterators)
        for old, new, access in zip(view.op.results, op.results, view.init_accesses, strict=True):
            groups = _groups(access, split)
            merged = new if new.type == old.type else collapse(new, groups, shape_of(old))
            old.replace_all_uses_with(merged)
    view.op.operation.erase()


def _new_loops(count: int, split: dict[int, list[int]]) -> list[list[int]]:
    """The new loops of each old loop."""
    loops: list[list[int]] = []
    number = 0
    for loop in range(count):
        parts = len(split.get(loop, [1]))
        loops.append(list(range(number, number + parts)))
        number += parts
    return loops


def _expanded_access(access: Access, loops: list[list[int]]) -> Access:
    expanded: list[int | None] = []
    for loop in access:
        expanded += [None] if loop is None else loops[loop]
    return tuple(expanded)


def _groups(access: Access, split: dict[int, list[int]]) -> list[list[int]]:
    """Reassociation between the old dimensions of an operand and its new ones."""
    groups: list[list[int]] = []
    number = 0
    for loop in access:
        parts = 1 if loop is None else len(split.get(loop, [1]))
        groups.append(list(range(number, number + parts)))
        number += parts
    return groups


def _split(value: ir.Value, access: Access, split: dict[int, list[int]]) -> ir.Value:
    """`value` with its dimensions along split loops split; the source of a merge where that is
    just undone.
    """
    groups = _groups(access, split)
    if all(len(group) == 1 for group in groups):
        return value
    extents: list[int] = []
    for loop, extent in zip(access, shape_of(value), strict=True):
        extents += split.get(loop, [extent]) if loop is not None else [extent]
    maker = defining_op(value)
    if maker is not None:
        name = maker.operation.name
        if (
            name == "tensor.collapse_shape"
            and list(shape_of(maker.operands[0])) == extents
            and reassociation(maker) == groups
        ):
            return maker.operands[0]
        if name == "linalg.fill":
            return fill(maker.operands[0], extents, maker.location)
        if name == "tensor.empty":
            return empty(extents, element_type(value), maker.location)
    return expand(value, groups, extents)
