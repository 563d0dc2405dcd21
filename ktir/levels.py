"""The levels: their names, their order, and the files that carry their name.

A level has one name, used for the IR, for `stop_after=` and `--emit`, and in files:
`NAME.LEVEL.mlir`, where a plain `.mlir` is `ktir`. What a level's IR must satisfy is in
`ktir.contracts`, how it is reached in `ktir.pipeline`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ktir.errors import InputError, did_you_mean

LEVELS = ("torch", "linalg", "plan", "ktir", "sdf")
"""All levels, from the model to the machine."""

MLIR_LEVELS = LEVELS[1:]
"""The levels that are MLIR: a compilation may start from any of them."""

LAST = LEVELS[-1]

IR_SUFFIXES = (".mlir", ".ktir")
"""How names of files with MLIR end."""


def check_level(level: object, known: Iterable[str] = LEVELS, what: str = "level") -> str:
    """`level` itself if it is one of `known`; raises InputError naming those if not."""
    names = tuple(known)
    if level not in names:
        near = did_you_mean(str(level), names)
        raise InputError(f"unknown {what} {level!r}; known: {', '.join(names)}{near}")
    return str(level)


def levels_after(level: str, last: str) -> tuple[str, ...]:
    """The levels that follow `level`, up to and including `last`; none if `last` is not below."""
    return LEVELS[LEVELS.index(level) + 1 : LEVELS.index(last) + 1]


def level_of_file(path: str | Path) -> str:
    """The level that a file's name states; `.ktir`, as some name their kernels, is level `ktir`.

    Raises InputError for a name that does not end in `.mlir` or `.ktir`.
    """
    name = Path(path).name
    if name.endswith(".ktir"):
        return "ktir"
    if not name.endswith(IR_SUFFIXES):
        raise InputError(
            f"{path}: expected a file named NAME.LEVEL.mlir (levels: {', '.join(MLIR_LEVELS)}) or "
            "NAME.mlir"
        )
    stated = name.removesuffix(".mlir").rpartition(".")[2]
    return stated if stated in MLIR_LEVELS else "ktir"


def stem_of_file(path: str | Path) -> str:
    """NAME of a file named NAME.LEVEL.mlir, NAME.mlir or NAME.suffix."""
    name = Path(path).name
    stem = name.removesuffix(".mlir")
    if stem == name:
        return Path(name).stem
    head, dot, stated = stem.rpartition(".")
    return head if dot and stated in MLIR_LEVELS else stem
