"""Gives tensors of one value their named form back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import is_tensor, shape_of
from ktir.passes.normalization.building import (
    fill,
)
from ktir.passes.normalization.generics import Generic, each_generic, is_elementwise


@register
@dataclass(frozen=True)
class RestoreFills(ModulePass):
    """Rewrite generics that yield one scalar everywhere as `linalg.fill`.

    Requires: nothing. Upstream's generalisation rewrites fills too, and fusion makes new
    constants; but a fill is what upstream folds into reshapes and consumers, and what later stages
    know as the start of a reduction. Ensures: no elementwise generic on tensors only yields a
    scalar made outside of it or given as a scalar operand.

        %r = linalg.generic {..} ins(%cst : f32) outs(%e : tensor<4xf32>) { linalg.yield %in : f32 }
    becomes
        %r = linalg.fill ins(%cst : f32) outs(%e : tensor<4xf32>)
    """

    NAME: ClassVar[str] = "ktir-restore-fills"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for view in each_generic(module):
                scalars = _filled_with(view)
                if scalars is not None:
                    _replace(view, scalars)


def _filled_with(view: Generic) -> list[ir.Value] | None:
    """The scalar that each result is filled with, or None if the generic does more than fill."""
    if not is_elementwise(view) or view.body_ops:
        return None
    scalars: list[ir.Value] = []
    for value in view.yielded:
        owner = value.owner
        if isinstance(owner, ir.Block) and owner == view.body:
            number = list(view.body.arguments).index(value)
            if number >= len(view.inputs) or is_tensor(view.inputs[number]):
                return None
            scalars.append(view.inputs[number])
        else:
            scalars.append(value)
    return scalars


def _replace(view: Generic, scalars: list[ir.Value]) -> None:
    with ir.InsertionPoint(view.op), view.op.location:
        for result, scalar in zip(view.op.results, scalars, strict=True):
            result.replace_all_uses_with(fill(scalar, shape_of(result), view.op.location))
    view.op.operation.erase()
