"""Runs a kernel of MLIR text, or of a file, on arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from ktir.machine import kernel
from ktir.machine.functions import Library
from ktir.machine.kernel import Result
from ktir.machine.launch import decode_kernel, kernels_of
from ktir.machine.memory import DeviceMemory
from ktir.machine.profile import KernelProfile
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


def count_only(text: str, arguments: list[int], size: int = 1 << 20) -> KernelProfile:
    """The profile of a walk without values; one array is all of device memory."""
    with ir.Context():
        module = ir.Module.parse(text)
        op = next(iter(kernels_of(module.operation).values()))
        kernel = decode_kernel(op, Library(module.operation), load_target(), values=False)
    memory = DeviceMemory(size, values=False)
    memory.add_region("all", 0, size)
    values = [torch.tensor([a]) for a in arguments]
    return kernel.launch(values, memory, load_target(), values=False)


def counts(profile: KernelProfile) -> tuple[Any, ...]:
    """All that a program of level `sdf` counts."""
    return (
        profile.read_bytes,
        profile.written_bytes,
        profile.macs,
        profile.vector_elements,
        profile.scratchpad_peak,
        profile.matrix_ns,
        profile.vector_ns,
    )
