"""`ktir run` for kernels that were saved: names of arguments, levels, kernels of whole programs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from api.models import KERNEL

import ktir as package

from .support import assert_refused, ktir


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kernel saved from level `ktir`, and from level `sdf`; arrays."""
    folder = tmp_path_factory.mktemp("saved")
    (folder / "double.ktir").write_text(KERNEL)
    x = np.arange(256, dtype=np.float16).reshape(4, 64)
    np.save(folder / "x.npy", x)
    np.save(folder / "twice.npy", x + x)
    lowered = ("--emit", "sdf", "--locations", "-o", "low.sdf.mlir")
    for arguments in (
        ("double.ktir", "-o", "double.ktirpkg"),
        ("double.ktir", *lowered),
        ("low.sdf.mlir", "-o", "low.ktirpkg"),
    ):
        result = ktir("compile", *arguments, cwd=folder)
        assert result.returncode == 0, result.stderr
    return folder


RUNS = [
    ("double.ktirpkg", None, "ktir"),
    ("double.ktirpkg", "ktir", "ktir"),
    ("double.ktirpkg", "sdf", "sdf"),
    ("low.ktirpkg", None, "sdf"),
    ("low.sdf.mlir", None, "sdf"),
]


@pytest.mark.parametrize(("file", "level", "ran"), RUNS)
def test_saved_kernels_run_by_the_names_of_their_file(
    folder: Path, file: str, level: str | None, ran: str
) -> None:
    given = ("--in", "x_ptr=x.npy", "--expect", "y_ptr=twice.npy", "--json")
    chosen = () if level is None else ("--level", level)
    result = ktir("run", file, *given, *chosen, cwd=folder)
    assert result.returncode == 0, result.stderr + result.stdout
    found = json.loads(result.stdout)
    assert found["level"] == ran
    assert found["outputs"]["y_ptr"]["comparison"]["equal"]


@pytest.mark.parametrize("file", ["double.ktirpkg", "low.ktirpkg"])
def test_saved_kernels_are_described(folder: Path, file: str) -> None:
    result = ktir("run", file, "--describe", cwd=folder)
    assert result.returncode == 0, result.stderr
    _, _, x, y, _ = result.stdout.splitlines()
    assert x.split()[:4] == ["x_ptr", "in", "f16", "4x64"]
    assert y.split()[:4] == ["y_ptr", "out", "f16", "4x64"]


def test_levels_of_saved_kernels_are_compared(folder: Path) -> None:
    result = ktir("run", "double.ktirpkg", "--in", "x_ptr=x.npy", "--bisect", cwd=folder)
    assert result.returncode == 0, result.stderr
    assert "all levels agree: ktir, sdf" in result.stdout


def test_a_kernel_of_a_program(folder: Path) -> None:
    saved = folder / "model.ktirpkg"
    assert ktir("compile", "cli.factories:linear", "-o", saved).returncode == 0
    kernels = json.loads(ktir("run", saved, "--describe", "--json").stdout)["kernels"]
    name, inputs = kernels[0]["kernel"], [a for a in kernels[0]["arguments"] if a["role"] == "in"]
    given = [text for a in inputs for text in ("--in", f"{a['name']}=ones")]
    for level in ("ktir", "sdf"):
        result = ktir("run", saved, "--func", name, *given, "--level", level)
        assert result.returncode == 0, result.stderr
        assert f"@{name} on" in result.stdout


def test_a_level_that_was_not_saved(folder: Path) -> None:
    given = ("--in", "x_ptr=x.npy", "--level")
    assert_refused(ktir("run", "low.ktirpkg", *given, "ktir", cwd=folder), "'ktir'", "sdf")
    assert_refused(ktir("run", "double.ktirpkg", *given, "plan", cwd=folder), "'plan'", "ktir, sdf")


def test_run_kernel_takes_saved_kernels(folder: Path) -> None:
    x = np.load(folder / "x.npy")
    for level in ("ktir", "sdf"):
        found = package.run_kernel(folder / "double.ktirpkg", x_ptr=x, level=level)
        np.testing.assert_array_equal(found["y_ptr"], x + x)
    with pytest.raises(package.InputError, match="no level 'ktir'; it has sdf"):
        package.run_kernel(folder / "low.ktirpkg", x_ptr=x)
