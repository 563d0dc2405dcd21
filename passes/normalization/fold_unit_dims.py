"""Turns reshapes that only add or drop dimensions of extent 1 into indexing maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp, defining_op, element_type, shape_of
from ktir.passes.normalization.building import (
    collapse,
    expand,
    fill,
    groups_without,
    index_constant,
)
from ktir.passes.normalization.generics import (
    VIEW_OPS,
    Generic,
    each_generic,
    integer,
    reassociation,
    refreshed,
)
from ktir.passes.structured import Access, empty, iterators_attribute, maps_attribute


@register
@dataclass(frozen=True)
class FoldUnitDims(ModulePass):
    """Let generics read and write around dimensions of extent 1 instead of reshaping.

    Requires: named ops generalised. Rewrites generics in order: an operand made by a reshape that
    only adds or drops extents of 1 is read at the reshape's source; a result dimension that
    follows no loop (the kept dimension of a reduction) or a loop of extent 1 that no input follows
    is dropped, and a reshape behind restores the type for other users. Ensures: statistics of rows
    reach their users through maps, without a reshape between; types of function arguments and
    results are unchanged; no indexing map of a result has a constant.

        %s = linalg.generic {(d0, d1) -> (d0, d1), (d0, d1) -> (d0, 0)} .. -> tensor<5x1xf32>
        %r = linalg.generic {.., (d0, d1) -> (d0, 0), ..} ins(%x, %s : ..)
    becomes
        %s = linalg.generic {(d0, d1) -> (d0, d1), (d0, d1) -> (d0)} .. -> tensor<5xf32>
        %r = linalg.generic {.., (d0, d1) -> (d0), ..} ins(%x, %s : ..)
    """

    NAME: ClassVar[str] = "ktir-fold-unit-dims"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for view in each_generic(module):
                view = _read_at_sources(view)
                view = _drop_constant_dimensions(view)
                _drop_result_loops(view)


def _read_at_sources(view: Generic) -> Generic:
    """Step 1: operands behind unit reshapes. Each step returns the view of what it leaves."""
    if not any(_is_reshape(defining_op(value)) for value in view.inputs):
        return view
    accesses = list(view.accesses)
    for number, value in enumerate(view.inputs):
        while (reshape := defining_op(value)) is not None and _is_reshape(reshape):
            access = _access_at_source(reshape, accesses[number])
            if access is None or not _covers(
                [*accesses[:number], access, *accesses[number + 1 :]], view.loops
            ):
                break
            accesses[number] = access
            value = reshape.operands[0]
            view.op.operation.operands[number] = value
    view.op.attributes["indexing_maps"] = maps_attribute(accesses, view.loops)
    return refreshed(view)


def _is_reshape(op: AnyOp | None) -> bool:
    return op is not None and op.operation.name in VIEW_OPS


def _access_at_source(reshape: AnyOp, access: Access) -> Access | None:
    """How the source of `reshape` is read when its result is read by `access`; None if more than
    units change.
    """
    groups = reassociation(reshape)
    source, result = shape_of(reshape.operands[0]), shape_of(reshape.results[0])
    expands = reshape.operation.name == "tensor.expand_shape"
    split = result if expands else source
    if any(sum(split[dim] != 1 for dim in group) > 1 for group in groups):
        return None
    if expands:
        return tuple(access[_kept(group, split, access)] for group in groups)
    at_source: list[int | None] = [None] * len(source)
    for loop, group in zip(access, groups, strict=True):
        at_source[_kept(group, split)] = loop
    return tuple(at_source)


def _kept(group: Sequence[int], extents: Sequence[int], access: Access | None = None) -> int:
    """The dimension of a group that stands for it: the one that is not 1, else one that follows a
    loop, else the first.
    """
    for dim in group:
        if extents[dim] != 1:
            return dim
    if access is not None:
        for dim in group:
            if access[dim] is not None:
                return dim
    return group[0]


def _covers(accesses: Sequence[Access], loops: int) -> bool:
    return {loop for access in accesses for loop in access if loop is not None} == set(range(loops))


def _drop_constant_dimensions(view: Generic) -> Generic:
    """Step 2: dimensions of a result that follow no loop."""
    for number, access in enumerate(view.init_accesses):
        dropped = [dim for dim, loop in enumerate(access) if loop is None]
        if dropped:
            _drop_result_dimensions(view, number, dropped)
            view = refreshed(view)
    return view


def _drop_result_loops(view: Generic) -> None:
    """Step 3: parallel loops of extent 1 that only results follow."""
    if not any(1 in shape_of(init) for init in view.inits):
        return
    read = {loop for access in view.input_accesses for loop in access}
    dropped = [
        loop
        for loop, extent in enumerate(view.extents())
        if extent == 1 and loop not in read and view.iterators[loop] == "parallel"
    ]
    if not dropped:
        return
    for number, access in enumerate(view.init_accesses):
        dims = [dim for dim, loop in enumerate(access) if loop in dropped]
        if dims:
            _drop_result_dimensions(view, number, dims)
            view = refreshed(view)
    _renumber_loops(view, dropped)


def _drop_result_dimensions(view: Generic, number: int, dropped: list[int]) -> None:
    """Removes dimensions of extent 1 of result `number`; a reshape behind gives other users the
    old type.
    """
    position = len(view.inputs) + number
    access = view.accesses[position]
    kept = tuple(loop for dim, loop in enumerate(access) if dim not in dropped)
    result, init = view.op.results[number], view.inits[number]
    extents = shape_of(init)
    small = [extent for dim, extent in enumerate(extents) if dim not in dropped]
    groups = groups_without(len(extents), dropped)
    with view.op.location:
        with ir.InsertionPoint(view.op):
            smaller = _smaller(init, small, groups, view.op.location)
            view.op.operation.operands[position] = smaller
        with ir.InsertionPoint.after(view.op.operation):
            result.set_type(smaller.type)
            expanded = expand(result, groups, extents)
            result.replace_all_uses_except(expanded, expanded.owner.operation)
    accesses = [*view.accesses]
    accesses[position] = kept
    view.op.attributes["indexing_maps"] = maps_attribute(accesses, view.loops)


def _smaller(
    init: ir.Value, extents: list[int], groups: list[list[int]], location: ir.Location
) -> ir.Value:
    """The init with `extents`: new where it is only a start value, else reshaped."""
    start = defining_op(init)
    if start is not None and start.operation.name == "linalg.fill":
        return fill(start.operands[0], extents, location)
    if start is not None and start.operation.name == "tensor.empty":
        return empty(extents, element_type(init), location)
    return collapse(init, groups, extents)


def _renumber_loops(view: Generic, dropped: list[int]) -> None:
    kept = [loop for loop in range(view.loops) if loop not in dropped]
    numbers = {loop: number for number, loop in enumerate(kept)}
    accesses = [
        tuple(None if loop is None else numbers[loop] for loop in access)
        for access in view.accesses
    ]
    for op in list(view.body.operations):
        if op.operation.name == "linalg.index":
            _renumber_index(op, numbers)
    view.op.attributes["indexing_maps"] = maps_attribute(accesses, len(kept))
    view.op.attributes["iterator_types"] = iterators_attribute(
        [view.iterators[loop] for loop in kept]
    )


def _renumber_index(op: AnyOp, numbers: dict[int, int]) -> None:
    dim = integer(op, "dim")
    if dim in numbers:
        op.attributes["dim"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), numbers[dim])
        return
    with ir.InsertionPoint(op):
        value = index_constant(0, op.location)
    op.results[0].replace_all_uses_with(value)
    op.operation.erase()
