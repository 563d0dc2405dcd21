"""`kernel.run`: which kernel, which arguments, and what comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from kernel_text import run

from ktir.errors import InputError
from ktir.machine import kernel
from ktir.machine.source_names import argument_names
from ktir.mlir import ir
from ktir.modules import parse_module
from ktir.target import load_target

# Adds %step to the first %n elements of x, one core; x may be of any length up to 16.
ADD = """
#all = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#tile = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>
#id = affine_map<(d0) -> (d0)>
module { module @inner {
  func.func @add(%x_ptr: index, // the data: (%not_a_name: index)
                 %n: index, %step: f32) attributes {grid = [1]} {
    %v = ktdp.construct_memory_view %x_ptr, sizes: [%n], strides: [1] {
      coordinate_set = #all, memory_space = #ktdp.memory_space<global>
    } : memref<?xf32>
    %t = ktdp.construct_access_tile %v[0] {
      access_tile_set = #tile, access_tile_order = #id
    } : memref<?xf32> -> !ktdp.access_tile<16xindex>
    %d = ktdp.load %t : <16xindex> -> tensor<16xf32>
    %s = tensor.splat %step : tensor<16xf32>
    %e = arith.addf %d, %s : tensor<16xf32>
    ktdp.store %e, %t : tensor<16xf32>, <16xindex>
    return
  }
} }
"""


def floats(n: int = 10) -> Any:
    return np.arange(n, dtype=np.float32)


def test_names_of_the_file_or_positions() -> None:
    x = floats()
    for names in (("x_ptr", "n", "step"), ("arg0", "arg1", "arg2"), ("x_ptr", "arg1", "step")):
        result = run(ADD, args=dict(zip(names, (x, 4, 2.5), strict=True)))
        assert list(result.arrays) == [names[0]]
        np.testing.assert_array_equal(result.arrays[names[0]][:5], [2.5, 3.5, 4.5, 5.5, 4])
    np.testing.assert_array_equal(x, floats())
    assert list(run(ADD, args=[x, 4, 2.5]).arrays) == ["x_ptr"]


def test_torch_in_torch_out_and_numpy_scalars() -> None:
    x = torch.arange(10.0)
    result = run(ADD, "add", [x, np.int32(10), np.float64(1)])
    assert isinstance(result.arrays["x_ptr"], torch.Tensor)
    assert torch.equal(result.arrays["x_ptr"], x + 1)
    assert torch.equal(x, torch.arange(10.0))
    assert torch.equal(run(ADD, "add", [x, torch.tensor(10), 1]).arrays["x_ptr"], x + 1)


@pytest.mark.parametrize("make", [np.asarray, torch.as_tensor])
def test_arrays_that_are_not_contiguous(make: Any) -> None:
    whole = floats(40).reshape(4, 10).T.copy()
    part = make(whole)[2:6, 1:3]
    result = run(ADD, args=[part, 8, 1.0]).arrays["x_ptr"]
    assert tuple(result.shape) == (4, 2)
    np.testing.assert_array_equal(np.asarray(result), np.asarray(part) + 1)
    np.testing.assert_array_equal(whole, floats(40).reshape(4, 10).T)


def test_big_endian_and_empty_arrays() -> None:
    result = run(ADD, args=[floats().astype(">f4"), 10, 1.0]).arrays["x_ptr"]
    np.testing.assert_array_equal(result, floats() + 1)
    assert run(ADD, args=[floats(0), 0, 1.0]).arrays["x_ptr"].shape == (0,)
    assert run(ADD, args=[np.zeros((3, 0), np.float32), 0, 1.0]).arrays["x_ptr"].shape == (3, 0)


def test_bfloat16() -> None:
    text = ADD.replace("f32", "bf16")
    x = torch.arange(10).to(torch.bfloat16)
    assert torch.equal(run(text, args=[x, 10, 1.0]).arrays["x_ptr"], x + 1)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([floats()], r"@add\(x_ptr, n, step\) takes 3 arguments, 1 are given"),
        ({"x_ptr": floats(), "n": 1}, "argument 'step' of .* is missing"),
        ({"x_ptr": floats(), "n": 1, "step": 1.0, "m": 1}, "has no argument 'm'"),
        ({"x_ptr": floats(), "arg0": 1, "n": 1, "step": 1.0}, "is also given as 'arg0'"),
        ([floats().astype(np.float16), 1, 1.0], "views it as f32, the array given holds f16"),
        ([floats(), 1, floats()], "'step' is a scalar of type f32, not an array"),
        ([floats(), 1.5, 1.0], r"'n': 1\.5 is not an integer"),
        ([floats(), float("nan"), 1.0], "'n': nan is not an integer"),
        ([floats(), 1 << 64, 1.0], "does not fit into index"),
        ([floats(), "4", 1.0], "'n': expected an array or a number, got str"),
        ([[1.0, 2.0], 1, 1.0], "'x_ptr': expected an array or a number, got list"),
        ([floats().astype(np.complex64), 1, 1.0], "arrays of complex64"),
    ],
)
def test_arguments_that_do_not_fit(args: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(ADD, args=args)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"level": "linalg"}, InputError, "unknown level 'linalg'"),
        ({"grid": [33]}, InputError, r"grid \[33\] has 33 cores; spyre has 1 to 32"),
        ({"grid": [0]}, InputError, "has 0 cores"),
        ({"func": "sub"}, InputError, "no function @sub; functions with a body: @add"),
        (
            {"device": {0: floats(), 4: floats()}},
            InputError,
            r"device\[4\].*overlaps 'device\[0\]'",
        ),
        ({"device": {-1: floats()}}, InputError, "outside device memory"),
        ({"device": {0: 1.0}}, InputError, r"device\[0\] is no array"),
    ],
)
def test_options_that_do_not_fit(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        run(ADD, args=[floats(), 1, 1.0], **options)


def test_level_sdf_needs_a_lowering() -> None:
    module = parse_module(ADD, "a test", ir.Context())
    with pytest.raises(InputError, match="needs a lowering"):
        kernel.prepare(module, level="sdf")


def test_a_choice_of_kernels_has_to_be_made() -> None:
    text = "func.func @a() attributes {grid = [1]} { return } func.func @b() { return }"
    assert run(text, "b").arrays == {}
    assert run(text).profile.kernels[0].name == "a"
    with pytest.raises(InputError, match=r"say which function to run; .*: @a, @c"):
        run(text.replace("@b()", "@c() attributes {grid = [1]}"))


def test_a_function_that_a_kernel_calls_is_no_choice() -> None:
    helper = "func.func private @h() -> index { %i = ktdp.get_compute_tile_id : index return %i : "
    text = helper + "index } func.func @a() { %i = func.call @h() : () -> index return }"
    assert run(text).profile.kernels[0].name == "a"
    assert run(text, "h").profile.kernels[0].name == "h"


def test_a_module_without_names_stays_as_it_is() -> None:
    with ir.Context():
        module = ir.Module.parse(ADD)
        before = str(module)
        result = kernel.run(module.operation, args={"arg0": floats(), "arg1": 10, "arg2": 1.0})
        np.testing.assert_array_equal(result.arrays["arg0"], floats() + 1)
        assert str(module) == before


def test_device_addresses_count_elements() -> None:
    text = ADD.replace("%x_ptr: index, // the data: (%not_a_name: index)\n", "").replace(
        "%v = ", "%x_ptr = arith.constant 100 : index\n%v = "
    )
    others = np.ones(3, np.int64)
    result = run(text, args={"n": 10, "step": 1.0}, device={100: floats(), 0: others})
    np.testing.assert_array_equal(result.arrays[100], floats() + 1)
    np.testing.assert_array_equal(result.arrays[0], others)


def test_runtime_arguments_keep_their_promises() -> None:
    text = ADD.replace("%n: index", "%m: !ktdp.runtime_arg<index, granularity=2, upperbound=8>")
    text = text.replace(
        "%v = ",
        "%n = ktdp.runtime_arg_extract value from %m"
        " : !ktdp.runtime_arg<index, granularity=2, upperbound=8> -> index\n%v = ",
    )
    result = run(text, args={"x_ptr": floats(), "m": 4, "step": 1.0})
    np.testing.assert_array_equal(result.arrays["x_ptr"][3:6], [4, 4, 5])
    with pytest.raises(InputError, match="10 is over its upperbound 8"):
        run(text, args={"x_ptr": floats(), "m": 10, "step": 1.0})
    with pytest.raises(InputError, match="3 is not a multiple of its granularity 2"):
        run(text, args={"x_ptr": floats(), "m": 3, "step": 1.0})
    bound = text.replace("extract value from", "extract upperbound from")
    np.testing.assert_array_equal(
        run(bound, args={"x_ptr": floats(), "m": 2, "step": 1.0}).arrays["x_ptr"][6:9], [7, 8, 8]
    )


def test_a_grid_of_the_caller() -> None:
    text = ADD.replace("%t = ktdp", "%core = ktdp.get_compute_tile_id : index\n%t = ktdp")
    text = text.replace("%v[0]", "%v[2 * %core]").replace("-d0 + 15", "-d0 + 1")
    result = run(text.replace("16x", "2x"), args=[floats(), 10, 1.0], grid=[3])
    np.testing.assert_array_equal(result.arrays["x_ptr"] - floats(), [1] * 6 + [0] * 4)
    assert result.profile.kernels[0].grid == (3,)


def test_another_target(tmp_path: Path) -> None:
    file = tmp_path / "small.json"
    file.write_text(
        '{"schema": 1, "base": "spyre", "name": "small",'
        ' "figures": {"cores": {"value": 2, "source": "a test"}}}'
    )
    with pytest.raises(InputError, match=r"grid \[3\] has 3 cores; small has 1 to 2"):
        run(ADD, args=[floats(), 1, 1.0], grid=[3], target=load_target(file))


def test_names_in_source() -> None:
    text = """
      // func.func @comment(%x: index)
      func.func private @"odd name"(%a.b: index {n = "%s: (\\")"} loc("f":1:2), %1: memref<?xf16>)
      sdf.program @p ( %x_ptr : index ) grid [1]
      func.func public @none() -> (index, f32)
      func.func @types(%m: !ktdp.runtime_arg<index, granularity = 2>, %f: (i32) -> i32)
    """
    assert argument_names(text) == {
        "odd name": ["a.b", "1"],
        "p": ["x_ptr"],
        "none": [],
        "types": ["m", "f"],
    }
