"""Runs a kernel of MLIR text, or of a file, on arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ktir.machine import kernel
from ktir.machine.kernel import Result
from ktir.machine.source_names import argument_names
from ktir.mlir import ir
from ktir.modules import parse_file, parse_module


def run(
    source: str | Path,
    func: str | None = None,
    args: Mapping[str, Any] | Sequence[Any] = (),
    **options: Any,
) -> Result:
    """`ktir.machine.kernel.run` with the argument names of the text."""
    if isinstance(source, str):
        text, module = source, parse_module(source, "a test", ir.Context())
    else:
        text, module = source.read_text(), parse_file(source, ir.Context())
    return kernel.run(module, func, args, names=argument_names(text), **options)
