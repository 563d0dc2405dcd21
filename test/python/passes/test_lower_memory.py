"""Sets, orders, views and parts of memory: the same bytes at levels `ktir` and `sdf`.

A kernel copies through tiles. What is in the output is checked against numpy where the rule is
short; else both levels are compared alone.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from ktdp_text import box, identity
from sdf_kernels import half
from test_lower_to_sdf import assert_same_at_both_levels, lowered


def view(
    name: str,
    base: str,
    sizes: str,
    strides: str,
    valid: str,
    type_: str,
    space: str = "spyre_memory_space<HBM>",
) -> str:
    return (
        f"%{name} = ktdp.construct_memory_view {base}, sizes: [{sizes}], strides: [{strides}] "
        f"{{coordinate_set = {valid}, memory_space = #ktdp.{space}}} : memref<{type_}xf16>\n"
    )


def tile(name: str, of: str, at: str, set_: str, order: str, view_type: str, shape: str) -> str:
    return (
        f"%{name} = ktdp.construct_access_tile %{of}[{at}] {{access_tile_set = {set_}, "
        f"access_tile_order = {order}}} : memref<{view_type}xf16> -> "
        f"!ktdp.access_tile<{shape}xindex>\n"
    )


def copy(source: str, target: str, shape: str, name: str = "d") -> str:
    return (
        f"%{name} = ktdp.load %{source} : <{shape}xindex> -> tensor<{shape}xf16>\n"
        f"ktdp.store %{name}, %{target} : tensor<{shape}xf16>, <{shape}xindex>\n"
    )


def kernel(body: str, arguments: str = "%x: index, %y: index", grid: str = "[1]") -> str:
    return (
        f"func.func @kernel({arguments}) attributes {{grid = {grid}}} {{\n"
        "%core = ktdp.get_compute_tile_id : index\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        "%c2 = arith.constant 2 : index\n%c3 = arith.constant 3 : index\n"
        f"{body}return\n}}\n"
    )


SQUARE = view("xv", "%x", "16, 16", "16, 1", box(16, 16), "16x16")

SETS = {
    "every second row": (
        "(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d0 mod 2 == 0, d1 >= 0, -d1 + 11 >= 0)",
        "4x12",
    ),
    "every third column": (
        "(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 11 >= 0, (d1 + 2) mod 3 == 0)",
        "4x4",
    ),
    "a triangle": ("(d0, d1) : (d0 >= 0, -d0 + 4 >= 0, d1 >= 0, d0 - d1 >= 0)", "15x1"),
    "a skewed band": (
        "(d0, d1) : (d0 >= 0, -d0 + 4 >= 0, d1 - d0 >= 0, d0 - d1 + 2 >= 0)",
        "5x3",
    ),
    "a diagonal": ("(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d0 - d1 == 0)", "1x8"),
    "one row": ("(d0, d1) : (d0 == 3, d1 >= 0, -d1 + 11 >= 0)", "1x12"),
    "a box that starts later": (
        "(d0, d1) : (d0 - 2 >= 0, -d0 + 5 >= 0, d1 - 1 >= 0, -d1 + 8 >= 0)",
        "4x8",
    ),
    "nothing": ("(d0, d1) : (d0 - 1 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0)", "0x8"),
    "points with a product": ("(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, 2 * d0 - d1 == 0)", "2x2"),
}

ORDERS = {
    "rows first": identity(2),
    "columns first": "affine_map<(d0, d1) -> (d1, d0)>",
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
@pytest.mark.parametrize(("set_", "shape"), SETS.values(), ids=SETS.keys())
def test_points_are_visited_in_order(set_: str, shape: str, order: str) -> None:
    set_ = f"affine_set<{set_}>"
    out = view("yv", "%y", "64", "1", box(64), "64")
    count = int(np.prod([int(size) for size in shape.split("x")]))
    body = SQUARE + out + tile("xt", "xv", "2, %c1", set_, order, "16x16", shape)
    body += f"%d = ktdp.load %xt : <{shape}xindex> -> tensor<{shape}xf16>\n"
    flat = f"tensor<{count}xf16>"
    body += f"%f = tensor.collapse_shape %d [[0, 1]] : tensor<{shape}xf16> into {flat}\n"
    body += tile("yt", "yv", "0", box(count), identity(1), "64", str(count))
    body += f"ktdp.store %f, %yt : {flat}, <{count}xindex>\n"
    body += tile("xu", "xv", "3, 4", set_, order, "16x16", shape)
    body += f"ktdp.store %d, %xu : tensor<{shape}xf16>, <{shape}xindex>\n"
    assert_same_at_both_levels(kernel(body), {"x": half(16, 16), "y": half(64)})


VIEWS = {
    "a part that does not start at 0": (
        "(d0, d1) : (d0 - 3 >= 0, -d0 + 12 >= 0, d1 - 1 >= 0, -d1 + 15 >= 0)"
    ),
    "a triangle": "(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, d0 - d1 >= 0)",
    "a diagonal": "(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 - d0 == 0)",
    "a band": ("(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 - d0 + 2 >= 0, d0 - d1 + 2 >= 0, d1 >= 0)"),
    "every third row": "(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d0 mod 3 == 1, d1 >= 0)",
    "a checkerboard": "(d0, d1) : (d0 >= 0, d1 >= 0, (d0 + d1) mod 2 == 0)",
    "nothing": "(d0, d1) : (d0 - 4 >= 0, -d0 + 2 >= 0, d1 >= 0)",
}

PLACES = ["0, 0", "%core, 2", "%c2, %core", "%row, 0"]


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("valid", VIEWS.values(), ids=VIEWS.keys())
def test_what_a_view_does_not_hold_reads_as_zero_and_is_not_written(valid: str, at: str) -> None:
    valid = f"affine_set<{valid}>"
    parts = "%row = arith.muli %core, %c3 : index\n"
    parts += view("xv", "%x", "16, 16", "16, 1", valid, "16x16")
    parts += "%own = arith.muli %core, %size : index\n%at = arith.addi %y, %own : index\n"
    parts += view("yv", "%at", "4, 8", "8, 1", box(4, 8), "4x8")
    parts += tile("xt", "xv", at, box(4, 8), identity(2), "16x16", "4x8")
    parts += tile("yt", "yv", "0, 0", box(4, 8), identity(2), "4x8", "4x8")
    parts += view("zv", "%z", "16, 16", "16, 1", valid, "16x16")
    parts += tile("zt", "zv", at, box(4, 8), identity(2), "16x16", "4x8")
    body = "%size = arith.constant 32 : index\n" + parts + copy("xt", "yt", "4x8")
    body += "%one = arith.constant dense<1.0> : tensor<4x8xf16>\n"
    body += "ktdp.store %one, %zt : tensor<4x8xf16>, <4x8xindex>\n"
    text = kernel(body, "%x: index, %y: index, %z: index", "[4]")
    arguments = {"x": half(16, 16), "y": half(4, 4, 8), "z": torch.zeros(16, 16).half()}
    assert_same_at_both_levels(text, arguments)


@pytest.mark.parametrize("set_", [SETS["a triangle"], SETS["a skewed band"]])
def test_a_listed_set_meets_a_view_that_is_no_box(set_: tuple[str, str]) -> None:
    points, shape = f"affine_set<{set_[0]}>", set_[1]
    valid = f"affine_set<{VIEWS['a checkerboard']}>"
    body = view("xv", "%x", "16, 16", "16, 1", valid, "16x16")
    body += view("yv", "%y", "16, 16", "16, 1", box(16, 16), "16x16")
    body += tile("xt", "xv", "1, 2", points, identity(2), "16x16", shape)
    body += tile("yt", "yv", "0, 0", points, identity(2), "16x16", shape)
    body += copy("xt", "yt", shape)
    assert_same_at_both_levels(kernel(body), {"x": half(16, 16), "y": half(16, 16)})


def test_sizes_strides_and_symbols_that_differ_by_core() -> None:
    valid = (
        "affine_set<(d0, d1)[s0, s1] : "
        "(d0 >= 0, -d0 + s0 - 1 >= 0, d1 - 1 >= 0, -d1 + s1 - 1 >= 0)>"
    )
    body = (
        "%rows = arith.addi %core, %c2 : index\n%cols = arith.addi %core, %c3 : index\n"
        "%pitch = arith.addi %cols, %c3 : index\n"
    )
    body += view("xv", "%x", "%rows, %cols", "%pitch, 1", valid, "?x?")
    body += "%size = arith.constant 32 : index\n"
    body += "%own = arith.muli %core, %size : index\n%at = arith.addi %y, %own : index\n"
    body += view("yv", "%at", "4, 8", "8, 1", box(4, 8), "4x8")
    body += tile("xt", "xv", "0, 0", box(4, 8), identity(2), "?x?", "4x8")
    body += tile("yt", "yv", "0, 0", box(4, 8), identity(2), "4x8", "4x8")
    text = kernel(body + copy("xt", "yt", "4x8"), grid="[3]")
    left = assert_same_at_both_levels(text, {"x": half(256), "y": half(3, 4, 8)})
    x, y = half(256).numpy(), np.asarray(left["y"])
    for core in range(3):
        rows, cols, pitch = core + 2, core + 3, core + 6
        expected = np.zeros((4, 8), np.float16)
        for i in range(min(rows, 4)):
            for j in range(1, min(cols, 8)):
                expected[i, j] = x[i * pitch + j]
        assert np.array_equal(y[core], expected)


def test_parts_of_a_distributed_view() -> None:
    low = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 15 >= 0)>"
    high = "affine_set<(d0, d1) : (d0 - 6 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0)>"
    body = view("a", "%x", "6, 16", "16, 1", low, "6x16")
    body += view("b", "%y", "10, 16", "1, 10", high, "10x16")
    body += (
        "%v = ktdp.construct_distributed_memory_view (%a, %b : memref<6x16xf16>, "
        "memref<10x16xf16>) : memref<16x16xf16>\n"
    )
    body += view("zv", "%z", "16, 16", "16, 1", box(16, 16), "16x16")
    body += "%row = arith.muli %core, %c3 : index\n"
    body += tile("vt", "v", "%row, 0", box(4, 16), identity(2), "16x16", "4x16")
    body += tile("zt", "zv", "%row, 0", box(4, 16), identity(2), "16x16", "4x16")
    body += copy("vt", "zt", "4x16")
    body += tile("vu", "v", "%core, 8", box(8, 2), "affine_map<(a, b) -> (b, a)>", "16x16", "2x8")
    body += "%e = arith.constant dense<3.0> : tensor<2x8xf16>\n"
    body += "scf.if %first {\nktdp.store %e, %vu : tensor<2x8xf16>, <2x8xindex>\n}\n"
    first = "%first = arith.cmpi eq, %core, %c3 : index\n"
    text = kernel(first + body, "%x: index, %y: index, %z: index", "[4]")
    arguments = {"x": half(6, 16), "y": half(16, 10), "z": half(16, 16)}
    left = assert_same_at_both_levels(text, arguments)
    whole = np.concatenate([half(6, 16).numpy(), half(16, 10).numpy().T])
    assert np.array_equal(np.asarray(left["z"])[:13], whole[:13])


def test_interleaved_parts() -> None:
    rows = (
        "affine_set<(d0, d1) : (d0 - {0} >= 0, -d0 + 15 >= 0, (d0 - {0}) mod 3 == 0, "
        "d1 >= 0, -d1 + 7 >= 0)>"
    )
    body = ""
    for n, base in enumerate(("%x", "%y", "%z")):
        body += view(f"p{n}", base, "16, 8", "8, 1", rows.format(n), "16x8")
    body += (
        "%v = ktdp.construct_distributed_memory_view (%p0, %p1, %p2 : memref<16x8xf16>, "
        "memref<16x8xf16>, memref<16x8xf16>) : memref<16x8xf16>\n"
    )
    body += view("wv", "%w", "16, 8", "8, 1", box(16, 8), "16x8")
    body += "%row = arith.addi %core, %c2 : index\n"
    for name, of in (("vt", "v"), ("wt", "wv")):
        body += tile(name, of, "%row, 0", box(9, 8), identity(2), "16x8", "9x8")
    text = kernel(
        body + copy("vt", "wt", "9x8"), "%x: index, %y: index, %z: index, %w: index", "[4]"
    )
    arguments = {name: half(16, 8) + n for n, name in enumerate("xyzw")}
    left = assert_same_at_both_levels(text, arguments)
    w = np.asarray(left["w"])
    for row in range(2, 14):
        part = row % 3
        assert np.array_equal(w[row], (half(16, 8) + part)[row - part].numpy())


SCRATCHPADS = """
module {{
func.func @kernel(%x: index, %y: index) attributes {{grid = [2, 2]}} {{
  %i, %j = ktdp.get_compute_tile_id : index, index
  %c2 = arith.constant 2 : index
  %c512 = arith.constant 512 : index
  %up = arith.muli %j, %c2 : index
  %core = arith.addi %i, %up : index
  {xv}{yv}{xt}{yt}
  %base = arith.constant 640 : index
  {own}{ot}{other}{zt}
  %a = ktdp.load %xt : <4x16xindex> -> tensor<4x16xf16>
  %b = arith.negf %a : tensor<4x16xf16>
  ktdp.store %b, %ot : tensor<4x16xf16>, <4x16xindex>
  %c = ktdp.load %zt : <4x16xindex> -> tensor<4x16xf16>
  ktdp.store %c, %yt : tensor<4x16xf16>, <4x16xindex>
  return
}}
}}
"""


def test_views_of_scratchpads() -> None:
    text = SCRATCHPADS.format(
        xv=view("xv", "%x", "16, 16", "16, 1", box(16, 16), "16x16"),
        yv=view("yv", "%y", "16, 16", "16, 1", box(16, 16), "16x16"),
        xt=tile("xt", "xv", "4 * %core, 0", box(4, 16), identity(2), "16x16", "4x16"),
        yt=tile("yt", "yv", "4 * %core, 0", box(4, 16), identity(2), "16x16", "4x16"),
        own=view("own", "%base", "4, 16", "20, 1", box(4, 16), "4x16", "memory_space<ct_local>"),
        ot=tile("ot", "own", "0, 0", box(4, 16), identity(2), "4x16", "4x16"),
        other=view(
            "other",
            "%base",
            "4, 16",
            "20, 1",
            box(4, 16),
            "4x16",
            "spyre_memory_space<LX, core = 2>",
        ),
        zt=tile("zt", "other", "0, 0", box(4, 16), identity(2), "4x16", "4x16"),
    )
    left = assert_same_at_both_levels(text, {"x": half(16, 16), "y": half(16, 16)})
    assert np.array_equal(np.asarray(left["y"])[:4], -half(16, 16).numpy()[8:12])


def test_buffers_stay_off_bytes_that_views_name() -> None:
    """The view takes bytes 128 to 383 on one core and 256 to 511 on the other."""
    body = "%base = affine.apply affine_map<(d0) -> (64 * d0 + 64)>(%core)\n"
    body += view("lv", "%base", "128", "1", box(128), "128", "memory_space<ct_local>")
    body += view("xv", "%x", "128", "1", box(128), "128")
    body += tile("lt", "lv", "0", box(128), identity(1), "128", "128")
    body += tile("xt", "xv", "0", box(128), identity(1), "128", "128")
    program = lowered(kernel(body + copy("xt", "lt", "128"), grid="[2]"))
    assert "#sdf.buffer<512, 128xf16>" in program


@pytest.mark.parametrize("rows", [8, 9, 12])
def test_a_set_that_ends_before_a_size_that_is_a_value(rows: int) -> None:
    """The set of a view ends at 8; its size is an argument. What it does not hold reads zero."""
    valid = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 7 >= 0)>"
    points = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 11 >= 0, d0 mod 3 - d1 mod 3 == 0, d1 >= 0, "
    points += "-d1 + 7 >= 0)>"
    body = view("xv", "%x", "%n, 8", "8, 1", valid, "?x8")
    body += view("yv", "%y", "12, 8", "8, 1", box(12, 8), "12x8")
    for name, type_ in (("xt", "?x8"), ("yt", "12x8")):
        body += tile(name, f"{name[0]}v", "0, 0", points, identity(2), type_, "32x1")
    text = kernel(body + copy("xt", "yt", "32x1"), "%x: index, %y: index, %n: index")
    arguments = {"x": half(12, 8), "y": half(12, 8) + 1, "n": rows}
    left = assert_same_at_both_levels(text, arguments)
    x, y = half(12, 8).numpy(), (half(12, 8) + 1).numpy()
    for i, j in np.ndindex(12, 8):
        if i % 3 == j % 3:
            y[i, j] = x[i, j] if i < 8 else 0
    assert np.array_equal(np.asarray(left["y"]), y)
