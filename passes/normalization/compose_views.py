"""Simplifies views of views where upstream's canonicalisation does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp, defining_op, element_type, i64_list, shape_of
from ktir.passes.normalization.building import (
    clone_generic,
    collapse,
    expand,
    extract,
    fill,
    groups_without,
)
from ktir.passes.normalization.generics import (
    VIEW_OPS,
    Generic,
    generic,
    is_cheap,
    operations,
    reads_coordinates,
    reassociation,
)
from ktir.passes.structured import empty


@register
@dataclass(frozen=True)
class ComposeViews(ModulePass):
    """Compose slices of slices, make reshaped start values directly, and split before merging.

    Requires: static shapes. Rewrites
    - a slice of a slice: to one slice;
    - a slice of a transpose, broadcast or widening cast: to the same of a slice;
    - a reshape of `tensor.empty` or `linalg.fill`: to the op on the final shape;
    - an `expand_shape` of a `collapse_shape` that only moves extents of 1: to dropping and adding
      them;
    - another `expand_shape` of a `collapse_shape`, where the dimensions merged and the ones made
      have a common refinement: to the split into the refinement, then the merge, so that the merge
      meets its users and the split its producer. Ensures: values are unchanged; what is no longer
      used is left for canonicalisation.

        %1 = tensor.collapse_shape %x [[0, 1]] : tensor<4x5xf16> into tensor<20xf16>
        %r = tensor.expand_shape %1 [[0, 1]] : tensor<20xf16> into tensor<2x10xf16>
    becomes
        %1 = tensor.expand_shape %x [[0, 1], [2]] : tensor<4x5xf16> into tensor<2x2x5xf16>
        %r = tensor.collapse_shape %1 [[0], [1, 2]] : tensor<2x2x5xf16> into tensor<2x10xf16>
    """

    NAME: ClassVar[str] = "ktir-compose-views"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for op in operations(module):
                new = _simplified(op)
                if new is not None:
                    op.results[0].replace_all_uses_with(new)
                    op.operation.erase()


def _simplified(op: AnyOp) -> ir.Value | None:
    name = op.operation.name
    if name not in (*VIEW_OPS, "tensor.extract_slice"):
        return None
    source = defining_op(op.operands[0])
    if source is None:
        return None
    below = source.operation.name
    with ir.InsertionPoint(op), op.location:
        if name in VIEW_OPS and below in ("tensor.empty", "linalg.fill"):
            return _start_value(op, source)
        if name == below == "tensor.extract_slice":
            return _composed_slice(op, source)
        if name == "tensor.extract_slice" and (view := generic(source)) is not None:
            return _sliced_before(op, view)
        if name == "tensor.expand_shape" and below == "tensor.collapse_shape":
            return _refined(op, source)
    return None


def _start_value(reshape: AnyOp, source: AnyOp) -> ir.Value:
    result = reshape.results[0]
    if source.operation.name == "tensor.empty":
        return empty(shape_of(result), element_type(result), source.location)
    return fill(source.operands[0], shape_of(result), source.location)


def _composed_slice(outer: AnyOp, inner: AnyOp) -> ir.Value | None:
    if not (_is_plain_slice(outer) and _is_plain_slice(inner)):
        return None
    offsets, sizes, strides = _bounds(outer)
    first, _, steps = _bounds(inner)
    return extract(
        inner.operands[0],
        [start + step * offset for start, step, offset in zip(first, steps, offsets, strict=True)],
        sizes,
        [step * stride for step, stride in zip(steps, strides, strict=True)],
    )


def _sliced_before(outer: AnyOp, view: Generic) -> ir.Value | None:
    """The slice of a move or widening cast as the same of a slice; None for other generics."""
    if not is_cheap(view) or len(view.inputs) != 1 or reads_coordinates(view):
        return None
    access, result = view.accesses
    if not _is_plain_slice(outer) or None in access or None in result:
        return None
    bounds = _bounds(outer)
    dims = [result.index(loop) for loop in access]
    piece = extract(view.inputs[0], *([values[dim] for dim in dims] for values in bounds))
    target = empty(bounds[1], element_type(outer.results[0]), view.op.location)
    return clone_generic(view, [piece], [target], view.accesses, view.iterators).result


def _is_plain_slice(op: AnyOp) -> bool:
    """Whether a slice is static and keeps the rank."""
    return len(op.operands) == 1 and list(shape_of(op.results[0])) == i64_list(op, "static_sizes")


def _bounds(op: AnyOp) -> tuple[list[int], list[int], list[int]]:
    offsets, sizes, strides = (
        i64_list(op, f"static_{name}") for name in ("offsets", "sizes", "strides")
    )
    return offsets, sizes, strides


def _refined(outer: AnyOp, inner: AnyOp) -> ir.Value | None:
    """The split and merge that stand for `inner`, a merge, and `outer`, a split.

    None where upstream does it or nothing is common.
    """
    source, result = inner.operands[0], outer.results[0]
    if (shuffled := _with_moved_units(inner, outer)) is not None:
        return shuffled
    parts: list[int] = []
    splits: list[list[int]] = []
    merges: list[list[int]] = []
    for merged, made in zip(reassociation(inner), reassociation(outer), strict=True):
        old, new = (
            [shape_of(source)[dim] for dim in merged],
            [shape_of(result)[dim] for dim in made],
        )
        common = _refinement(old, new)
        # One to many, many to one and equal groups are canonicalised upstream.
        if common is None:
            return None
        splits += _grouped(common, old, len(parts))
        merges += _grouped(common, new, len(parts))
        parts += common
    if len(parts) in (len(shape_of(source)), len(shape_of(result))):
        return None
    return collapse(expand(source, splits, parts), merges, shape_of(result))


def _with_moved_units(inner: AnyOp, outer: AnyOp) -> ir.Value | None:
    """For a merge and split that together only move extents of 1: drop them, then add them."""
    source, result = inner.operands[0], outer.results[0]
    middle = [extent for extent in shape_of(source) if extent != 1]
    same = middle == [extent for extent in shape_of(result) if extent != 1]
    if not same or list(shape_of(inner.results[0])) == middle:
        return None
    dropped, added = (
        groups_without(len(extents), [dim for dim, extent in enumerate(extents) if extent == 1])
        for extents in (shape_of(source), shape_of(result))
    )
    return expand(collapse(source, dropped, middle), added, shape_of(result))


def _refinement(old: Sequence[int], new: Sequence[int]) -> list[int] | None:
    """Extents whose runs multiply up to both `old` and `new`, or None: (4, 5) and (2, 10) have (2,
    2, 5).
    """
    left, right = list(old), list(new)
    parts = []
    while left and right:
        part = min(left[0], right[0])
        if left[0] % part or right[0] % part:
            return None
        parts.append(part)
        for side in (left, right):
            side[0] //= part
            if side[0] == 1:
                side.pop(0)
    return None if left or right else parts


def _grouped(parts: Sequence[int], extents: Sequence[int], first: int) -> list[list[int]]:
    """Runs of `parts`, numbered from `first`, that multiply up to each of `extents`."""
    groups = []
    position = 0
    for extent in extents:
        group = [first + position]
        product = parts[position]
        position += 1
        while product < extent:
            product *= parts[position]
            group.append(first + position)
            position += 1
        groups.append(group)
    return groups
