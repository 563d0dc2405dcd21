"""Gives each generic every tensor it reads only once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.normalization.building import (
    clone_generic,
    replace,
)
from ktir.passes.normalization.generics import (
    Generic,
    each_generic,
    is_used,
)
from ktir.passes.structured import Access


@register
@dataclass(frozen=True)
class MergeOperands(ModulePass):
    """Merge equal inputs of a generic and drop inputs that its body does not read.

    Requires: nothing. Fusion and CSE leave generics that name one tensor twice with one map. Each
    input becomes a load, so each shall be named once. An unread input stays if a loop takes its
    extent from it alone. Ensures: the inputs of a generic differ in value or map.

        linalg.generic ins(%x, %x) { %s = arith.addf %in, %in_0 }
    becomes
        linalg.generic ins(%x) { %s = arith.addf %in, %in }
    """

    NAME: ClassVar[str] = "ktir-merge-operands"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for view in each_generic(module):
                stands = _stand_ins(view)
                if len(set(stands)) < len(view.inputs) or None in stands:
                    _rebuild(view, stands)


def _stand_ins(view: Generic) -> list[int | None]:
    """For each input the input that stands for it; None for one that nothing reads."""
    read = [is_used(argument) for argument in view.body.arguments]
    if all(read) and len(set(view.inputs)) == len(view.inputs):
        return list(range(len(view.inputs)))
    first: dict[tuple[ir.Value, Access], int] = {}
    stands: list[int | None] = []
    for number, key in enumerate(zip(view.inputs, view.input_accesses, strict=True)):
        needed = read[number] or not _is_spare(view, number)
        stands.append(first.setdefault(key, number) if needed else None)
    return stands


def _is_spare(view: Generic, number: int) -> bool:
    others = [access for other, access in enumerate(view.accesses) if other != number]
    return set(view.accesses[number]) - {None} <= {loop for access in others for loop in access}


def _rebuild(view: Generic, stands: list[int | None]) -> None:
    kept = sorted({number for number in stands if number is not None})
    arguments = {old: kept.index(stand) for old, stand in enumerate(stands) if stand is not None}
    for number in range(len(view.inits)):
        arguments[len(view.inputs) + number] = len(kept) + number
    inputs = [view.inputs[number] for number in kept]
    accesses = [*(view.accesses[number] for number in kept), *view.init_accesses]
    with ir.InsertionPoint(view.op):
        op = clone_generic(view, inputs, view.inits, accesses, view.iterators, arguments)
    replace(view.op, op)
