"""What `ktir run FILE` runs: a program with an `@main`, or one kernel.

Owns finding out which of the two a file is, and giving both one face: levels, and a run at a level
from arrays by name to arrays by name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from ktir import package
from ktir.api import compile_ir, launch_kernel, load
from ktir.compiled import Compiled
from ktir.contracts import main_function
from ktir.describe import Description, describe_chosen, describe_file
from ktir.errors import InputError, did_you_mean
from ktir.interface import Interface
from ktir.kernel_files import KERNEL_LEVELS
from ktir.kernel_inputs import check_names, scalars_of
from ktir.levels import LAST, MLIR_LEVELS, check_level, level_of_file
from ktir.machine.profile import RunProfile
from ktir.modules import new_context, parse_file
from ktir.options import CompileOptions
from ktir.target import Target, load_target
from ktir.tools.arrays import Given
from ktir.tools.generated import DTYPES, Generated
from ktir.tools.models import state_of


class Ran(NamedTuple):
    """What a run left: outputs by name, and what it counted, for a kernel."""

    outputs: dict[str, Tensor]
    profile: RunProfile | None


class Subject(Protocol):
    """Something that runs at several levels."""

    levels: tuple[str, ...]
    default_level: str

    def inputs(self, given: Mapping[str, Given]) -> dict[str, Tensor | int | float]:
        """The inputs with those made that are to be made, in the shapes that are expected.

        Raises InputError for one whose shape nothing states.
        """

    def run(self, level: str, inputs: Mapping[str, Tensor | int | float]) -> Ran:
        """One run.

        Raises InputError for arrays that do not fit, MachineError for faults.
        """


def subject_of(
    file: Path,
    func: str | None,
    check: str,
    weights: Path | None,
    target_file: Path | None,
    device: Mapping[int, Given],
    scratchpads: Mapping[tuple[int, int], Given],
) -> Subject:
    """The program or kernel in `file`. Raises InputError for options that do not go with it."""
    placed = bool(device or scratchpads)
    if file.suffix == package.SUFFIX:
        _refuse(weights is not None, "--weights", f"{file} brings its own")
        _refuse(target_file is not None, "--target-file", f"{file} was compiled for its own target")
        program = load(file)
        if func is not None or program.interface is None:
            levels = tuple(level for level in KERNEL_LEVELS if level in program.levels)
            return Kernel(file, func, levels, check, None, device, scratchpads)
        _refuse(placed, "--at", f"{file} places its own arrays; use --func for a kernel of it")
        return Program(program, check)
    target = load_target(target_file)
    level = level_of_file(file)
    if level in KERNEL_LEVELS and (func is not None or not _has_main(file)):
        _refuse(weights is not None, "--weights", "a kernel takes all arrays with --in")
        levels = KERNEL_LEVELS[KERNEL_LEVELS.index(level) :]
        return Kernel(file, func, levels, check, target, device, scratchpads)
    _refuse(func is not None, "--func", f"{file} is at level {level}, where @main is all there is")
    _refuse(placed, "--at", f"@main of {file} places its own arrays; use --func for a kernel")
    like, state = state_of(weights)
    options = None if target_file is None else CompileOptions(target_file=target)
    return Program(compile_ir(file, weights=state, like=like, options=options), check)


def kernels_in(file: Path, func: str | None) -> tuple[Description, ...]:
    """The kernels of a file, or the one that `func` names; those of a program at level `ktir`.

    Raises InputError for a file without kernels.
    """
    _refuse(
        file.suffix != package.SUFFIX and level_of_file(file) not in KERNEL_LEVELS,
        "--describe",
        f"kernels exist at levels {' and '.join(KERNEL_LEVELS)}",
    )
    found = describe_file(file)
    if not found:
        raise InputError(f"--describe: there is no kernel in {file}")
    if func is None:
        return found
    name = func.removeprefix("@")
    chosen = tuple(kernel for kernel in found if kernel.name == name)
    if not chosen:
        names = [kernel.name for kernel in found]
        raise InputError(
            f"--func: there is no kernel @{name} in {file}; there are "
            f"{', '.join(f'@{known}' for known in names)}{did_you_mean(name, names)}"
        )
    return chosen


def _refuse(condition: bool, option: str, reason: str) -> None:
    if condition:
        raise InputError(f"{option} does not go with this file: {reason}")


def _has_main(file: Path) -> bool:
    return main_function(parse_file(file, new_context())) is not None


class Program:
    """A program with an `@main`: arrays by argument name, outputs by their path in the result."""

    default_level = LAST

    def __init__(self, compiled: Compiled, check: str) -> None:
        self._compiled = compiled
        compiled.options = dataclasses.replace(compiled.options, check=check)
        self.levels = tuple(level for level in compiled.levels if level in MLIR_LEVELS)

    def inputs(self, given: Mapping[str, Given]) -> dict[str, Tensor | int | float]:
        """See `Subject`."""
        expected = {value.name: value for value in self._interface().inputs}
        for name in given:
            if name not in expected:
                raise InputError(
                    f"there is no input {name!r}; there are {', '.join(expected) or 'none'}"
                    f"{did_you_mean(name, expected)}"
                )
        return {
            name: value.make(name, expected[name].shape, expected[name].dtype)
            if isinstance(value, Generated)
            else value
            for name, value in given.items()
        }

    def run(self, level: str, inputs: Mapping[str, Tensor | int | float]) -> Ran:
        """See `Subject`."""
        interface = self._interface()
        tensors = {name: torch.as_tensor(value) for name, value in inputs.items()}
        bound = interface.bind_names(tensors)
        results = self._compiled.execute(level, bound)
        return Ran(interface.by_name(results, {**self._compiled.weights, **bound}), None)

    def _interface(self) -> Interface:
        if self._compiled.interface is None:
            raise InputError("the program holds kernels and no @main")
        return self._compiled.interface


class Kernel:
    """One kernel; every array argument is an output as well, by name or by address."""

    def __init__(
        self,
        file: Path,
        func: str | None,
        levels: tuple[str, ...],
        check: str,
        target: Target | None,
        device: Mapping[int, Given],
        scratchpads: Mapping[tuple[int, int], Given],
    ) -> None:
        self.levels = levels
        self.default_level = levels[0]
        self._file, self._func, self._check = file, func, check
        self._target, self._given, self._local = target, device, scratchpads
        self._device: dict[int, Any] = {}
        self._scratchpads: dict[tuple[int, int], Any] = {}

    def inputs(self, given: Mapping[str, Given]) -> dict[str, Tensor | int | float]:
        """See `Subject`."""
        kernel = describe_chosen(self._file, self._func)
        check_names(kernel, given)
        scalars = scalars_of(kernel, given)
        self._device = {at: _made(at, value, kernel, scalars) for at, value in self._given.items()}
        self._scratchpads = {
            place: _made(f"core {place[0]} at {place[1]}", value, kernel, scalars)
            for place, value in self._local.items()
        }
        return {name: _made(name, value, kernel, scalars) for name, value in given.items()}

    def run(self, level: str, inputs: Mapping[str, Tensor | int | float]) -> Ran:
        """See `Subject`."""
        check_level(level, self.levels, "level for a kernel")
        result = launch_kernel(
            self._file,
            inputs,
            self._func,
            self._check,
            None,
            level,
            self._device,
            self._target,
            self._scratchpads,
        )
        outputs = {str(name): torch.as_tensor(array) for name, array in result.arrays.items()}
        return Ran(outputs, result.profile)


def _made(
    name: str | int, value: Given, kernel: Description, scalars: Mapping[str, int]
) -> Tensor | int | float:
    """An input, made if it is to be."""
    if not isinstance(value, Generated):
        return value
    argument = kernel.of(name)
    if argument is None or argument.shape is None:
        return value.make(str(name), None, None)
    dtype = DTYPES.get(argument.kind)
    return value.make(str(name), argument.shape.known(scalars), dtype, str(argument.shape))
