"""`memref` ops inside kernels that see the same elements in other dimensions: `transpose`,
`expand_shape`, `collapse_shape`.

Owns their decoding at level `ktir`. Dimensions that are divided or joined must be valid as a whole;
only one that stays alone among ones keeps limits of its own.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Sequence
from typing import Any

from ktir.errors import UnsupportedError
from ktir.machine.block import Step
from ktir.machine.coresets import CoreSet
from ktir.machine.decode import Scope, handler
from ktir.machine.frame import Frame
from ktir.machine.kernel_memory import box_set, kernel_scope, view_of
from ktir.machine.percore import PerCore, apply
from ktir.machine.slices import Mixed, static_ints
from ktir.machine.views import View
from ktir.mlir import ir


@dataclasses.dataclass(frozen=True)
class _Dimension:
    """One dimension of a view: elements, elements between neighbours, valid coordinates."""

    size: PerCore
    stride: PerCore
    dynamic: bool
    limits: tuple[PerCore, PerCore]
    backed: tuple[PerCore, PerCore]

    @property
    def is_whole(self) -> bool:
        """Whether all of its coordinates are valid, and no others are asked for."""
        return not self.dynamic and all(
            max(low) <= 0 and all(apply(operator.ge, high, self.size))
            for low, high in (self.limits, self.backed)
        )


_ONE = _Dimension([1], [0], False, ([0], [1]), ([0], [1]))


def _dimensions(view: View) -> list[_Dimension]:
    if view.stated is None:
        raise UnsupportedError(f"other dimensions of {view.name}, whose coordinate set is no box")
    return [
        _Dimension(*each)
        for each in zip(
            view.sizes, view.strides, view.dynamic, view.stated, view.elements, strict=True
        )
    ]


def _made(view: View, what: str, dims: Sequence[_Dimension], context: ir.Context) -> View:
    limits = [end for dim in dims for end in dim.limits]
    return dataclasses.replace(
        view,
        name=f"{what} of {view.name}",
        sizes=tuple(dim.size for dim in dims),
        strides=tuple(dim.stride for dim in dims),
        dynamic=tuple(dim.dynamic for dim in dims),
        valid=CoreSet(box_set(len(dims), context), limits),
        backed=view.backed and tuple(dim.backed for dim in dims),
    )


@handler("memref.transpose")
def decode_transpose(op: Any, scope: Scope) -> Step:
    """The dimensions in another order."""
    kernel_scope(op, scope)
    order = [
        ir.AffineDimExpr(expr).position
        for expr in ir.AffineMapAttr(op.attributes["permutation"]).value.results
    ]
    source, context = scope.slot(op.operands[0]), op.context
    result = scope.define(op.results[0])

    def transpose(frame: Frame) -> None:
        view = view_of(frame[source], "another order")
        dims = _dimensions(view)
        frame[result] = _made(view, "another order", [dims[dim] for dim in order], context)

    return transpose


def _groups(op: Any) -> list[list[int]]:
    return [[ir.IntegerAttr(d).value for d in group] for group in op.attributes["reassociation"]]


@handler("memref.expand_shape")
def decode_expand(op: Any, scope: Scope) -> Step:
    """Dimensions divided."""
    kernel_scope(op, scope)
    source, *dynamic = scope.slots(list(op.operands))
    shape = Mixed(static_ints(op, "static_output_shape"), dynamic)
    groups, context = _groups(op), op.context
    result = scope.define(op.results[0])

    def expand(frame: Frame) -> None:
        view = view_of(frame[source], "divided dimensions")
        sizes = shape.per_core(frame)
        dims: list[_Dimension] = []
        for whole, group in zip(_dimensions(view), groups, strict=True):
            dims += _divided(view, whole, [sizes[dim] for dim in group])
        frame[result] = _made(view, "divided dimensions", dims, context)

    return expand


def _divided(view: View, whole: _Dimension, sizes: Sequence[PerCore]) -> list[_Dimension]:
    longer = [size for size in sizes if max(size) != 1]
    if len(longer) == 1:
        return [whole if size is longer[0] else _ONE for size in sizes]
    if not whole.is_whole:
        raise UnsupportedError(
            f"a dimension of {view.name} is divided that is not valid as a whole"
        )
    found: list[_Dimension] = []
    stride = whole.stride
    for size in reversed(sizes):
        found.insert(0, _Dimension(size, stride, False, ([0], size), ([0], size)))
        stride = apply(operator.mul, stride, size)
    return found


@handler("memref.collapse_shape")
def decode_collapse(op: Any, scope: Scope) -> Step:
    """Neighbouring dimensions joined."""
    kernel_scope(op, scope)
    source, groups, context = scope.slot(op.operands[0]), _groups(op), op.context
    result = scope.define(op.results[0])

    def collapse(frame: Frame) -> None:
        view = view_of(frame[source], "joined dimensions")
        dims = _dimensions(view)
        joined = [_joined(view, [dims[dim] for dim in group]) for group in groups]
        frame[result] = _made(view, "joined dimensions", joined, context)

    return collapse


def _joined(view: View, dims: Sequence[_Dimension]) -> _Dimension:
    longer = [dim for dim in dims if max(dim.size) != 1]
    if len(longer) < 2:
        return (longer or [_ONE])[0]
    found = longer[-1]
    for dim in reversed(longer[:-1]):
        apart = apply(operator.mul, found.stride, found.size)
        if not (dim.is_whole and found.is_whole and all(apply(operator.eq, apart, dim.stride))):
            raise UnsupportedError(
                f"dimensions of {view.name} are joined that are not valid as a whole, or do not "
                "follow on each other"
            )
        size = apply(operator.mul, dim.size, found.size)
        found = _Dimension(size, found.stride, False, ([0], size), ([0], size))
    return found
