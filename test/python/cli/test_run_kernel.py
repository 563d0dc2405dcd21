"""`ktir run` for kernels: arrays made up, keys of files, addresses, descriptions, refusals."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest
import torch
from api.models import KERNEL
from safetensors.torch import save_file

from ktir.errors import InputError
from ktir.tools.generated import Generated, parse

from .support import assert_refused, ktir

ADDRESSES = """
#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @negate() attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %a = arith.constant 1024 : index
  %b = arith.constant 4096 : index
  %x = ktdp.construct_memory_view %a, sizes: [4, 64], strides: [64, 1] {
    coordinate_set = #rows, memory_space = #ktdp.spyre_memory_space<HBM> } : memref<4x64xf16>
  %y = ktdp.construct_memory_view %b, sizes: [4, 64], strides: [64, 1] {
    coordinate_set = #rows, memory_space = #ktdp.spyre_memory_space<HBM> } : memref<4x64xf16>
  %xt = ktdp.construct_access_tile %x[%c0, %c0] {
    access_tile_set = #rows, access_tile_order = #id } : memref<4x64xf16> -> <4x64xindex>
  %yt = ktdp.construct_access_tile %y[%c0, %c0] {
    access_tile_set = #rows, access_tile_order = #id } : memref<4x64xf16> -> <4x64xindex>
  %v = ktdp.load %xt : !ktdp.access_tile<4x64xindex> -> tensor<4x64xf16>
  %w = arith.negf %v : tensor<4x64xf16>
  ktdp.store %w, %yt : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
  return
}
"""

SCALED = """
#rows = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#tile = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id = affine_map<(d0) -> (d0)>
func.func @scale(%x_ptr: index, %y_ptr: index, %n: index, %by: f32) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [%n], strides: [1] {
    coordinate_set = #rows, memory_space = #ktdp.spyre_memory_space<HBM> } : memref<?xf32>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [%n], strides: [1] {
    coordinate_set = #rows, memory_space = #ktdp.spyre_memory_space<HBM> } : memref<?xf32>
  %xt = ktdp.construct_access_tile %x[%c0] {
    access_tile_set = #tile, access_tile_order = #id } : memref<?xf32> -> <64xindex>
  %yt = ktdp.construct_access_tile %y[%c0] {
    access_tile_set = #tile, access_tile_order = #id } : memref<?xf32> -> <64xindex>
  %v = ktdp.load %xt : !ktdp.access_tile<64xindex> -> tensor<64xf32>
  %s = tensor.splat %by : tensor<64xf32>
  %w = arith.mulf %v, %s : tensor<64xf32>
  ktdp.store %w, %yt : tensor<64xf32>, !ktdp.access_tile<64xindex>
  return
}
"""


LOCAL = ADDRESSES.replace("<HBM>", "<LX, core = 0>", 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kernels and arrays, right and wrong."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "double.mlir").write_text(KERNEL)
    (folder / "negate.mlir").write_text(ADDRESSES)
    (folder / "local.mlir").write_text(LOCAL)
    (folder / "scale.ktir").write_text(SCALED)
    (folder / "both.mlir").write_text(KERNEL + SCALED.replace("#rows", "#r").replace("#id", "#i"))
    x = np.arange(256, dtype=np.float16).reshape(4, 64)
    np.save(folder / "x.npy", x)
    np.save(folder / "twice.npy", x + x)
    np.save(folder / "wide.npy", x.reshape(2, 128))
    np.save(folder / "f32.npy", x.astype(np.float32))
    np.save(folder / "short.npy", x[:3])
    (folder / "none.mlir").write_text("module {}")
    (folder / "cut.npy").write_bytes((folder / "x.npy").read_bytes()[:200])
    np.savez(folder / "all.npz", first=x, second=-x)
    save_file({"first": torch.from_numpy(x), "b": torch.zeros(2)}, folder / "all.safetensors")
    return folder


@pytest.mark.parametrize("level", ["ktir", "sdf"])
def test_arrays_by_key_and_outputs_left_out(folder: Path, tmp_path: Path, level: str) -> None:
    for source in ("x.npy", "all.npz:first", "all.safetensors:first"):
        result = ktir(
            *("run", "double.mlir", "--in", f"x_ptr={source}", "--level", level),
            *("--expect", "y_ptr=twice.npy", "--out", f"y_ptr={tmp_path / 'y.npy'}"),
            cwd=folder,
        )
        assert result.returncode == 0, result.stderr + result.stdout
        assert "equal" in result.stdout
        np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), np.load(folder / "twice.npy"))


def test_made_up_arrays_take_shapes_from_the_kernel(folder: Path) -> None:
    result = ktir(
        *("run", "scale.ktir", "--in", "x_ptr=arange", "--in", "n=40", "--in", "by=2.5"),
        *("--out", f"y_ptr={folder / 'y.npy'}", "--json"),
        cwd=folder,
    )
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["arguments"] == {
        "x_ptr": {"dtype": "float32", "shape": [40]},
        "n": {"value": 40},
        "by": {"value": 2.5},
    }
    assert found["outputs"]["y_ptr"] == {"dtype": "float32", "shape": [40], "comparison": None}
    assert found["profile"]["kernels"][0]["name"] == "scale"
    assert found["profile"]["read_bytes"] == 256
    assert found["level"] == "ktir"
    assert found["seconds"] > 0
    np.testing.assert_array_equal(np.load(folder / "y.npy"), 2.5 * np.arange(40, dtype=np.float32))


def test_estimates_at_level_sdf(folder: Path) -> None:
    arguments = ("run", "double.mlir", "--in", "x_ptr=randn", "--level", "sdf")
    result = ktir(*arguments, "--json", cwd=folder)
    assert json.loads(result.stdout)["profile"]["time_ns"] > 0
    result = ktir(*arguments, cwd=folder)
    assert "@double on 4 cores at level sdf: estimated " in result.stdout
    assert "512 bytes read, 512 written" in result.stdout


def test_device_memory_by_address(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "y.npy"
    for source in ("x.npy", "arange:4x64:f16", "arange"):
        result = ktir(
            "run", "negate.mlir", "--at", f"0x400={source}", "--out", f"4096={out}", cwd=folder
        )
        assert result.returncode == 0, result.stderr
        np.testing.assert_array_equal(np.load(out), -np.load(folder / "x.npy"))


@pytest.mark.parametrize("level", ["ktir", "sdf"])
def test_scratchpads_by_core_and_address(folder: Path, tmp_path: Path, level: str) -> None:
    out = tmp_path / "y.npy"
    for source in ("x.npy", "arange"):
        result = ktir(
            *("run", "local.mlir", "--at", f"0:1024={source}", "--out", f"4096={out}"),
            *("--level", level),
            cwd=folder,
        )
        assert result.returncode == 0, result.stderr
        np.testing.assert_array_equal(np.load(out), -np.load(folder / "x.npy"))


def test_a_failed_comparison(folder: Path) -> None:
    arguments = ("run", "double.mlir", "--in", "x_ptr=x.npy", "--expect", "y_ptr=x.npy", "--json")
    result = ktir(*arguments, cwd=folder)
    assert result.returncode == 1
    comparison = json.loads(result.stdout)["outputs"]["y_ptr"]["comparison"]
    assert comparison["differing"] == 255
    assert not comparison["equal"]
    assert ktir(*arguments, "--rtol", "1", cwd=folder).returncode == 0


def test_describe(folder: Path) -> None:
    result = ktir("run", "double.mlir", "--describe", cwd=folder)
    assert result.returncode == 0, result.stderr
    head, titles, x, y, command = result.stdout.splitlines()
    assert command == "run with: ktir run double.mlir --in x_ptr=randn"
    assert head == "@double, grid [4], double.mlir:6:3"
    assert titles.split() == ["argument", "role", "type", "shape", "strides", "promises", "line"]
    assert x.split() == ["x_ptr", "in", "f16", "4x64", "64,", "1", "6"]
    assert y.split() == ["y_ptr", "out", "f16", "4x64", "64,", "1", "6"]
    result = ktir("run", "negate.mlir", "--describe", "--json", cwd=folder)
    (kernel,) = json.loads(result.stdout)["kernels"]
    assert kernel["arguments"] == []
    assert [(a["name"], a["role"], a["shape"]) for a in kernel["addresses"]] == [
        (1024, "in", [4, 64]),
        (4096, "out", [4, 64]),
    ]
    result = ktir("run", "both.mlir", "--describe", cwd=folder)
    assert "@double" in result.stdout
    assert "y_ptr     out     f32    n      1" in result.stdout
    result = ktir("run", "both.mlir", "--describe", "--func", "scale", cwd=folder)
    assert "@double" not in result.stdout


REFUSED = {
    "missing input": (("double.mlir",), ("'x_ptr' of @double(x_ptr, y_ptr) is missing", "4x64")),
    "missing scalar": (
        ("scale.ktir", "--in", "x_ptr=zeros:64", "--in", "by=1"),
        ("'n' of @scale(x_ptr, y_ptr, n, by) is missing", "index"),
    ),
    "unknown argument": (
        ("double.mlir", "--in", "x_ptr=x.npy", "--in", "z=x.npy"),
        ("@double(x_ptr, y_ptr) has no argument 'z'",),
    ),
    "shape": (
        ("double.mlir", "--in", "x_ptr=wide.npy"),
        ("'x_ptr': found f16[2x128]", "views it as 4x64"),
    ),
    "dtype": (
        ("double.mlir", "--in", "x_ptr=f32.npy"),
        ("'x_ptr'", "views it as f16", "holds f32"),
    ),
    "an array for a scalar": (
        ("scale.ktir", "--in", "x_ptr=zeros:64", "--in", "n=x.npy", "--in", "by=1"),
        ("'n' of @scale(x_ptr, y_ptr, n, by) is a number of type index, not an array",),
    ),
    "dtype at an address": (
        ("negate.mlir", "--at", "1024=f32.npy"),
        ("device[1024]", "views it as f16", "holds f32"),
    ),
    "a number at an address": (("negate.mlir", "--at", "1024=3"), ("--at 1024", "--in")),
    "no such core": (
        ("local.mlir", "--at", "3:1024=arange:4x64:f16"),
        ("scratchpads[3, 1024] is bytes 2048 to 2559 of core 3", "1 cores"),
    ),
    "no scratchpad": (
        ("negate.mlir", "--at", "1024=x.npy", "--at", "0:0=x.npy"),
        ("@negate addresses no scratchpad",),
    ),
    "no address": (("negate.mlir", "--at", "0:0:0=x.npy"), ("'0:0:0'", "CORE:ADDRESS")),
    "missing file": (("double.mlir", "--in", "x_ptr=gone.npy"), ("cannot read gone.npy",)),
    "truncated file": (("double.mlir", "--in", "x_ptr=cut.npy"), ("cut.npy is no whole .npy",)),
    "key": (
        ("double.mlir", "--in", "x_ptr=all.npz:third"),
        ("all.npz holds no array 'third'; it has first, second",),
    ),
    "which key": (
        ("double.mlir", "--in", "x_ptr=all.safetensors"),
        ("holds no array 'x_ptr'", "all.safetensors:KEY"),
    ),
    "no kind of array": (
        ("double.mlir", "--in", "x_ptr=random"),
        ("x_ptr=random", "randn", ".npy"),
    ),
    "part of an array made up": (
        ("double.mlir", "--in", "x_ptr=randn:4x64:float16"),
        ("'float16'", "bf16"),
    ),
    "option of an array made up": (
        ("double.mlir", "--in", "x_ptr=zeros:seed=3"),
        ("'seed'", "zeros has no options"),
    ),
    "seed": (("double.mlir", "--in", "x_ptr=randn:seed=-1"), ("seed", "'-1'", "a number")),
    "empty range": (
        ("double.mlir", "--in", "x_ptr=uniform:low=3:high=1"),
        ("low 3 is not below high 1",),
    ),
    "range": (
        ("double.mlir", "--in", "x_ptr=randint:low=-100000"),
        ("values from -100000 to 9 do not fit into float16",),
    ),
    "nearly a kind": (("double.mlir", "--in", "x_ptr=Randn"), ("did you mean 'randn'?",)),
    "nearly a key": (
        ("double.mlir", "--in", "x_ptr=all.npz:frist"),
        ("no array 'frist'", "did you mean 'first'?"),
    ),
    "unknown shape": (
        ("scale.ktir", "--in", "x_ptr=randn", "--in", "by=1"),
        ("x_ptr=randn", "where it is n", "randn:64x64:f16"),
    ),
    "which kernel": (("both.mlir", "--in", "n=3"), ("say which function", "@double, @scale")),
    "no such kernel": (
        ("both.mlir", "--describe", "--func", "triple"),
        ("no kernel @triple", "@double, @scale"),
    ),
    "nearly an argument": (
        ("double.mlir", "--in", "X_ptr=randn"),
        ("@double(x_ptr, y_ptr) has no argument 'X_ptr'; did you mean 'x_ptr'?",),
    ),
    "nearly a level": (
        ("double.mlir", "--in", "x_ptr=x.npy", "--level", "KTIR"),
        ("'KTIR'", "did you mean 'ktir'?"),
    ),
    "nearly a kernel": (
        ("both.mlir", "--in", "x_ptr=x.npy", "--func", "@doubel"),
        ("no function @doubel; functions with a body: @double, @scale; did you mean 'double'?",),
    ),
    "no kernel": (("none.mlir", "--in", "x=3"), ("there is nothing to run",)),
    "no kernel to describe": (("none.mlir", "--describe"), ("no kernel in none.mlir",)),
    "no name": (("double.mlir", "--in", "=x.npy"), ("found '=x.npy'", "NAME=FILE")),
    "no value": (("double.mlir", "--in", "x_ptr="), ("found 'x_ptr='", "NAME=FILE")),
    "one file for two outputs": (
        ("double.mlir", "--in", "x_ptr=x.npy", "--out", "x_ptr=o.npy", "--out", "y_ptr=o.npy"),
        ("o.npy is given twice, last for 'y_ptr'",),
    ),
    "no folder": (
        ("double.mlir", "--in", "x_ptr=gone.npy", "--out", "y_ptr=gone/o.npy"),
        ("cannot write gone/o.npy: there is no folder gone",),
    ),
    "one address twice": (
        ("negate.mlir", "--at", "1024=x.npy", "--at", "0x400=x.npy"),
        ("'0x400' is given twice",),
    ),
    "tolerance": (
        ("double.mlir", "--in", "x_ptr=x.npy", "--rtol", "inf"),
        ("rtol inf", "finite numbers, 0 or more"),
    ),
    "unknown output": (
        ("double.mlir", "--in", "x_ptr=x.npy", "--out", "z=z.npy"),
        ("no output 'z'; there are x_ptr, y_ptr",),
    ),
}


@pytest.mark.parametrize(("arguments", "words"), REFUSED.values(), ids=REFUSED)
def test_refused(folder: Path, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert_refused(ktir("run", *arguments, cwd=folder), *words)


def test_too_few_rows_are_a_fault_of_the_program(folder: Path) -> None:
    result = ktir("run", "double.mlir", "--in", "x_ptr=short.npy", cwd=folder)
    assert_refused(result, "x_ptr", "double.mlir:", status=1)


def test_random_arrays_are_the_same_in_every_run() -> None:
    made = parse("randn:3x5:f32", "--in")
    assert made is not None
    first = made.make("x", None, None)
    assert torch.equal(first, made.make("x", None, None))
    assert not torch.equal(first, made.make("y", None, None))
    other = parse("randn:3x5:f32:seed=1", "--in")
    assert other is not None
    assert not torch.equal(first, other.make("x", None, None))
    rng = np.random.default_rng((0, zlib.crc32(b"x")))  # so that other programs can make it too
    expected = rng.standard_normal((3, 5), dtype=np.float32)
    np.testing.assert_array_equal(first.numpy(), expected)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("zeros:2:f16", [0.0, 0.0]),
        ("ones:2:i1", [True, True]),
        ("arange:2x2:i64", [[0, 1], [2, 3]]),
        ("randint:3:i8:low=5:high=6", [5, 5, 5]),
        ("uniform:2:f64:low=2:high=2.0000001", [2.0, 2.0]),
    ],
)
def test_kinds(text: str, values: object) -> None:
    made = parse(text, "--in")
    assert isinstance(made, Generated)
    found = made.make("x", (7,), torch.float32)
    torch.testing.assert_close(found, torch.tensor(values, dtype=found.dtype), rtol=0, atol=1e-6)


def test_other_texts_are_no_arrays_made_up() -> None:
    assert parse("randn.npy", "--in") is None
    with pytest.raises(InputError, match="element type"):
        Generated("zeros:3", "zeros", (3,), None, {}).make("x", None, None)
