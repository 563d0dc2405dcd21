"""`run_kernel` on kernels of other tools: names, arrays, levels, and what does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import ktir
from ktir import InputError, VerifyError
from ktir.api import launch_kernel

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


@pytest.mark.parametrize("level", ["ktir", "sdf"])
@pytest.mark.parametrize("grid", [4, "x", (2.5,), [[1]]])
def test_a_grid_that_is_no_list_of_integers(file: Path, level: str, grid: Any) -> None:
    with pytest.raises(InputError, match="expected integers, such as"):
        ktir.run_kernel(file, x_ptr=np.zeros((4, 64), np.float16), grid=grid, level=level)


@pytest.mark.parametrize(
    "text",
    ["func.func @k(%n: index) {return}", "func.func @k(%n: index) attributes {grid=[]} {return}"],
)
@pytest.mark.parametrize("level", ["ktir", "sdf"])
def test_a_kernel_that_does_nothing(tmp_path: Path, text: str, level: str) -> None:
    (tmp_path / "k.mlir").write_text(text)
    assert ktir.run_kernel(tmp_path / "k.mlir", n=3, level=level) == {}


@pytest.mark.parametrize("size", [-5, 2**62, 2**63 - 1])
@pytest.mark.parametrize("level", ["ktir", "sdf"])
def test_an_output_of_no_possible_size(tmp_path: Path, size: int, level: str) -> None:
    (tmp_path / "k.mlir").write_text(
        """func.func @k(%y: index, %n: index) {
          %zero = arith.constant 0 : index
          %v = ktdp.construct_memory_view %y, sizes: [%n], strides: [1] {
            coordinate_set = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>,
            memory_space = #ktdp.memory_space<global>} : memref<?xf16>
          %t = ktdp.construct_access_tile %v[%zero] {
            access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>,
            access_tile_order = affine_map<(d0) -> (d0)>
          } : memref<?xf16> -> !ktdp.access_tile<4xindex>
          %a = arith.constant dense<1.0> : tensor<4xf16>
          ktdp.store %a, %t : tensor<4xf16>, !ktdp.access_tile<4xindex>
          return
        }"""
    )
    with pytest.raises(InputError, match="no array has that"):
        ktir.run_kernel(tmp_path / "k.mlir", n=size, level=level)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.zeros(4, 64, dtype=torch.float16, device="meta"),
        torch.zeros(4, 64, dtype=torch.float16).to_sparse(),
    ],
    ids=["meta", "sparse"],
)
def test_tensors_that_are_no_dense_data(file: Path, tensor: torch.Tensor) -> None:
    with pytest.raises(InputError, match="expected a dense tensor with data"):
        ktir.run_kernel(file, x_ptr=tensor)


DEEP = {
    "regions": "func.func @k() {" + "scf.execute_region {" * 20000,
    "attributes": "func.func @k() attributes {x = " + "[" * 100000,
    "types": "func.func private @k(" + "tuple<" * 100000,
}


@pytest.mark.parametrize("kind", DEEP)
def test_text_nested_without_end(tmp_path: Path, kind: str) -> None:
    (tmp_path / "deep.mlir").write_text(DEEP[kind])
    with pytest.raises(VerifyError, match=r"deep.mlir:1:\d+: more than \d+ brackets are open here"):
        ktir.run_kernel(tmp_path / "deep.mlir")


def test_brackets_in_comments_and_strings_are_none(tmp_path: Path) -> None:
    text = "// " + "(" * 500 + '\nfunc.func @k() attributes {s = "' + "[" * 500 + '"} {return}'
    (tmp_path / "k.mlir").write_text(text)
    assert ktir.run_kernel(tmp_path / "k.mlir") == {}


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


@pytest.mark.parametrize(
    ("device", "scratchpads", "message"),
    [
        ({"a": np.zeros(1)}, {}, "device\\['a'\\]: expected an address"),
        ({1.5: np.zeros(1)}, {}, r"device\[1.5\]: expected an address"),
        ({64: [1.0]}, {}, r"device\[64\] is no array"),
        ({}, {64: np.zeros(1)}, r"scratchpads\[64\]: expected a core and an address"),
        ({}, {(0, 1, 2): np.zeros(1)}, r"scratchpads\[\(0, 1, 2\)\]: expected a core"),
        ({}, {(0, 64): "x"}, r"scratchpads\[0, 64\] is no array"),
    ],
)
def test_places_that_are_none(file: Path, device: Any, scratchpads: Any, message: str) -> None:
    x = np.zeros((4, 64), np.float16)
    with pytest.raises(InputError, match=message):
        launch_kernel(file, {"x_ptr": x}, device=device, scratchpads=scratchpads)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({1: np.zeros(1)}, "has no argument '1'"),
        (None, "args: found a NoneType, expected arrays and numbers by name, or in order"),
        ("x", "args: found a str, expected"),
    ],
)
def test_arguments_that_are_none(file: Path, args: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        launch_kernel(file, args)


def test_stepping_past_an_array_is_a_fault(file: Path) -> None:
    x = np.zeros((4, 64), np.float16)
    with pytest.raises(ktir.BoundsError, match="x_ptr"):
        ktir.run_kernel(file, x_ptr=x[:3], y_ptr=x)
