"""Running a program at any level: one interface over what executes each of them.

`torch` runs the exported program, `linalg` and `plan` run as functions on tensors, `ktir` and `sdf`
run on the machine with kernels, device memory and counters. All take inputs by argument name and
give the results of `main` in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

import torch
from torch import Tensor

from ktir.errors import KtirError
from ktir.frontend.calling import ResultOutput
from ktir.interface import as_dtype
from ktir.machine.functions import run_function
from ktir.machine.host import Program
from ktir.machine.profile import RunProfile
from ktir.mlir import ir
from ktir.options import CompileOptions
from ktir.signature import Signature, signature_of
from ktir.target import Target

if TYPE_CHECKING:
    from torch.export.graph_signature import InputSpec

    from ktir.frontend.export import Exported


class Executor(Protocol):
    """Runs one level of one program."""

    def run(self, inputs: Mapping[str, Tensor]) -> list[Tensor]:
        """The results of `main` for inputs by argument name."""

    def profile(self, inputs: Mapping[str, Tensor]) -> tuple[list[Tensor], RunProfile]:
        """The same, with what was counted. Raises KtirError at levels without kernels."""

    def estimate(self) -> RunProfile:
        """What would be counted, without data. Raises KtirError at levels without kernels."""


def executor(
    level: str, source: Any, weights: Mapping[str, Tensor], target: Target, options: CompileOptions
) -> Executor:
    """What runs `source` at `level`: an `Exported` at `torch`, a module below."""
    if level == "torch":
        return _Torch(source)
    if level in ("linalg", "plan"):
        return _Functions(level, source, weights)
    return _Machine(source, weights, target, options.check)


class _Untimed:
    """What levels without kernels answer when asked for a profile."""

    level = ""

    def profile(self, inputs: Mapping[str, Tensor]) -> tuple[list[Tensor], RunProfile]:
        raise KtirError(f"level {self.level!r} has no kernels to profile; 'ktir' and 'sdf' have")

    def estimate(self) -> RunProfile:
        raise KtirError(f"level {self.level!r} has no kernels to estimate; 'ktir' and 'sdf' have")


class _Torch(_Untimed):
    """The exported program, run by torch."""

    level = "torch"

    def __init__(self, exported: Exported) -> None:
        self._exported = exported

    def run(self, inputs: Mapping[str, Tensor]) -> list[Tensor]:
        program = self._exported.program
        values = [self._value(spec, inputs) for spec in program.graph_signature.input_specs]
        with torch.no_grad():
            outputs = program.graph_module(*values)
        results = {
            output.index: value
            for output, value in zip(self._exported.convention.outputs, outputs, strict=True)
            if isinstance(output, ResultOutput)
        }
        return [results[index] for index in range(len(self._exported.results))]

    def _value(self, spec: InputSpec, inputs: Mapping[str, Tensor]) -> Any:
        from torch.export.graph_signature import ConstantArgument, InputKind

        program = self._exported.program
        if spec.kind is not InputKind.USER_INPUT:
            state = program.state_dict.get(str(spec.target))
            return program.constants[str(spec.target)] if state is None else state
        if isinstance(spec.arg, ConstantArgument):
            return spec.arg.value
        return inputs[spec.arg.name]


class _Functions(_Untimed):
    """A function on tensors, run on one core."""

    def __init__(self, level: str, module: ir.Operation, weights: Mapping[str, Tensor]) -> None:
        self.level = level
        self._module = module
        self._weights = weights

    def run(self, inputs: Mapping[str, Tensor]) -> list[Tensor]:
        return run_function(self._module, _arguments(self._module, inputs, self._weights), "main")


class _Machine:
    """Kernels launched by a host function; decoded when first needed, for estimates apart."""

    def __init__(
        self, module: ir.Operation, weights: Mapping[str, Tensor], target: Target, check: str
    ) -> None:
        self._module = module
        self._weights = weights
        self._target = target
        self._check = check
        self._program: Program | None = None
        self._estimate: RunProfile | None = None

    def run(self, inputs: Mapping[str, Tensor]) -> list[Tensor]:
        return self.profile(inputs)[0]

    def profile(self, inputs: Mapping[str, Tensor]) -> tuple[list[Tensor], RunProfile]:
        program = self._decoded()
        given = [as_dtype(inputs[operand.name], operand.dtype) for operand in program.inputs]
        return program.run(given)

    def estimate(self) -> RunProfile:
        if self._estimate is None:
            self._estimate = self._decode({}, values=False).estimate()
        return self._estimate

    def _decoded(self) -> Program:
        if self._program is None:
            signature = _signature(self._module)
            constants = {
                argument.name: as_dtype(self._weights[argument.name], argument.dtype)
                for argument in signature.arguments
                if argument.name in self._weights
            }
            self._program = self._decode(constants, values=True)
        return self._program

    def _decode(self, constants: Mapping[str, Tensor], values: bool) -> Program:
        # The machine reads what modules and operations have in common: `operation` and `context`.
        module = cast(ir.Module, self._module)
        return Program(module, constants, target=self._target, check=self._check, values=values)


def _signature(module: ir.Operation) -> Signature:
    signature = signature_of(module)
    if signature is None:
        raise KtirError("the program has no @main")
    return signature


def _arguments(
    module: ir.Operation, inputs: Mapping[str, Tensor], weights: Mapping[str, Tensor]
) -> list[Tensor]:
    """The arguments of `main` in order, as the machine holds them."""
    given = {**weights, **inputs}
    arguments = _signature(module).arguments
    return [as_dtype(given[argument.name], argument.dtype) for argument in arguments]
