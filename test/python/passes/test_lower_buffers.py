"""Kernels on buffers, as bufferised code has them: allocated memory, `linalg` on views, views of
views. Both levels beside numpy."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from ktdp_text import box
from sdf_kernels import half
from test_lower_memory import kernel, tile, view
from test_lower_sets import assert_fault
from test_lower_to_sdf import assert_same_at_both_levels, lower

from ktir.errors import KtirError
from ktir.machine.kernel import run as launch
from ktir.mlir import ir

LX = "#ktdp.spyre_memory_space<LX>"


def matrices(body: str, grid: str = "[1]") -> str:
    """A kernel with views %xv 7 x 9, %yv 9 x 7 and %zv 7 x 7."""
    return kernel(
        view("xv", "%x", "7, 9", "9, 1", box(7, 9), "7x9")
        + view("yv", "%y", "9, 7", "7, 1", box(9, 7), "9x7")
        + view("zv", "%z", "7, 7", "7, 1", box(7, 7), "7x7")
        + body,
        "%x: index, %y: index, %z: index",
        grid,
    )


def run(body: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    arguments = {"x": half(7, 9), "y": half(9, 7), "z": half(7, 7)}
    left = assert_same_at_both_levels(matrices(body), arguments)
    return tuple(np.asarray(left[name]) for name in "xyz")  # type: ignore[return-value]


X, Y, Z = half(7, 9).numpy(), half(9, 7).numpy(), half(7, 7).numpy()


def test_elementwise_in_place() -> None:
    x, _, _ = run(
        "linalg.add ins(%xv, %xv : memref<7x9xf16>, memref<7x9xf16>) outs(%xv : memref<7x9xf16>)\n"
    )
    assert np.array_equal(x, X + X)


def test_a_product_into_allocated_memory() -> None:
    *_, z = run(
        f"%m = memref.alloc() : memref<7x7xf32, {LX}>\n%zero = arith.constant 0.0 : f32\n"
        f"linalg.fill ins(%zero : f32) outs(%m : memref<7x7xf32, {LX}>)\n"
        "linalg.matmul ins(%xv, %yv : memref<7x9xf16>, memref<9x7xf16>) "
        f"outs(%m : memref<7x7xf32, {LX}>)\n"
        "linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, "
        'affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} '
        f"ins(%m : memref<7x7xf32, {LX}>) outs(%zv : memref<7x7xf16>) {{\n"
        "^bb0(%a: f32, %b: f16):\n%c = arith.truncf %a : f32 to f16\nlinalg.yield %c : f16\n}\n"
        f"memref.dealloc %m : memref<7x7xf32, {LX}>\n"
    )
    expected = (X.astype(np.float32) @ Y.astype(np.float32)).T
    assert np.allclose(z, expected, rtol=2e-3, atol=2e-3)


def test_reductions_and_transposes_of_parts() -> None:
    """Rows 1, 3, 5 and columns 2 to 5 of x, summed, and turned into a part of y."""
    part = "memref<3x4xf16, strided<[18, 1], offset: 11>>"
    _, y, z = run(
        f"%p = memref.subview %xv[1, 2] [3, 4] [2, 1] : memref<7x9xf16> to {part}\n"
        "%q = memref.subview %yv[4, 0] [4, 3] [1, 1] : memref<9x7xf16> to "
        "memref<4x3xf16, strided<[7, 1], offset: 28>>\n"
        f"linalg.transpose ins(%p : {part}) outs(%q : memref<4x3xf16, strided<[7, 1], offset: 28>>)"
        " permutation = [1, 0]\n"
        "%s = memref.subview %zv[0, 0] [1, 3] [1, 1] : memref<7x7xf16> to "
        "memref<3xf16, strided<[1]>>\n"
        f"linalg.reduce {{arith.maximumf}} ins(%p : {part}) outs(%s : memref<3xf16, strided<[1]>>) "
        "dimensions = [1]\n"
    )
    cut = X[1:7:2, 2:6]
    expected = Y.copy()
    expected[4:8, :3] = cut.T
    assert np.array_equal(y, expected)
    row = Z.copy()
    row[0, :3] = np.maximum(Z[0, :3], cut.max(axis=1))
    assert np.array_equal(z, row)


def test_memory_is_dense_whatever_its_rows_are() -> None:
    """Allocated 7 x 9, written as such, read as one row of 63 and as 9 x 7."""
    _, y, z = run(
        "%m = memref.alloca() : memref<7x9xf16>\n"
        "memref.copy %xv, %m : memref<7x9xf16> to memref<7x9xf16>\n"
        "%flat = memref.collapse_shape %m [[0, 1]] : memref<7x9xf16> into memref<63xf16>\n"
        "%again = memref.expand_shape %flat [[0, 1]] output_shape [9, 7] : "
        "memref<63xf16> into memref<9x7xf16>\n"
        "memref.copy %again, %yv : memref<9x7xf16> to memref<9x7xf16>\n"
        "%other = memref.reinterpret_cast %m to offset: [3], sizes: [7, 7], strides: [7, 1] : "
        "memref<7x9xf16> to memref<7x7xf16, strided<[7, 1], offset: 3>>\n"
        "linalg.copy ins(%other : memref<7x7xf16, strided<[7, 1], offset: 3>>) "
        "outs(%zv : memref<7x7xf16>)\n"
    )
    assert np.array_equal(y, X.reshape(9, 7))
    assert np.array_equal(z, X.reshape(-1)[3:52].reshape(7, 7))


def test_memory_lasts_over_iterations_and_is_apart_from_tensors() -> None:
    """An accumulator in memory that a loop adds to, beside tensors that come and go."""
    *_, z = run(
        "%m = memref.alloc() : memref<7x7xf16>\n"
        "linalg.copy ins(%zv : memref<7x7xf16>) outs(%m : memref<7x7xf16>)\n"
        "scf.for %i = %c0 to %c3 step %c1 {\n"
        "%p = memref.subview %xv[0, %i] [7, 7] [1, 1] : memref<7x9xf16> to "
        "memref<7x7xf16, strided<[9, 1], offset: ?>>\n"
        "%n = memref.alloc() : memref<7x7xf16>\n"
        "linalg.exp ins(%p : memref<7x7xf16, strided<[9, 1], offset: ?>>) "
        "outs(%n : memref<7x7xf16>)\n"
        "%even = arith.cmpi ne, %i, %c1 : index\n"
        "scf.if %even {\n"
        "linalg.sub ins(%m, %n : memref<7x7xf16>, memref<7x7xf16>) outs(%m : memref<7x7xf16>)\n"
        "} else {\n"
        "%first = memref.load %n[%c0, %c0] : memref<7x7xf16>\n"
        "memref.store %first, %m[%c2, %i] : memref<7x7xf16>\n}\n}\n"
        "linalg.copy ins(%m : memref<7x7xf16>) outs(%zv : memref<7x7xf16>)\n"
    )
    expected = Z.copy()
    for i in range(3):
        power = np.exp(X[:, i : i + 7].astype(np.float32)).astype(np.float16)
        if i != 1:
            expected = expected - power
        else:
            expected[2, 1] = power[0, 0]
    assert np.allclose(z, expected, rtol=2e-3, atol=5e-3)


def test_every_core_has_memory_of_its_own() -> None:
    body = view("xv", "%x", "4, 8", "8, 1", box(4, 8), "4x8")
    body += view("yv", "%y", "4, 8", "8, 1", box(4, 8), "4x8")
    body += "%m = memref.alloc() : memref<1x8xf16>\n"
    row = "memref<1x8xf16, strided<[8, 1], offset: ?>>"
    for name in ("xv", "yv"):
        body += f"%{name[0]}r = memref.subview %{name}[%core, 0] [1, 8] [1, 1] : "
        body += f"memref<4x8xf16> to {row}\n"
    body += f"linalg.negf ins(%xr : {row}) outs(%m : memref<1x8xf16>)\n"
    body += f"linalg.copy ins(%m : memref<1x8xf16>) outs(%yr : {row})\n"
    left = assert_same_at_both_levels(kernel(body, grid="[4]"), {"x": half(4, 8), "y": half(4, 8)})
    assert np.array_equal(np.asarray(left["y"]), -half(4, 8).numpy())


def test_sizes_that_are_values() -> None:
    """The first %n rows of x and z, whose views state the size."""
    set_ = "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 6 >= 0)>"
    body = "%c7 = arith.constant 7 : index\n%k = arith.minsi %n, %c7 : index\n"
    for name in "xz":
        body += view(f"{name}v", f"%{name}", "%k, 7", "7, 1", set_, "?x7")
    body += (
        "linalg.add ins(%xv, %zv : memref<?x7xf16>, memref<?x7xf16>) outs(%zv : memref<?x7xf16>)\n"
    )
    text = kernel(body, "%x: index, %z: index, %n: index")
    for n in (0, 1, 5, 7):
        left = assert_same_at_both_levels(text, {"x": half(7, 7), "z": half(7, 7) + 1, "n": n})
        expected = (half(7, 7) + 1).numpy()
        expected[:n] += half(7, 7).numpy()[:n]
        assert np.array_equal(np.asarray(left["z"]), expected)


@pytest.mark.parametrize("count", [0, 5])
def test_softmax_and_maps_on_buffers(count: int) -> None:
    body = view("xv", "%x", f"{count}, 9", "9, 1", box(count, 9), f"{count}x9")
    body += view("yv", "%y", f"{count}, 9", "9, 1", box(count, 9), f"{count}x9")
    type_ = f"memref<{count}x9xf16>"
    body += f"%m = memref.alloc() : {type_}\n"
    body += f"linalg.softmax dimension(1) ins(%xv : {type_}) outs(%m : {type_})\n"
    body += f"linalg.map {{arith.negf}} ins(%m : {type_}) outs(%yv : {type_})\n"
    left = assert_same_at_both_levels(
        kernel(body), {"x": half(5, 9), "y": torch.zeros(5, 9).half()}
    )
    x = half(5, 9).numpy().astype(np.float64)[:count]
    power = np.exp(x - x.max(axis=1, keepdims=True)) if count else x
    expected = np.zeros((5, 9))
    expected[:count] = -power / power.sum(axis=1, keepdims=True)
    assert np.allclose(np.asarray(left["y"]), expected, atol=2e-3)


def test_memory_elsewhere_is_refused() -> None:
    for space in ("#ktdp.spyre_memory_space<HBM>", "#ktdp.spyre_memory_space<LX, core = 0>", "3"):
        text = kernel(
            f"%m = memref.alloc() : memref<4xf16, {space}>\n"
            + view("xv", "%x", "4", "1", box(4), "4")
            + f"linalg.copy ins(%xv : memref<4xf16>) outs(%m : memref<4xf16, {space}>)\n"
            + tile("t", "xv", "0", box(4), "affine_map<(d0) -> (d0)>", "4", "4")
        )
        module = ir.Module.parse(text, ir.Context()).operation
        for level in ("ktir", "sdf"):
            with pytest.raises((KtirError, AssertionError), match=r"'memref.alloc'.* at -:.*LX"):
                launch(module, None, {"x": half(4), "y": half(4)}, level=level, lower=lower)


def part_of(at: str, rows: int) -> str:
    """A kernel that copies `rows` rows, from row %row on, of a part of x: rows 1, 3, 5, and four
    columns from `at` on."""
    body = view("xv", "%x", "7, 9", "9, 1", box(7, 9), "7x9")
    part = "memref<3x4xf16, strided<[18, 1], offset: ?>>"
    body += f"%p = memref.subview %xv[1, {at}] [3, 4] [2, 1] : memref<7x9xf16> to {part}\n"
    set_, order = box(rows, 4), "affine_map<(d0, d1) -> (d0, d1)>"
    body += (
        f"%t = ktdp.construct_access_tile %p[%row, 0] {{access_tile_set = {set_}, "
        f"access_tile_order = {order}}} : {part} -> !ktdp.access_tile<{rows}x4xindex>\n"
    )
    body += view("yv", "%y", f"{rows}, 4", "4, 1", box(rows, 4), f"{rows}x4")
    body += tile("u", "yv", "0, 0", set_, order, f"{rows}x4", f"{rows}x4")
    body += f"%d = ktdp.load %t : <{rows}x4xindex> -> tensor<{rows}x4xf16>\n"
    body += f"ktdp.store %d, %u : tensor<{rows}x4xf16>, <{rows}x4xindex>\n"
    return kernel(body, "%x: index, %y: index, %row: index, %at: index")


def test_a_part_ends_where_it_says() -> None:
    """Beyond its rows the view goes on, the part does not."""
    text = part_of("%at", 2)
    arguments = {"x": half(7, 9), "y": half(2, 4)}
    for row, at in ((0, 2), (1, 5)):
        left = assert_same_at_both_levels(text, {**arguments, "row": row, "at": at})
        expected = X[1 + 2 * row : 5 + 2 * row : 2, at : at + 4]
        assert np.array_equal(np.asarray(left["y"]), expected)
    for row, at in ((2, 2), (-1, 2), (0, 6), (0, -1)):
        assert_fault(text, {**arguments, "row": row, "at": at}, "outside|leaves")


def test_a_divided_dimension_ends_where_it_says() -> None:
    body = view("xv", "%x", "63", "1", box(63), "63")
    body += "%p = memref.expand_shape %xv [[0, 1]] output_shape [7, 9] : "
    body += "memref<63xf16> into memref<7x9xf16>\n"
    set_, order = box(2, 4), "affine_map<(d0, d1) -> (d0, d1)>"
    body += tile("t", "p", "1, %at", set_, order, "7x9", "2x4")
    body += view("yv", "%y", "2, 4", "4, 1", set_, "2x4")
    body += tile("u", "yv", "0, 0", set_, order, "2x4", "2x4")
    body += "%d = ktdp.load %t : <2x4xindex> -> tensor<2x4xf16>\n"
    body += "ktdp.store %d, %u : tensor<2x4xf16>, <2x4xindex>\n"
    text = kernel(body, "%x: index, %y: index, %at: index")
    arguments = {"x": half(63), "y": half(2, 4)}
    for at in (0, 5):
        left = assert_same_at_both_levels(text, {**arguments, "at": at})
        expected = half(63).numpy().reshape(7, 9)[1:3, at : at + 4]
        assert np.array_equal(np.asarray(left["y"]), expected)
    for at in (6, -1):
        assert_fault(text, {**arguments, "at": at}, "outside")


def test_a_part_of_a_view_that_is_no_box() -> None:
    """The lower triangle of x: what a part has of it above the diagonal reads zero."""
    triangle = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 6 >= 0, d1 >= 0, d0 - d1 >= 0)>"
    text = part_of("%at", 3).replace(box(7, 9), triangle)
    left = assert_same_at_both_levels(text, {"x": half(7, 9), "y": half(3, 4), "row": 0, "at": 2})
    expected = np.tril(X)[1:7:2, 2:6]
    assert np.array_equal(np.asarray(left["y"]), expected)


def test_a_constant_of_the_module_ends_where_it_says() -> None:
    body = "%w = memref.get_global @w : memref<7x9xf16>\n"
    body += tile("t", "w", "%at, 0", box(2, 9), "affine_map<(d0, d1) -> (d0, d1)>", "7x9", "2x9")
    body += view("yv", "%y", "2, 9", "9, 1", box(2, 9), "2x9")
    body += tile("u", "yv", "0, 0", box(2, 9), "affine_map<(d0, d1) -> (d0, d1)>", "2x9", "2x9")
    body += "%d = ktdp.load %t : <2x9xindex> -> tensor<2x9xf16>\n"
    body += "ktdp.store %d, %u : tensor<2x9xf16>, <2x9xindex>\n"
    values = np.arange(63, dtype=np.float16).reshape(7, 9)
    text = f"memref.global constant @w : memref<7x9xf16> = dense<{values.tolist()}>\n"
    text += kernel(body, "%y: index, %at: index")
    for at in (0, 5):
        left = assert_same_at_both_levels(text, {"y": half(2, 9), "at": at})
        assert np.array_equal(np.asarray(left["y"]), values[at : at + 2])
    for at in (6, -1):
        assert_fault(text, {"y": half(2, 9), "at": at}, "outside")
