"""Sizes, strides and symbols of views and of sets that differ by core."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_text import run
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.errors import BoundsError, UnsupportedError

SYMBOLIC = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>"
ID = "%id = ktdp.get_compute_tile_id : index\n"


def constant(name: str, value: int) -> str:
    return f"%{name} = arith.constant {value} : index\n"


def numbers(count: int) -> Any:
    return np.arange(1, count + 1, dtype=np.float16)


def rows(size: int) -> Any:
    """What four cores shall write, one row of 8 each."""
    return np.full((4, size), np.nan, np.float16)


def out_tile(shape: str = "8") -> str:
    """%to: row %id of the 4 x 8 output %y, seen as one dimension."""
    return (
        "%rowstart = arith.muli %id, %c8 : index\n%at = arith.addi %y, %rowstart : index\n"
        + view("out", "%at", shape, "1", box(int(shape)), f"{shape}xf16")
        + tile("to", "%out[%c0]", f"{shape}xf16", box(int(shape)), identity(1), shape)
    )


def tail(size: str = "%left", valid: str = SYMBOLIC) -> str:
    """Each core loads 8 elements of its row; only %left = 8 - 2 * id of them are valid."""
    return (
        ID
        + constant("c8", 8)
        + constant("c2", 2)
        + "%two = arith.muli %id, %c2 : index\n%left = arith.subi %c8, %two : index\n"
        + "%start = arith.muli %id, %c8 : index\n%from = arith.addi %x, %start : index\n"
        + view("in", "%from", size, "1", valid, "?xf16")
        + tile("part", "%in[%c0]", "?xf16", box(8), identity(1), "8")
        + load("d", "part", "8")
        + out_tile()
        + store("d", "to", "8")
    )


def test_sizes_mask_each_core_at_its_own_end() -> None:
    x = numbers(32)
    result = run(kernel(tail(), grid="[4]"), args=[x, rows(8)]).arrays["y"]
    expected = x.reshape(4, 8) * (np.arange(8) < 8 - 2 * np.arange(4)[:, None])
    np.testing.assert_array_equal(result, expected)


def test_stores_are_masked_too() -> None:
    body = (
        ID
        + constant("c8", 8)
        + "%start = arith.muli %id, %c8 : index\n"
        + "%from = arith.addi %x, %start : index\n%at = arith.addi %y, %start : index\n"
        + view("in", "%from", "8", "1", box(8), "8xf16")
        + tile("part", "%in[%c0]", "8xf16", box(8), identity(1), "8")
        + load("d", "part", "8")
        + "%size = arith.addi %id, %c0 : index\n"
        + view("out", "%at", "%size", "1", SYMBOLIC, "?xf16")
        + tile("to", "%out[%c0]", "?xf16", box(8), identity(1), "8")
        + store("d", "to", "8")
    )
    result = run(kernel(body, grid="[4]"), args=[numbers(32), rows(8)]).arrays["y"]
    expected = np.where(np.arange(8) < np.arange(4)[:, None], numbers(32).reshape(4, 8), np.nan)
    np.testing.assert_array_equal(result, expected)


def test_a_set_that_is_no_box_is_bound_a_core() -> None:
    even = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d0 mod 2 == 0)>"
    x = numbers(32)
    result = run(kernel(tail(valid=even), grid="[4]"), args=[x, rows(8)]).arrays["y"]
    valid = (np.arange(8) < 8 - 2 * np.arange(4)[:, None]) & (np.arange(8) % 2 == 0)
    np.testing.assert_array_equal(result, x.reshape(4, 8) * valid)


def test_a_fault_names_the_core_and_its_own_size() -> None:
    # The set reaches past the size, so that no mask covers the last elements.
    whole = "affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>"
    text = kernel(tail(valid=whole), grid="[4]")
    with pytest.raises(BoundsError, match=r"core 1 reads .*\[6\].*legal are \[0\.\.5\]"):
        run(text, args=[numbers(32), rows(8)])


def strided(count: int) -> str:
    """Core i loads `count` elements 1 + i apart."""
    shape = str(count)
    return (
        ID
        + constant("c8", 8)
        + constant("c1", 1)
        + "%apart = arith.addi %id, %c1 : index\n"
        + view("in", "%x", "8, 4", "%apart, 1", box(8, 4), "8x4xf16")
        + tile("part", "%in[%c1, %c0]", "8x4xf16", box(count, 1), identity(2), f"{shape}x1")
        + f"%d2 = ktdp.load %part : !ktdp.access_tile<{shape}x1xindex> -> tensor<{shape}x1xf16>\n"
        + f"%d = tensor.collapse_shape %d2 [[0, 1]] : tensor<{shape}x1xf16> into "
        + f"tensor<{shape}xf16>\n"
        + out_tile(shape)
        + store("d", "to", shape)
    )


@pytest.mark.parametrize("count", [1, 5])
def test_strides(count: int) -> None:
    x = numbers(64)
    result = run(kernel(strided(count), grid="[4]"), args=[x, rows(8)]).arrays["y"]
    index = (1 + np.arange(count)) * (1 + np.arange(4)[:, None])
    np.testing.assert_array_equal(result[:, :count], x[index])
    assert np.isnan(result[:, count:]).all()


def moved(low: str, high: str, shape: str, then: str) -> str:
    """Core i loads coordinates {low}..{high} - 1 of its symbol s0 = 2 i."""
    points = f"affine_set<(d0)[s0] : (d0 - {low} >= 0, -d0 + {high} - 1 >= 0)>"
    return (
        ID
        + constant("c8", 8)
        + constant("c2", 2)
        + "%two = arith.muli %id, %c2 : index\n"
        + view("in", "%x", "32", "1", box(32), "32xf16")
        + "%part = ktdp.construct_access_tile %in[%c0] symbols(%two) "
        + f"{{ access_tile_set = {points}, access_tile_order = {identity(1)} }} : memref<32xf16> "
        + f"-> !ktdp.access_tile<{shape}xindex>\n"
        + load("d", "part", shape)
        + then
    )


def test_symbols_that_move_a_tile() -> None:
    text = kernel(moved("s0", "s0 + 8", "8", out_tile() + store("d", "to", "8")), grid="[4]")
    result = run(text, args=[numbers(32), rows(8)]).arrays["y"]
    expected = numbers(32)[2 * np.arange(4)[:, None] + np.arange(8)]
    np.testing.assert_array_equal(result, expected)


SUM = """
%zero = arith.constant dense<0.0> : tensor<f16>
%s = linalg.reduce { arith.addf } ins(%d : tensor<?xf16>) outs(%zero : tensor<f16>) dimensions = [0]
%one = tensor.expand_shape %s [] output_shape [1] : tensor<f16> into tensor<1xf16>
"""


def test_tiles_of_different_sizes() -> None:
    body = moved("0", "s0 + 1", "?", SUM + out_tile("1") + store("one", "to", "1"))
    result = run(kernel(body, grid="[4]"), args=[numbers(32), rows(8)]).arrays["y"]
    expected = [np.arange(1, 2 * i + 2).sum() for i in range(4)]
    np.testing.assert_array_equal(result[:, 0], expected)


def test_the_size_of_a_tile_is_seen_by_each_core() -> None:
    then = (
        "%n = tensor.dim %d, %c0 : tensor<?xf16>\n%i = arith.index_cast %n : index to i32\n"
        "%f = arith.sitofp %i : i32 to f16\n%one = tensor.splat %f : tensor<1xf16>\n"
    )
    body = moved("0", "s0 + 1", "?", then + out_tile("1") + store("one", "to", "1"))
    result = run(kernel(body, grid="[4]"), args=[numbers(32), rows(8)]).arrays["y"]
    np.testing.assert_array_equal(result[:, 0], [1, 3, 5, 7])


def test_a_branch_that_gives_different_shapes() -> None:
    then = (
        "%first = arith.cmpi eq, %id, %c0 : index\n"
        "%e = scf.if %first -> (tensor<?xf16>) {\n"
        "  %sum = arith.addf %d, %d : tensor<?xf16>\n  scf.yield %sum : tensor<?xf16>\n"
        "} else {\n  scf.yield %d : tensor<?xf16>\n}\n"
    )
    body = moved("0", "s0 + 1", "?", then + SUM.replace("%d ", "%e ") + out_tile("1"))
    body += store("one", "to", "1")
    result = run(kernel(body, grid="[4]"), args=[numbers(32), rows(8)]).arrays["y"]
    expected = [np.arange(1, 2 * i + 2).sum() * (2 if i == 0 else 1) for i in range(4)]
    np.testing.assert_array_equal(result[:, 0], expected)


def test_a_branch_whose_results_have_different_shapes() -> None:
    body = (
        ID
        + constant("c8", 8)
        + constant("c3", 3)
        + "%first = arith.cmpi eq, %id, %c0 : index\n"
        + "%e = scf.if %first -> (tensor<?xf16>) {\n"
        + "  %a = tensor.splat %f[%c3] : tensor<?xf16>\n  scf.yield %a : tensor<?xf16>\n"
        + "} else {\n"
        + "  %b = tensor.splat %f[%c8] : tensor<?xf16>\n  scf.yield %b : tensor<?xf16>\n}\n"
        + "%d = tensor.cast %e : tensor<?xf16> to tensor<?xf16>\n"
        + SUM
        + out_tile("1")
        + store("one", "to", "1")
    )
    text = kernel(body, arguments="%y: index, %f: f16", grid="[4]")
    result = run(text, args=[rows(8), 1.0]).arrays["y"]
    np.testing.assert_array_equal(result[:, 0], [3, 8, 8, 8])


def test_a_loop_does_not_carry_different_shapes() -> None:
    body = (
        ID
        + constant("c1", 1)
        + constant("c3", 3)
        + "%n = arith.addi %id, %c1 : index\n%a = tensor.splat %f[%c1] : tensor<?xf16>\n"
        + "%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%c = %a) -> (tensor<?xf16>) {\n"
        + "  %b = tensor.splat %f[%n] : tensor<?xf16>\n  scf.yield %b : tensor<?xf16>\n}\n"
    )
    with pytest.raises(UnsupportedError, match="a loop carries a tensor whose shape differs"):
        run(kernel(body, arguments="%f: f16", grid="[2]"), args=[1.0])


def test_parts_of_a_distributed_view_with_sizes_a_core() -> None:
    # The first part ends after id + 1 coordinates, the second holds the rest.
    first = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>"
    rest = "affine_set<(d0)[s0] : (d0 - 8 + s0 >= 0, -d0 + 7 >= 0)>"
    text = kernel(
        ID
        + constant("c8", 8)
        + constant("c1", 1)
        + "%n = arith.addi %id, %c1 : index\n%m = arith.subi %c8, %n : index\n"
        + "%after = arith.addi %x, %c8 : index\n"
        + view("a", "%x", "%n", "1", first, "?xf16")
        + view("b", "%after", "%m", "1", rest, "?xf16")
        + "%v = ktdp.construct_distributed_memory_view (%a, %b : memref<?xf16>, memref<?xf16>)"
        + " : memref<8xf16>\n"
        + tile("part", "%v[%c0]", "8xf16", box(8), identity(1), "8")
        + load("d", "part", "8")
        + out_tile()
        + store("d", "to", "8"),
        grid="[4]",
    )
    x = numbers(16)
    expected = [np.concatenate([x[: i + 1], x[8 : 15 - i]]) for i in range(4)]
    np.testing.assert_array_equal(run(text, args=[x, rows(8)]).arrays["y"], expected)
