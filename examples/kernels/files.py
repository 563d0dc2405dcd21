"""Writes arguments and results of a kernel as files, and says how `ktir run` takes them.

Arrays become `.npy`, bf16 becomes `.safetensors`, which numpy's format lacks; scalars stand in the
command.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch

from examples.kernels.catalog import Example
from examples.kernels.contract import Case, Oracle


def write(example: Example, case: Case, folder: Path, seed: int = 0) -> list[str]:
    """Writes what `example` takes and must give for `case` to `folder`/NAME, which is made.

    Returns the arguments of `ktir` that run the kernel on these files and compare the results.
    """
    oracle = example.oracle
    inputs = oracle.inputs(case, seed)
    target = folder / example.name
    target.mkdir(parents=True, exist_ok=True)
    command = ["run", os.path.relpath(example.path)]
    for name, value in inputs.items():
        text = str(value) if _is_scalar(value) else str(_save(target / name, name, value))
        command += ["--in", f"{name}={text}"]
    for name, values in oracle.expected(inputs).items():
        command += ["--expect", f"{name}={_save(target / f'{name}.expected', name, values)}"]
    return command + _tolerances(oracle)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (bool, int, float))


def _save(stem: Path, name: str, array: Any) -> Path:
    """Writes one array; returns its file."""
    if isinstance(array, torch.Tensor):
        path = Path(f"{stem}.safetensors")
        safetensors.torch.save_file({name: array.contiguous()}, path)
    else:
        path = Path(f"{stem}.npy")
        np.save(path, array, allow_pickle=False)
    return path


def _tolerances(oracle: Oracle) -> list[str]:
    if oracle.rtol == oracle.atol == 0:
        return []
    return ["--rtol", f"{oracle.rtol:g}", "--atol", f"{oracle.atol:g}"]
