"""The decomposition table that turns an exported program into operators whose linalg means what
torch means.

It is torch-mlir's own choice of decompositions with ours in front; ours live in the `decompose_*`
modules, one for each kind of operator, and register themselves while they are imported here.
"""

from __future__ import annotations

from typing import Any

# Imported for the decompositions they register.
from ktir.frontend import (
    decompose_activations,
    decompose_arithmetic,
    decompose_attention,
    decompose_casts,
    decompose_contractions,
    decompose_convolutions,
    decompose_division,
    decompose_indexing,
    decompose_reductions,
)
from ktir.frontend.lowering import default_decompositions
from ktir.frontend.opmath import REGISTRY, Decomposition

__all__ = [
    "decompose_activations",
    "decompose_arithmetic",
    "decompose_attention",
    "decompose_casts",
    "decompose_contractions",
    "decompose_convolutions",
    "decompose_division",
    "decompose_indexing",
    "decompose_reductions",
    "decomposition_table",
]


def decomposition_table() -> dict[Any, Decomposition]:
    """Decompositions by aten overload, for `ExportedProgram.run_decompositions`.

    Raises KtirError if torch-mlir is not installed.
    """
    return {**default_decompositions(), **REGISTRY}
