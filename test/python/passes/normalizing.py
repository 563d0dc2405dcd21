"""From a PyTorch module to its raw and normalised linalg, for the tests of the normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from ktir.frontend.importer import ImportedModel, import_model
from ktir.machine.functions import run_function
from ktir.mlir import ir
from ktir.mlir._mlir_libs import _ktir
from ktir.passes.ir_utils import functions_of
from ktir.passes.normalization import NORMALIZE
from ktir.passes.normalization.generics import Generic, generic, operations


@dataclass(frozen=True)
class Normalized:
    """A module of the `linalg` level and where it comes from."""

    imported: ImportedModel
    module: ir.Module

    @property
    def ops(self) -> list[ir.Operation | ir.OpView]:
        """The ops of the function, in order."""
        return list(operations(self.module.operation))

    @property
    def generics(self) -> list[Generic]:
        return [view for op in self.ops if (view := generic(op)) is not None]

    @property
    def arguments(self) -> list[ir.Value]:
        (function,) = functions_of(self.module.operation)
        return list(function.regions[0].blocks[0].arguments)

    def names(self, view: Generic) -> list[str]:
        """The ops of a body by name."""
        return [op.operation.name for op in view.body_ops]

    def run(self, args: Sequence[Any]) -> list[Tensor]:
        """The results of `main` for a call of the model."""
        return run_function(self.module, tensors(self.imported, args))


def parse(text: str) -> ir.Module:
    context = ir.Context()
    context.allow_unregistered_dialects = True
    return ir.Module.parse(text, context)


def run_passes(module: ir.Module, passes: Sequence[str]) -> None:
    """Runs passes in place; a failure is an assertion with the diagnostics."""
    succeeded, diagnostics = _ktir.run_pipeline(
        module.operation, f"builtin.module({','.join(passes)})"
    )
    assert succeeded, diagnostics


def tensors(imported: ImportedModel, args: Sequence[Any]) -> list[Tensor]:
    """The operands of `main` for a call of the model."""
    state = {a.name: a.tensor for a in imported.arguments if a.tensor is not None}
    given = {**state, **imported.convention.flatten(args)}
    return [given[argument.name] for argument in imported.arguments]


def run_raw(imported: ImportedModel, args: Sequence[Any]) -> list[Tensor]:
    """The results of the text as imported, less the assertions."""
    module = parse(imported.text)
    run_passes(module, ["ktir-erase-asserts"])
    return run_function(module, tensors(imported, args))


def normalize(model: nn.Module, args: Sequence[Any]) -> Normalized:
    imported = import_model(model, args)
    module = parse(imported.text)
    run_passes(module, NORMALIZE)
    return Normalized(imported, module)
