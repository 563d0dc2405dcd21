"""What `ktir run --describe` infers: roles, shapes, dtypes, strides, addresses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

import ktir
from ktir import InputError
from ktir.describe import Argument, Description, describe_file, describe_module
from ktir.kernel_inputs import completed, unwritten
from ktir.machine.arrays import Unwritten, byte_count, element_type, from_bytes, put_bytes
from ktir.machine.source_names import argument_names
from ktir.modules import new_context, parse_module

SETS = """
#row = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#rows = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#left = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#right = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 32, -d1 + 63 >= 0)>
#one = affine_map<(d0) -> (d0)>
#two = affine_map<(d0, d1) -> (d0, d1)>
"""

SPACE = "memory_space = #ktdp.spyre_memory_space<HBM>"


def view(at: str, sizes: str, strides: str, kind: str, points: str = "#box") -> str:
    return (
        f"ktdp.construct_memory_view %{at}, sizes: [{sizes}], strides: [{strides}] "
        f"{{coordinate_set = {points}, {SPACE}}} : memref<{kind}>"
    )


def tile(of: str, base: str, kind: str, shape: str = "4x64", points: str = "#box") -> str:
    order = "#two" if "x" in shape else "#one"
    return (
        f"ktdp.construct_access_tile %{of}[{base}] {{access_tile_set = {points}, "
        f"access_tile_order = {order}}} : memref<{kind}> -> !ktdp.access_tile<{shape}xindex>"
    )


def kernel(signature: str, body: Sequence[str], grid: str = "[1]") -> str:
    lines = "\n  ".join(["%c0 = arith.constant 0 : index", *body, "return"])
    return f"{SETS}func.func @f({signature}) attributes {{grid = {grid}}} {{\n  {lines}\n}}\n"


def load(name: str, shape: str, dtype: str = "f16") -> str:
    return f"ktdp.load %{name} : !ktdp.access_tile<{shape}xindex> -> tensor<{shape}x{dtype}>"


def store(value: str, name: str, shape: str, dtype: str = "f16") -> str:
    return (
        f"ktdp.store %{value}, %{name} : tensor<{shape}x{dtype}>, !ktdp.access_tile<{shape}xindex>"
    )


def describe(text: str) -> Description:
    (found,) = describe_module(parse_module(text, "the test", new_context()), argument_names(text))
    return found


def argument(text: str, name: str | int) -> Argument:
    found = describe(text).of(name)
    assert found is not None
    return found


COPY = kernel(
    "%x: index, %y: index",
    [
        f"%xv = {view('x', '4, 64', '64, 1', '4x64xf16')}",
        f"%yv = {view('y', '4, 64', '64, 1', '4x64xf16')}",
        f"%xt = {tile('xv', '%c0, %c0', '4x64xf16')}",
        f"%yt = {tile('yv', '%c0, %c0', '4x64xf16')}",
        f"%v = {load('xt', '4x64')}",
        store("v", "yt", "4x64"),
    ],
)


def test_static_arrays() -> None:
    found = describe(COPY)
    assert [(a.name, a.role, a.kind, str(a.shape)) for a in found.arguments] == [
        ("x", "in", "f16", "4x64"),
        ("y", "out", "f16", "4x64"),
    ]
    assert found.of("arg1") is found.arguments[1]
    assert found.of("z") is None
    assert "@f, grid [1]" in str(found)


def test_read_and_written() -> None:
    text = COPY.replace("construct_memory_view %y", "construct_memory_view %x")
    assert argument(text, "x").role == "in-out"
    assert argument(text, "y").role == "scalar"


def test_gaps_between_rows_belong_to_the_array() -> None:
    text = COPY.replace("strides: [64, 1]", "strides: [128, 1]")
    assert str(argument(text, "x").shape) == "4x128"


def test_columns_next_to_each_other_are_no_row_major_shape() -> None:
    text = COPY.replace("strides: [64, 1]", "strides: [1, 4]")
    assert str(argument(text, "x").shape) == "256"


OFFSETS = kernel(
    "%x: index, %y: index",
    [
        "%id = ktdp.get_compute_tile_id : index",
        "%n = arith.constant 64 : index",
        "%at = arith.muli %id, %n : index",
        "%xp = arith.addi %x, %at : index",
        f"%xv = {view('xp', '64', '1', '64xf16', '#row')}",
        f"%xt = {tile('xv', '%c0', '64xf16', '64', '#row')}",
        f"%v = {load('xt', '64')}",
        "%yp = arith.addi %at, %y : index",
        f"%yv = {view('yp', '64', '1', '64xf16', '#row')}",
        f"%yt = {tile('yv', '%c0', '64xf16', '64', '#row')}",
        store("v", "yt", "64"),
    ],
    "[8]",
)


def test_offsets_of_cores_make_the_array_larger() -> None:
    for name in ("x", "y"):
        assert str(argument(OFFSETS, name).shape) == "512"


def test_offsets_of_loops() -> None:
    text = kernel(
        "%x: index",
        [
            "%n = arith.constant 256 : index",
            "%step = arith.constant 64 : index",
            "scf.for %i = %c0 to %n step %step {",
            "%xp = arith.addi %x, %i : index",
            f"%xv = {view('xp', '64', '1', '64xf16', '#row')}",
            f"%xt = {tile('xv', '%c0', '64xf16', '64', '#row')}",
            f"%v = {load('xt', '64')}",
            "}",
        ],
    )
    assert str(argument(text, "x").shape) == "256"


SYMBOLIC = kernel(
    "%x: index, %y: index, %n_in: i32, %scale: f16",
    [
        "%n = arith.index_cast %n_in : i32 to index",
        "%two = arith.constant 2 : index",
        "%m = arith.muli %n, %two : index",
        f"%xv = {view('x', '%m', '1', '?xf16', '#rows')}",
        f"%yv = {view('y', '%n', '1', '?xi8', '#rows')}",
        f"%xt = {tile('xv', '%c0', '?xf16', '64', '#row')}",
        f"%v = {load('xt', '64')}",
        f"%yt = {tile('yv', '%c0', '?xi8', '64', '#row')}",
        "%w = arith.fptosi %v : tensor<64xf16> to tensor<64xi8>",
        store("w", "yt", "64", "i8"),
    ],
)


def test_shapes_of_scalars() -> None:
    found = describe(SYMBOLIC)
    assert [(a.name, a.role, a.kind) for a in found.arguments] == [
        ("x", "in", "f16"),
        ("y", "out", "i8"),
        ("n_in", "scalar", "i32"),
        ("scale", "scalar", "f16"),
    ]
    shape = found.arguments[0].shape
    assert str(shape) == "n_in*2"
    assert shape is not None
    assert shape.known({}) is None
    assert shape.known({"n_in": 70}) == (140,)


RUNTIME = kernel(
    "%n_in: !ktdp.runtime_arg<index, granularity = 32, upperbound = 300>, "
    "%x_in: !ktdp.runtime_arg<index>",
    [
        "%n = ktdp.runtime_arg_extract value from %n_in : "
        "<index, granularity = 32, upperbound = 300> -> index",
        "%x = ktdp.runtime_arg_extract value from %x_in : <index> -> index",
        f"%xv = {view('x', '%n, 64', '64, 1', '?x64xf16')}".replace(
            "#box",
            "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>",
        ),
        f"%xt = {tile('xv', '%c0, %c0', '?x64xf16')}",
        f"%v = {load('xt', '4x64')}",
    ],
)


def test_runtime_arguments() -> None:
    n = argument(RUNTIME, "n_in")
    assert (n.role, dict(n.promises)) == ("scalar", {"granularity": 32, "upperbound": 300})
    x = argument(RUNTIME, "x_in")
    assert (x.role, x.kind, str(x.shape)) == ("in", "f16", "n_in x 64")


ADDRESSES = kernel(
    "",
    [
        "%a = arith.constant 1024 : index",
        "%b = arith.constant 4096 : index",
        f"%av = {view('a', '4, 64', '64, 1', '4x64xf16')}",
        f"%bv = {view('b', '4, 64', '64, 1', '4x64xf16')}",
        f"%lv = {view('b', '4, 64', '64, 1', '4x64xf16')}".replace("<HBM>", "<LX, core = 3>"),
        f"%at = {tile('av', '%c0, %c0', '4x64xf16')}",
        f"%bt = {tile('bv', '%c0, %c0', '4x64xf16')}",
        f"%v = {load('at', '4x64')}",
        store("v", "bt", "4x64"),
    ],
)


def test_constant_addresses() -> None:
    found = describe(ADDRESSES)
    assert [(a.name, a.role, str(a.shape)) for a in found.addresses] == [
        (1024, "in", "4x64"),
        (4096, "out", "4x64"),
    ]
    assert [a.name for a in found.scratchpads] == ["core 3 at 4096"]


def test_outputs_at_constant_addresses_are_allocated() -> None:
    a = np.ones((4, 64), np.float16)
    _, places = completed(describe(ADDRESSES), {}, {1024: a})
    assert places[4096] == Unwritten((4, 64), torch.float16, is_torch=False)
    whole = np.zeros(8192, np.float16)
    _, places = completed(describe(ADDRESSES), {}, {0: whole})
    assert list(places) == [0]


def test_distributed_views_give_the_shape() -> None:
    text = kernel(
        "%x: index",
        [
            "%half = arith.constant 32 : index",
            "%xr = arith.addi %x, %half : index",
            f"%l = {view('x', '4, 32', '64, 1', '4x32xf16', '#left')}",
            f"%r = {view('xr', '4, 32', '64, 1', '4x32xf16', '#right')}",
            "%xv = ktdp.construct_distributed_memory_view (%l, %r : memref<4x32xf16>, "
            "memref<4x32xf16>) : memref<4x64xf16>",
            f"%xt = {tile('xv', '%c0, %c0', '4x64xf16')}",
            f"%v = {load('xt', '4x64')}",
        ],
    )
    assert str(argument(text, "x").shape) == "4x64"


def test_at_level_sdf(tmp_path: Path) -> None:
    program = """sdf.program @f(%x: index, %y: index, %n: index) grid [2] {
      sdf.read #sdf.buffer<0, 4x64xf16> from %x[0, 0] bounds [%n, 64] strides [64, 1]
      sdf.write #sdf.buffer<0, 4x64xf16> to %y[0, 0] bounds [%n, 64] strides [64, 1]
      sdf.return
    }"""
    (tmp_path / "f.sdf.mlir").write_text(program)
    (found,) = describe_file(tmp_path / "f.sdf.mlir")
    assert [(a.name, a.role, a.kind, str(a.shape)) for a in found.arguments] == [
        ("x", "in", "f16", "n x 64"),
        ("y", "out", "f16", "n x 64"),
        ("n", "scalar", "index", "None"),
    ]


def test_missing_and_misfit_arguments(tmp_path: Path) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(SYMBOLIC)
    x = np.ones(140, np.float16)
    found = ktir.run_kernel(path, x=x, n_in=70, scale=1.0)
    assert found["y"].dtype == np.int8
    np.testing.assert_array_equal(found["y"][:64], 1)
    np.testing.assert_array_equal(found["y"][64:], -1)
    with pytest.raises(InputError, match=r"'n_in' .* is missing: a number of type i32"):
        ktir.run_kernel(path, x=x, y=found["y"], scale=1.0)
    with pytest.raises(InputError, match=r"'n_in': 1\.5 is not an integer, as i32 is"):
        ktir.run_kernel(path, x=x, n_in=1.5, scale=1.0)
    with pytest.raises(InputError, match="views it as f16, the array given holds f32"):
        ktir.run_kernel(path, x=x.astype(np.float32), n_in=70, scale=1.0)


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64", "i1", "i8", "i64"])
@pytest.mark.parametrize("like_torch", [True, False])
def test_unwritten(element: str, like_torch: bool) -> None:
    array = unwritten((2, 3), element, like_torch)
    assert element_type(array) == element
    data = torch.empty(byte_count(array), dtype=torch.uint8)
    put_bytes(array, data)
    found = from_bytes(data, array)
    assert found.shape == (2, 3)
    assert isinstance(found, torch.Tensor) == (like_torch or element == "bf16")
    values = torch.as_tensor(found)
    if values.dtype.is_floating_point:
        assert bool(values.isnan().all())
    else:
        assert bool((values == (1 if element == "i1" else -1)).all())
