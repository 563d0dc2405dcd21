"""What `ktir run FILE` runs: a program with an `@main`, or one kernel.

Owns finding out which of the two a file is, and giving both one face: levels, and a run at a level
from arrays by name to arrays by name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from ktir import package
from ktir.api import compile_ir, launch_kernel, load
from ktir.compiled import Compiled
from ktir.contracts import main_function
from ktir.errors import InputError
from ktir.levels import LAST, MLIR_LEVELS, check_level, level_of_file
from ktir.modules import new_context, parse_file
from ktir.options import CompileOptions
from ktir.target import Target, load_target
from ktir.tools.models import state_of

KERNEL_LEVELS = MLIR_LEVELS[-2:]
"""The levels at which kernels are functions of their own, so that a file may hold nothing else."""


class Subject(Protocol):
    """Something that runs at several levels."""

    levels: tuple[str, ...]
    default_level: str

    def run(self, level: str, given: Mapping[str, Any]) -> dict[str, Tensor]:
        """Outputs by name.

        Raises InputError for arrays that do not fit, MachineError for faults.
        """


def subject_of(
    file: Path,
    func: str | None,
    check: str,
    weights: Path | None,
    target_file: Path | None,
    device: Mapping[int, Any],
) -> Subject:
    """The program or kernel in `file`. Raises InputError for options that do not go with it."""
    target = load_target(target_file)
    if file.suffix == package.SUFFIX:
        _refuse(func is not None, "--func", f"{file} is a whole program; give a .mlir file")
        _refuse(weights is not None, "--weights", f"{file} brings its own")
        _refuse(target_file is not None, "--target-file", f"{file} was compiled for its own target")
        _refuse(bool(device), "--at", f"{file} places its own arrays")
        return Program(load(file), check)
    level = level_of_file(file)
    if level in KERNEL_LEVELS and (func is not None or not _has_main(file)):
        _refuse(weights is not None, "--weights", "a kernel takes all arrays with --in")
        return Kernel(file, func, level, check, target, dict(device))
    _refuse(func is not None, "--func", f"{file} is at level {level}, where @main is all there is")
    _refuse(bool(device), "--at", f"@main of {file} places its own arrays; use --func for a kernel")
    like, state = state_of(weights)
    options = None if target_file is None else CompileOptions(target_file=target)
    return Program(compile_ir(file, weights=state, like=like, options=options), check)


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

    def run(self, level: str, given: Mapping[str, Any]) -> dict[str, Tensor]:
        """See `Subject`."""
        interface = self._compiled.interface
        if interface is None:
            raise InputError("the program has no @main; run one of its kernels with --func")
        tensors = {name: torch.as_tensor(value) for name, value in given.items()}
        inputs = interface.bind_names(tensors)
        results = self._compiled.execute(level, inputs)
        return interface.by_name(results, {**self._compiled.weights, **inputs})


class Kernel:
    """One kernel; every array argument is an output as well, by name or by address."""

    def __init__(
        self,
        file: Path,
        func: str | None,
        level: str,
        check: str,
        target: Target,
        device: dict[int, Any],
    ) -> None:
        self.levels: tuple[str, ...] = ("ktir", "sdf") if level == "ktir" else ("sdf",)
        self.default_level = self.levels[0]
        self._file, self._func, self._check = file, func, check
        self._target, self._device = target, device

    def run(self, level: str, given: Mapping[str, Any]) -> dict[str, Tensor]:
        """See `Subject`."""
        check_level(level, self.levels, "level for a kernel")
        result = launch_kernel(
            self._file, given, self._func, self._check, None, level, self._device, self._target
        )
        return {str(name): array for name, array in result.arrays.items()}
