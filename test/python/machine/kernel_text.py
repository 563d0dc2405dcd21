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
from ktir.options import CompileOptions
from ktir.pipeline import run_stage
from ktir.target import load_target


def run(
    source: str | Path,
    func: str | None = None,
    args: Mapping[str, Any] | Sequence[Any] = (),
    **options: Any,
) -> Result:
    """`ktir.machine.kernel.run` with the argument names of the text, lowered where the options say
    `level="sdf"`."""
    if isinstance(source, str):
        text, module = source, parse_module(source, "a test", ir.Context())
    else:
        text, module = source.read_text(), parse_file(source, ir.Context())
    target = options.get("target") or load_target()
    compiling = CompileOptions(target_file=target)
    return kernel.run(
        module,
        func,
        args,
        names=argument_names(text),
        lower=lambda module: run_stage(module, "sdf", compiling, target),
        **options,
    )
