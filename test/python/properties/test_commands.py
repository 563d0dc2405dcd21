"""A few kernels with a fault through the commands: an error message and an exit status."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from cli.support import ktir
from hypothesis import HealthCheck, Phase, assume, given, settings
from torch import Tensor

from .faults import (
    Fault,
    Plant,
    beyond_the_end,
    deadlock,
    garbage,
    other_shape,
    outside_the_array,
    planted,
    truncated,
    undefined_name,
)

FEW = settings(
    max_examples=3,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)


def written(fault: Fault, folder: Path) -> tuple[Path, list[str]]:
    """The kernel's file, and the arguments for `ktir run`."""
    kernel = fault.kernel
    file = folder / "kernel.mlir"
    file.write_text(kernel.text)
    assume(not kernel.device)
    given_as = []
    for name, value in kernel.arguments.items():
        if isinstance(value, Tensor):
            assume(value.dtype is not torch.bfloat16)
            np.save(folder / f"{name}.npy", value.numpy())
            given_as += ["--in", f"{name}={folder / name}.npy"]
        else:
            given_as += ["--in", f"{name}={value}"]
    return file, given_as


@pytest.mark.parametrize(
    "plant",
    [truncated, garbage, other_shape, beyond_the_end, outside_the_array, deadlock],
    ids=lambda plant: plant.__name__,
)
def test_run_refuses(plant: Plant, tmp_path: Path) -> None:
    @FEW
    @given(planted(plant))
    def refused(fault: Fault) -> None:
        file, arguments = written(fault, tmp_path)
        result = ktir("run", file, "--func", "kernel", *arguments)
        assert result.returncode in (1, 2), (result, fault)
        assert result.stderr.startswith("error: "), (result, fault)
        assert "Traceback" not in result.stderr, (result, fault)

    refused()


@pytest.mark.parametrize(
    "plant", [truncated, garbage, undefined_name, other_shape], ids=lambda plant: plant.__name__
)
def test_opt_refuses(plant: Plant, tmp_path: Path) -> None:
    @FEW
    @given(planted(plant))
    def refused(fault: Fault) -> None:
        file, _ = written(fault, tmp_path)
        command = [Path(sys.executable).parent / "ktir-opt", file]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert result.returncode == 1, (result, fault)
        assert "error:" in result.stderr, (result, fault)

    refused()
