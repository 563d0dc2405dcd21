"""The oracle itself, on kernels whose results are known by hand."""

from __future__ import annotations

import random

import pytest
import torch

from ktir.mlir import ir
from ktir.modules import new_context, parse_module
from test.oracle import Array, Deadlock, Fault, run
from test.oracle.formats import round_to
from test.oracle.integers import function_of

from .sets import box, identity, order_map

HBM = "memory_space = #ktdp.spyre_memory_space<HBM>"


def parsed(text: str) -> ir.Operation:
    return parse_module(text, "the kernel", new_context())


def view(name: str, pointer: str, shape: list[int]) -> str:
    strides = [shape[1], 1]
    return (
        f"%{name} = ktdp.construct_memory_view %{pointer}, sizes: {shape}, strides: {strides} "
        f"{{coordinate_set = {box(shape)}, {HBM}}} : memref<{shape[0]}x{shape[1]}xf32>\n"
    )


def tile(name: str, of: str, at: str, whole: str, shape: list[int], order: str) -> str:
    return (
        f"%{name} = ktdp.construct_access_tile %{of}[{at}] {{access_tile_set = {box(shape)}, "
        f"access_tile_order = {order}}} : memref<{whole}xf32> -> "
        f"!ktdp.access_tile<{shape[0]}x{shape[1]}xindex>\n"
    )


def test_points_are_visited_in_the_order_of_the_map() -> None:
    text = (
        "func.func @kernel(%x: index, %y: index) {\n"
        + view("xv", "x", [2, 3])
        + view("yv", "y", [2, 3])
        + tile("from", "xv", "0, 0", "2x3", [2, 3], order_map([1, 0]))
        + tile("to", "yv", "0, 0", "2x3", [2, 3], identity(2))
        + "%d = ktdp.load %from : <2x3xindex> -> tensor<2x3xf32>\n"
        "ktdp.store %d, %to : tensor<2x3xf32>, <2x3xindex>\nreturn\n}\n"
    )
    x, y = Array("f32", [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), Array("f32", [9.0] * 6)
    run(parsed(text), {"x": x, "y": y})
    assert y.data == [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]


EXCHANGE = """
%future = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : (i >= 0, -i + 2 >= 0)>
    -> <(tensor<1x1xf32>), groups = affine_set<(g) : (g == 0)>> {
^bb0(%gid: index):
  ktdp.yield_partial %mine : tensor<1x1xf32>
}
%all = ktdp.inter_tile_reduce(%future)
    consumer_tiles_per_group = affine_set<(i)[g] : (i >= 0, -i + 2 >= 0)>,
    identity(%start : tensor<1x1xf32>)
    : <(tensor<1x1xf32>), groups = affine_set<(g) : (g == 0)>> -> tensor<1x1xf32> {
^bb0(%l: tensor<1x1xf32>, %r: tensor<1x1xf32>):
  %d = arith.subf %l, %r : tensor<1x1xf32>
  %h = arith.addf %d, %d : tensor<1x1xf32>
  ktdp.yield_reduced %h : tensor<1x1xf32>
}
"""  # noqa: E501


def exchange(body: str) -> str:
    return (
        "func.func @kernel(%x: index, %y: index) attributes {grid = [3]} {\n"
        "%core = ktdp.get_compute_tile_id : index\n%c0 = arith.constant 0 : index\n"
        "%start = arith.constant dense<1.0> : tensor<1x1xf32>\n"
        + view("xv", "x", [3, 1])
        + view("yv", "y", [3, 1])
        + tile("from", "xv", "%core, 0", "3x1", [1, 1], identity(2))
        + tile("to", "yv", "%core, 0", "3x1", [1, 1], identity(2))
        + "%mine = ktdp.load %from : <1x1xindex> -> tensor<1x1xf32>\n"
        + body
        + "return\n}\n"
    )


def test_a_fold_starts_with_the_identity_and_takes_cores_in_order() -> None:
    store = "ktdp.store %all, %to : tensor<1x1xf32>, <1x1xindex>\n"
    x, y = Array("f32", [10.0, 20.0, 40.0]), Array("f32", [0.0] * 3)
    run(parsed(exchange(EXCHANGE + store)), {"x": x, "y": y})
    first = 2 * (1.0 - 10.0)
    second = 2 * (first - 20.0)
    assert y.data == [2 * (second - 40.0)] * 3


def test_a_core_that_stays_away_is_a_deadlock() -> None:
    body = "%some = arith.cmpi ne, %core, %c0 : index\nscf.if %some {" + EXCHANGE + "}\n"
    arrays = {"x": Array("f32", [0.0] * 3), "y": Array("f32", [0.0] * 3)}
    with pytest.raises(Deadlock, match=r"core 1 for \[0\]; core 2 for \[0\]"):
        run(parsed(exchange(body)), arrays)


def test_a_coordinate_outside_a_view_is_a_fault() -> None:
    text = (
        "func.func @kernel(%x: index) {\n"
        + view("xv", "x", [2, 3])
        + tile("from", "xv", "1, 0", "2x3", [2, 3], identity(2))
        + "%d = ktdp.load %from : <2x3xindex> -> tensor<2x3xf32>\nreturn\n}\n"
    )
    with pytest.raises(Fault, match=r"ktdp.load.*coordinates \[2, 0\] of a view of \[2, 3\]"):
        run(parsed(text), {"x": Array("f32", [0.0] * 6)})


@pytest.mark.parametrize(
    ("element", "dtype"),
    [("f16", torch.float16), ("bf16", torch.bfloat16), ("f32", torch.float32)],
)
def test_rounding(element: str, dtype: torch.dtype) -> None:
    numbers = random.Random(1)
    for _ in range(2000):
        # Exact in f32, so that torch rounds once.
        x = torch.tensor(numbers.uniform(-1, 1) * 2.0 ** numbers.randint(-30, 20)).item()
        assert round_to(x, element) == torch.tensor(x).to(dtype).item(), x


@pytest.mark.parametrize(
    ("name", "a", "b", "result"),
    [
        ("arith.divsi", -7, 2, -3),
        ("arith.floordivsi", -7, 2, -4),
        ("arith.ceildivsi", -7, 2, -3),
        ("arith.remsi", -7, 2, -1),
        ("arith.divui", -1, 2, 2**31 - 1),
        ("arith.shrsi", -8, 1, -4),
        ("arith.shrui", -8, 1, 2**31 - 4),
        ("arith.muli", 2**30, 4, 0),
        ("arith.addi", 2**31 - 1, 1, -(2**31)),
        ("arith.divsi", 5, 0, -1),
        ("arith.remsi", 5, 0, 5),
        ("arith.divsi", -(2**31), -1, -(2**31)),
    ],
)
def test_integers(name: str, a: int, b: int, result: int) -> None:
    assert function_of(name, "i32", {})(a, b) == result
