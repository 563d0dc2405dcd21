"""`run_kernel` on kernels of other tools: names, arrays, levels, and what does not fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import ktir
from ktir import InputError, VerifyError

from .models import KERNEL


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kernels") / "double.mlir"
    path.write_text(KERNEL)
    return path


@pytest.mark.parametrize("level", ["ktir", "sdf"])
def test_arrays_by_the_files_own_names(file: Path, level: str) -> None:
    x = np.arange(256, dtype=np.float16).reshape(4, 64)
    y = np.zeros_like(x)
    found = ktir.run_kernel(file, x_ptr=x, y_ptr=y, level=level)
    assert list(found) == ["x_ptr", "y_ptr"]
    assert isinstance(found["y_ptr"], np.ndarray)
    np.testing.assert_array_equal(found["y_ptr"], x + x)
    np.testing.assert_array_equal(found["x_ptr"], x)
    assert not y.any()


def test_torch_arrays_and_positions(file: Path) -> None:
    x = torch.ones(4, 64).half()
    found = ktir.run_kernel(str(file), "double", arg0=x, arg1=torch.zeros_like(x))
    assert torch.equal(found["arg1"], x + x)


def test_outputs_may_be_left_out(file: Path) -> None:
    x = np.arange(256, dtype=np.float16).reshape(4, 64)
    found = ktir.run_kernel(file, x_ptr=x)
    assert list(found) == ["x_ptr", "y_ptr"]
    assert isinstance(found["y_ptr"], np.ndarray)
    np.testing.assert_array_equal(found["y_ptr"], x + x)
    found = ktir.run_kernel(file, x_ptr=torch.from_numpy(x), level="sdf")
    assert torch.equal(found["y_ptr"], torch.from_numpy(x + x))


def test_refusals(file: Path, tmp_path: Path) -> None:
    x = np.zeros((4, 64), np.float16)
    with pytest.raises(InputError, match="no function @triple"):
        ktir.run_kernel(file, "triple", x_ptr=x, y_ptr=x)
    with pytest.raises(InputError, match=r"'x_ptr' of @double\(x_ptr, y_ptr\) is missing: .*4x64"):
        ktir.run_kernel(file, y_ptr=x)
    with pytest.raises(InputError, match=r"@double\(x_ptr, y_ptr\) has no argument 'z_ptr'"):
        ktir.run_kernel(file, x_ptr=x, z_ptr=x)
    with pytest.raises(
        InputError, match=r"'x_ptr': found f16\[4x32\], the kernel views it as 4x64"
    ):
        ktir.run_kernel(file, x_ptr=x[:, :32])
    with pytest.raises(InputError, match="f32"):
        ktir.run_kernel(file, x_ptr=x.astype(np.float32), y_ptr=x)
    with pytest.raises(InputError, match="unknown level 'plan'"):
        ktir.run_kernel(file, level="plan", x_ptr=x, y_ptr=x)
    with pytest.raises(InputError, match="check: found 'some', expected one of off, bounds, full"):
        ktir.run_kernel(file, check="some", x_ptr=x, y_ptr=x)
    with pytest.raises(InputError, match=r"cannot read .*missing\.mlir: No such file"):
        ktir.run_kernel(tmp_path / "missing.mlir", x_ptr=x)
    (tmp_path / "bad.mlir").write_text("func.func @f() { return }\n  func.func @g( {")
    with pytest.raises(VerifyError, match=r"bad\.mlir:2:\d+: .*\n    func\.func @g\( \{"):
        ktir.run_kernel(tmp_path / "bad.mlir", x_ptr=x)


def test_stepping_past_an_array_is_a_fault(file: Path) -> None:
    x = np.zeros((4, 64), np.float16)
    with pytest.raises(ktir.BoundsError, match="x_ptr"):
        ktir.run_kernel(file, x_ptr=x[:3], y_ptr=x)
