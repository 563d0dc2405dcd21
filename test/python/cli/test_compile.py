"""`ktir compile`: programs, IR of levels, plans, and starting again from edited IR."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
import torch
from api.models import KERNEL

import ktir as api

from .factories import linear
from .support import HERE, assert_refused, ktir

MODEL = "cli.factories:linear"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compile") / "linear.ktirpkg"
    result = ktir("compile", MODEL, "-o", path)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].split()[0] == "kernel"
    assert lines[-1].startswith(f"saved {path} (")
    assert result.stderr == "", "progress is for terminals only"
    return path


def test_the_program_is_that_of_the_api(package: Path) -> None:
    module, (x,), _ = linear()
    x = torch.randn(5, 65).half()
    expected = api.compile_module(module, (x,))
    found = api.load(package)
    assert found.ir("sdf") == expected.ir("sdf")
    assert torch.equal(found(x), expected(x))


def test_emit_prints_a_level(package: Path) -> None:
    result = ktir("compile", MODEL, "--emit", "plan")
    assert result.returncode == 0, result.stderr
    assert result.stdout == api.load(package).ir("plan")
    located = ktir("compile", MODEL, "--emit=linalg", "--locations")
    assert "loc(" in located.stdout


def test_emit_edit_resume(package: Path, tmp_path: Path) -> None:
    """A split is edited in the plan, the program compiled from it: other grid, same values."""
    result = ktir("compile", MODEL, "--emit", "plan", "-o", tmp_path)
    assert result.returncode == 0, result.stderr
    plan = tmp_path / "linear.plan.mlir"
    text = plan.read_text()
    assert "split = [5, 2] tile = [1, 64]" in text
    plan.write_text(text.replace("split = [5, 2] tile = [1, 64]", "split = [3, 1] tile = [2, 96]"))
    edited = tmp_path / "edited.ktirpkg"
    result = ktir("compile", plan, "--weights", package, "-o", edited, "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["plan"][0]["grid"] == [3]
    x = torch.randn(5, 65).half()
    assert torch.equal(api.load(edited)(x), api.load(package)(x))
    assert "grid = [3]" in api.load(edited).ir("ktir")


def test_an_illegal_edit_is_refused(tmp_path: Path) -> None:
    result = ktir("compile", MODEL, "--emit", "plan", "-o", tmp_path / "m.plan.mlir")
    assert result.returncode == 0, result.stderr
    plan = tmp_path / "m.plan.mlir"
    plan.write_text(plan.read_text().replace("tile = [1, 64]", "tile = [1, 60]"))
    result = ktir("compile", plan, "-o", tmp_path / "m.ktirpkg")
    assert_refused(result, "m.plan.mlir:8:", "tile 60 of dimension 1", "unit 64")
    assert not (tmp_path / "m.ktirpkg").exists()


def test_a_saved_export_is_a_model(package: Path, tmp_path: Path) -> None:
    file = tmp_path / "linear.pt2"
    result = ktir("compile", MODEL, "--emit", "torch", "-o", file)
    assert result.returncode == 0, result.stderr
    result = ktir("compile", file, "--emit", "linalg")
    assert result.returncode == 0, result.stderr
    assert result.stdout == api.load(package).ir("linalg")


def test_cores(tmp_path: Path) -> None:
    result = ktir("compile", MODEL, "-o", tmp_path / "m.ktirpkg", "--cores", "2", "--json")
    assert result.returncode == 0, result.stderr
    (row,) = json.loads(result.stdout)["plan"]
    assert row["split"] in ([2, 1], [1, 2])


def test_examples_of_the_help_run(tmp_path: Path) -> None:
    """In order, with a package and a file of the names they use."""
    (tmp_path / "mypackage").mkdir()
    factories = (HERE / "factories.py").read_text()
    (tmp_path / "mypackage" / "models.py").write_text(f"{factories}encoder = linear\n")
    (tmp_path / "kernels.mlir").write_text(KERNEL)
    text = ktir("compile", "--help").stdout.partition("Examples")[2]
    commands = [shlex.split(line) for line in text.splitlines() if line.startswith("   ktir ")]
    assert len(commands) >= 4
    for _, *arguments in commands:
        result = ktir(*arguments, cwd=tmp_path)
        assert result.returncode == 0, (arguments, result.stderr)


def test_help_has_examples() -> None:
    for command in ("compile", "run"):
        result = ktir(command, "--help")
        assert result.returncode == 0
        assert f"ktir {command} " in result.stdout.partition("Examples")[2]
    assert ktir("--help").returncode == 0
