"""Kernels that return values, call functions, or branch between blocks: the same at both levels."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from open_bodies import open_kernel
from test_lower_to_sdf import assert_same_at_both_levels, lowered

T = "tensor<4xf32>"
_ID = "affine_map<(d0) -> (d0)>"
_FRAME = (
    "%core = ktdp.get_compute_tile_id : index\n"
    "%v = ktdp.construct_memory_view %x, sizes: [8], strides: [1] {coordinate_set = "
    "affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>, memory_space = #ktdp.spyre_memory_space<HBM>} : "
    "memref<8xf32>\n%c0 = arith.constant 0 : index\n%c4 = arith.constant 4 : index\n"
    "%at = arith.muli %core, %c4 : index\n"
    "%t = ktdp.construct_access_tile %v[%at] {access_tile_set = affine_set<(d0) : (d0 >= 0, "
    f"-d0 + 3 >= 0)>, access_tile_order = {_ID}}} : memref<8xf32> -> !ktdp.access_tile<4xindex>\n"
    f"%a = ktdp.load %t : <4xindex> -> {T}\n"
)
_SUM = f"""
func.func private @sum(%a: {T}, %n: index) -> {T} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  cf.br ^head(%c0, %a : index, {T})
^head(%i: index, %s: {T}):
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body, ^exit
^body:
  %j = arith.addi %i, %c1 : index
  %rest = arith.remui %i, %c2 : index
  %odd = arith.cmpi eq, %rest, %c1 : index
  %t = linalg.add ins(%s, %a : {T}, {T}) outs(%s : {T}) -> {T}
  cf.cond_br %odd, ^head(%j, %s : index, {T}), ^head(%j, %t : index, {T})
^exit:
  return %s : {T}
}}
"""


def _kernel(body: str, results: str = "", others: str = "") -> str:
    return (
        f"func.func @kernel(%x: index, %n: index) {results} attributes {{grid = [2]}} {{\n"
        f"{_FRAME}{body}}}\n{others}"
    )


def _run(text: str, count: int) -> np.ndarray:
    arguments = {"x": torch.arange(8).float(), "n": count}
    return np.asarray(assert_same_at_both_levels(text, arguments)["x"])


def test_what_a_kernel_returns_goes_nowhere() -> None:
    body = (
        f"%b = arith.addf %a, %a : {T}\nktdp.store %b, %t : {T}, <4xindex>\n"
        f"return %at, %b : index, {T}\n"
    )
    left = _run(_kernel(body, f"-> (index, {T})"), 3)
    assert np.array_equal(left, 2 * np.arange(8))


def test_values_that_a_host_would_get_are_refused() -> None:
    host = (
        "func.func @host(%x: index) {\n%r = func.call @kernel(%x, %x) : (index, index) -> index\n"
        "return\n}\n"
    )
    with pytest.raises(AssertionError, match="returns values to @host"):
        lowered(_kernel("return %at : index\n", "-> index", host))


@pytest.mark.parametrize("count", [0, 1, 5])
def test_functions_with_blocks_called_twice(count: int) -> None:
    body = (
        "%m = arith.addi %n, %core : index\n"
        f"%s = func.call @sum(%a, %m) : ({T}, index) -> {T}\n"
        f"%r = func.call @sum(%s, %n) : ({T}, index) -> {T}\n"
        f"ktdp.store %r, %t : {T}, <4xindex>\nreturn\n"
    )
    left = _run(_kernel(body, others=_SUM), count)
    for core in range(2):
        factor = (1 + (count + core + 1) // 2) * (1 + (count + 1) // 2)
        piece = slice(4 * core, 4 * core + 4)
        assert np.array_equal(left[piece], factor * np.arange(8)[piece])


def test_blocks_that_cores_leave_by_different_ways() -> None:
    body = (
        "%first = arith.cmpi eq, %core, %c0 : index\ncf.cond_br %first, ^end, ^double\n"
        f"^double:\n%b = arith.addf %a, %a : {T}\nktdp.store %b, %t : {T}, <4xindex>\nreturn\n"
        f"^end:\n%z = arith.subf %a, %a : {T}\nktdp.store %z, %t : {T}, <4xindex>\nreturn\n"
    )
    assert np.array_equal(_run(_kernel(body), 0), [0, 0, 0, 0, 8, 10, 12, 14])


def test_a_switch_between_blocks() -> None:
    body = (
        "%k = arith.index_cast %core : index to i32\n%two = arith.constant 2.0 : f32\n"
        "%three = arith.constant 3.0 : f32\n"
        "cf.switch %k : i32, [default: ^join(%two : f32), 1: ^join(%three : f32)]\n"
        f"^join(%f: f32):\n%s = tensor.splat %f : {T}\n%b = arith.mulf %a, %s : {T}\n"
        f"ktdp.store %b, %t : {T}, <4xindex>\nreturn\n"
    )
    assert np.array_equal(_run(_kernel(body), 0), np.arange(8) * ([2] * 4 + [3] * 4))


def test_a_kernel_that_another_one_calls_stays_one() -> None:
    double = _kernel(
        f"%b = arith.addf %a, %a : {T}\nktdp.store %b, %t : {T}, <4xindex>\nreturn\n"
    ).replace("@kernel", "@double")
    caller = (
        "func.func @twice(%x: index, %n: index) attributes {grid = [2]} {\n"
        "func.call @double(%x, %n) : (index, index) -> ()\n"
        "func.call @double(%x, %n) : (index, index) -> ()\nreturn\n}\n"
    )
    text = lowered(double + caller)
    assert text.count("sdf.program") == 2
    assert "func.call" not in text


def test_functions_on_tensors_of_open_size() -> None:
    body = (
        "%b = func.call @front(%a) : (tensor<?xf32>) -> tensor<?xf32>\n"
        "%c = func.call @front(%b) : (tensor<?xf32>) -> tensor<?xf32>\n"
        "%r = func.call @put(%b, %a) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>\n"
        "%r2 = func.call @put(%c, %r) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>\n"
    )
    helpers = """
func.func private @front(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %h = arith.divui %d, %c2 : index
  %s = tensor.extract_slice %a[0] [%h] [1] : tensor<?xf32> to tensor<?xf32>
  %r = arith.addf %s, %s : tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @put(%s: tensor<?xf32>, %a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %s, %c0 : tensor<?xf32>
  %r = tensor.insert_slice %s into %a[0] [%d] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
"""
    text = open_kernel(body).replace("%r, %yt", "%r2, %yt") + helpers
    x = torch.arange(64).float()
    left = assert_same_at_both_levels(text, {"x": x, "y": torch.zeros(64), "n": 37})
    expected = np.arange(64) * 1.0
    for start in (0, 16, 32):
        size = min(16, 37 - start)
        expected[start : start + size // 2] *= 2
        expected[start : start + size // 4] *= 2
    expected[37:] = 0
    assert np.array_equal(np.asarray(left["y"]), expected)


def test_recursion_is_refused() -> None:
    again = "func.func private @again() {\ncall @again() : () -> ()\nreturn\n}\n"
    text = "func.func @kernel() attributes {grid = [1]} {\ncall @again() : () -> ()\nreturn\n}\n"
    with pytest.raises(AssertionError, match="calls itself; use a loop"):
        lowered(text + again)
