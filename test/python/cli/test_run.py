"""`ktir run`: programs and kernels on arrays from files, comparisons, bisection."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from api.models import KERNEL, RELU
from safetensors.torch import load_file, save_file

import ktir as api

from .factories import linear
from .support import assert_refused, ktir


class Files:
    """A saved program with an input and its output, in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        module, (x,), _ = linear()
        x = torch.randn(5, 65, generator=torch.Generator().manual_seed(1)).half()
        program = api.compile_module(module, (x,))
        self.package = folder / "linear.ktirpkg"
        program.save(self.package)
        np.save(folder / "x.npy", x.numpy())
        np.save(folder / "y.npy", program(x).numpy())
        self.x, self.y = folder / "x.npy", folder / "y.npy"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("run"))


def test_in_out_expect(files: Files, tmp_path: Path) -> None:
    out = tmp_path / "out.npy"
    result = ktir(
        "run", files.package, "--in", f"input={files.x}", "--out", f"output={out}",
        "--expect", f"output={files.y}",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "output" in result.stdout
    assert "equal" in result.stdout
    np.testing.assert_array_equal(np.load(out), np.load(files.y))
    assert list(tmp_path.iterdir()) == [out]


def test_a_failed_comparison(files: Files, tmp_path: Path) -> None:
    wrong = np.load(files.y)
    wrong[2, 3] += 1
    np.save(tmp_path / "wrong.npy", wrong)
    expect = f"output={tmp_path / 'wrong.npy'}"
    result = ktir("run", files.package, "--in", f"input={files.x}", "--expect", expect)
    assert result.returncode == 1
    assert "1 of 480 elements differ" in result.stdout
    assert "[2, 3]" in result.stdout
    assert result.stderr == ""
    result = ktir(
        "run",
        files.package,
        "--in",
        f"input={files.x}",
        "--expect",
        expect,
        "--atol",
        "1.01",
        "--json",
    )
    assert result.returncode == 0
    comparison = json.loads(result.stdout)["outputs"]["output"]["comparison"]
    assert comparison["equal"]
    assert 0.9 < comparison["worst"] < 1.1


def test_files_with_several_arrays(files: Files, tmp_path: Path) -> None:
    x = torch.from_numpy(np.load(files.x))
    save_file({"input": x}, tmp_path / "in.safetensors")
    np.savez(tmp_path / "in.npz", input=x.numpy())
    out = tmp_path / "out.safetensors"
    for source in (
        tmp_path / "in.safetensors",
        tmp_path / "in.npz",
        f"input={tmp_path / 'in.npz'}",
    ):
        result = ktir("run", files.package, "--in", source, "--out", f"output={out}")
        assert result.returncode == 0, result.stderr
        assert torch.equal(load_file(out)["output"], torch.from_numpy(np.load(files.y)))


@pytest.mark.parametrize("level", ["linalg", "plan", "ktir", "sdf"])
def test_at_any_level(files: Files, level: str) -> None:
    result = ktir(
        "run",
        files.package,
        "--in",
        f"input={files.x}",
        "--level",
        level,
        "--expect",
        f"output={files.y}",
    )
    assert result.returncode == 0, result.stderr + result.stdout


def test_ir_of_a_level_with_weights(files: Files, tmp_path: Path) -> None:
    plan = tmp_path / "linear.plan.mlir"
    plan.write_text(api.load(files.package).ir("plan"))
    arguments = ("--in", f"input={files.x}", "--expect", f"output={files.y}")
    result = ktir("run", plan, "--weights", files.package, *arguments)
    assert result.returncode == 0, result.stderr
    save_file(api.load(files.package).weights, tmp_path / "w.safetensors")
    for option in ("--weights", "--in"):
        result = ktir("run", plan, option, tmp_path / "w.safetensors", *arguments)
        assert result.returncode == 0, result.stderr


def test_a_kernel_by_name_and_level(tmp_path: Path) -> None:
    (tmp_path / "double.mlir").write_text(KERNEL)
    x = np.arange(256, dtype=np.float16).reshape(4, 64)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", np.zeros_like(x))
    np.save(tmp_path / "ref.npy", x + x)
    for level in ("ktir", "sdf"):
        result = ktir(
            "run", "double.mlir", "--func", "double", "--level", level, "--in", "x_ptr=x.npy",
            "--in", "y_ptr=y.npy", "--expect", "y_ptr=ref.npy", cwd=tmp_path,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr + result.stdout
    result = ktir(
        "run", "double.mlir", "--in", "x_ptr=x.npy", "--in", "y_ptr=y.npy", "--bisect", cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr + result.stdout
    assert "all levels agree: ktir, sdf" in result.stdout


def test_a_program_fault_is_status_one(tmp_path: Path) -> None:
    (tmp_path / "double.mlir").write_text(KERNEL)
    x = np.zeros((3, 64), np.float16)
    np.save(tmp_path / "x.npy", x)
    result = ktir("run", "double.mlir", "--in", "x_ptr=x.npy", "--in", "y_ptr=x.npy", cwd=tmp_path)
    assert_refused(result, "x_ptr", "double.mlir:", status=1)


def test_bisect_agrees(files: Files) -> None:
    result = ktir("run", files.package, "--in", f"input={files.x}", "--bisect")
    assert result.returncode == 0, result.stderr + result.stdout
    assert "all levels agree: linalg, plan, ktir, sdf" in result.stdout


def spoiled(source: Path, target: Path, level: str) -> Path:
    """A copy of a package in which the last addition of one level's text is a subtraction."""
    with zipfile.ZipFile(source) as whole, zipfile.ZipFile(target, "w") as changed:
        for name in whole.namelist():
            data = whole.read(name)
            if name == f"{level}.mlir":
                before, addition, after = data.rpartition(b"arith.addf")
                assert addition
                data = before + b"arith.subf" + after
            changed.writestr(name, data)
    return target


@pytest.mark.parametrize("level", ["plan", "ktir", "sdf"])
def test_bisect_names_the_level_that_differs(files: Files, tmp_path: Path, level: str) -> None:
    """The bias is subtracted instead of added at one level."""
    bad = spoiled(files.package, tmp_path / "bad.ktirpkg", level)
    result = ktir("run", bad, "--in", f"input={files.x}", "--bisect")
    assert result.returncode == 1, result.stderr + result.stdout
    assert f"first difference: level {level}, output output: " in result.stdout
    result = ktir("run", bad, "--in", f"input={files.x}", "--bisect", "--json")
    assert result.returncode == 1
    assert json.loads(result.stdout)["first"] == level


def test_bf16_goes_through_safetensors(tmp_path: Path) -> None:
    (tmp_path / "relu.linalg.mlir").write_text(RELU.replace("f16", "bf16"))
    x = torch.randn(5, 65).bfloat16()
    save_file({"x": x}, tmp_path / "x.safetensors")
    result = ktir(
        "run",
        "relu.linalg.mlir",
        "--in",
        "x.safetensors",
        "--out",
        "output=y.safetensors",
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stderr
    assert torch.equal(load_file(tmp_path / "y.safetensors")["output"], x.relu())
    result = ktir(
        "run", "relu.linalg.mlir", "--in", "x.safetensors", "--out", "output=y.npy", cwd=tmp_path
    )
    assert_refused(result, "bfloat16 has no .npy form", ".safetensors")
