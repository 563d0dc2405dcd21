"""Kernels of a file: of MLIR text, or of a saved program.

Owns which module of the file a run or a description starts from, and the names of arguments there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ktir import package
from ktir.dialects import reading_context
from ktir.errors import InputError
from ktir.files import read_text
from ktir.levels import MLIR_LEVELS
from ktir.machine.source_names import argument_names
from ktir.mlir import ir
from ktir.modules import parse_module, parse_text_of
from ktir.store import missing
from ktir.target import Target

KERNEL_LEVELS = MLIR_LEVELS[-2:]
"""The levels at which kernels are functions of their own: `ktir` and `sdf`."""


class KernelFile(NamedTuple):
    """A module with kernels, the names that its text gives to their arguments, and the device that
    a saved program was compiled for, if it is not the built-in one.
    """

    module: ir.Operation
    names: Mapping[str, Sequence[str]]
    target: Target | None


def read_kernels(file: str | Path, level: str | None = None) -> KernelFile:
    """The kernels of a file: of a saved program the module to run at `level`, `ktir` if there is
    no saved `sdf`; the first that has kernels if `level` is None.

    Raises InputError for a file that cannot be read or a program without that level, VerifyError
    for text that is not legal.
    """
    path = Path(file)
    if path.suffix == package.SUFFIX:
        return _of_package(path, level)
    text = read_text(path)
    return KernelFile(parse_text_of(path, text, reading_context()), argument_names(text), None)


def _of_package(path: Path, level: str | None) -> KernelFile:
    contents = package.read_package(path)
    saved = [one for one in KERNEL_LEVELS if one in contents.texts]
    usable = {None: KERNEL_LEVELS, "sdf": KERNEL_LEVELS[::-1]}.get(level, (str(level),))
    chosen = next((one for one in usable if one in saved), None)
    if chosen is None:
        have = [name for name in MLIR_LEVELS if name in contents.texts]
        raise InputError(f"{path}: {missing(level or KERNEL_LEVELS[0], have)}")
    text = contents.texts[chosen]
    module = parse_module(text, f"{path} ({chosen}.mlir)", reading_context())
    return KernelFile(module, argument_names(text), contents.target)
