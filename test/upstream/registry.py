"""The ops that the installed MLIR registers, by dialect."""

from __future__ import annotations

import importlib
import inspect

DIALECTS = (
    "arith", "math", "index", "tensor", "linalg", "scf", "affine", "func", "cf", "memref", "vector",
    "ub",
)  # fmt: skip
"""Dialects that a kernel may be written in beside `ktdp` and `spyreop`."""


def registered(dialect: str) -> list[str]:
    """The names of all ops of a dialect, in alphabetical order."""
    module = importlib.import_module(f"ktir.mlir.dialects._{dialect}_ops_gen")
    names: set[str] = {
        vars(cls)["OPERATION_NAME"]
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if "OPERATION_NAME" in vars(cls)
    }
    return sorted(name for name in names if name.startswith(f"{dialect}."))
