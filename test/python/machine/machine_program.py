"""Runs a function written as MLIR text on the machine, on one core or many."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

import ktir.machine.dialects  # noqa: F401  (registers the ops)
from ktir.machine.frame import Frame, Run
from ktir.machine.functions import Library
from ktir.mlir import ir


def run(text: str, *args: Tensor, grid: Sequence[int] = (), name: str = "f") -> list[Tensor]:
    """Results of @f on values with a core axis, for all cores of the grid."""
    with ir.Context(), ir.Location.unknown():
        function = Library(ir.Module.parse(text)).find(name)
    state = Run(grid)
    return function.call(Frame((), state, state.everyone), args)
