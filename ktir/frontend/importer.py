"""From a PyTorch module to raw linalg text, with everything needed to call it.

Assembles `export.py` and `lowering.py`. The text is torch-mlir's output as it is: named linalg ops,
asserts, concat and pad are left in it; the normalisation passes bring it to the `linalg` level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.export import ExportedProgram

from ktir.frontend.calling import CallingConvention
from ktir.frontend.export import Argument, Exported, Result, export_model
from ktir.frontend.lowering import lower_to_linalg


@dataclass(frozen=True)
class ImportedModel:
    """A model in linalg.

    `text` is generic MLIR whose `func.func @main` takes `arguments` in order, each named by a
    `ktir.name` attribute, and gives `results` in order. `program` is the `torch` level that it was
    made from.
    """

    text: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    convention: CallingConvention
    program: ExportedProgram


def import_model(
    model: nn.Module,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    dtype: torch.dtype | None = None,
) -> ImportedModel:
    """Import `model` for the shapes and dtypes of its example inputs.

    Raises ImportFailure if torch cannot export the model, UnsupportedError naming the operator, its
    operands and the source line for what is not supported, KtirError if torch-mlir is not
    installed.
    """
    return import_exported(export_model(model, args, kwargs, dtype))


def import_exported(exported: Exported) -> ImportedModel:
    """The same for a model already exported."""
    names = [argument.name for argument in exported.arguments]
    return ImportedModel(
        text=lower_to_linalg(exported.graph_module, names),
        arguments=exported.arguments,
        results=exported.results,
        convention=exported.convention,
        program=exported.program,
    )
