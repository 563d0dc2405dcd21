"""Distributed views whose parts values decide, and coordinates read from memory in them.

Both levels beside numpy; what no part holds, or two do, is a fault at both.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from ktdp_text import box, identity
from sdf_kernels import Arguments, half
from test_lower_memory import copy, kernel, tile, view
from test_lower_sets import assert_fault
from test_lower_to_sdf import assert_same_at_both_levels


def rows(first: str, end: str, symbols: str = "") -> str:
    """Rows from `first` to before `end`, of eight columns."""
    return (
        f"affine_set<(d0, d1){symbols} : (d0 - {first} >= 0, -d0 + {end} - 1 >= 0, d1 >= 0, "
        "-d1 + 7 >= 0)>"
    )


def halves(first: str, second: str) -> str:
    """A distributed view %v of 16 x 8 over %x and %y, whose parts hold these sets."""
    return (
        view("a", "%x", "16, 8", "8, 1", first, "16x8")
        + view("b", "%y", "16, 8", "8, 1", second, "16x8")
        + "%v = ktdp.construct_distributed_memory_view (%a, %b : memref<16x8xf16>, "
        "memref<16x8xf16>) : memref<16x8xf16>\n"
    )


def out(body: str, at: str, shape: str = "4x8") -> str:
    """A kernel that copies the tile of %v at these rows to %z and back into %v."""
    sizes = [int(size) for size in shape.split("x")]
    body += view("zv", "%z", "16, 8", "8, 1", box(16, 8), "16x8")
    body += tile("vt", "v", at, box(*sizes), identity(2), "16x8", shape)
    body += tile("zt", "zv", "0, 0", box(*sizes), identity(2), "16x8", shape)
    body += copy("vt", "zt", shape) + f"%n = arith.negf %d : tensor<{shape}xf16>\n"
    body += f"ktdp.store %n, %vt : tensor<{shape}xf16>, <{shape}xindex>\n"
    return kernel(body, "%x: index, %y: index, %z: index, %row: index")


def arrays(**more: int) -> Arguments:
    return {"x": half(16, 8), "y": half(16, 8) + 3, "z": torch.zeros(16, 8).half(), **more}


def check_rows(text: str, row: int, cut: int) -> None:
    """Rows before `cut` lie in x, others in y from its first row on."""
    left = assert_same_at_both_levels(text, arrays(row=row))
    given = arrays()
    x, y = given["x"].numpy().copy(), given["y"].numpy().copy()
    for i in range(4):
        source, at = (x, row + i) if row + i < cut else (y, row + i - cut)
        assert np.array_equal(np.asarray(left["z"])[i], source[at])
        source[at] = -source[at]
    assert np.array_equal(np.asarray(left["x"]), x)
    assert np.array_equal(np.asarray(left["y"]), y)


@pytest.mark.parametrize("row", [0, 3, 5, 6, 12])
def test_parts_that_cover_all(row: int) -> None:
    check_rows(out(halves(rows("0", "6"), rows("6", "16")), "%row, 0"), row, 6)


@pytest.mark.parametrize("row", [0, 4, 6])
def test_a_hole_is_a_fault_where_it_is_accessed(row: int) -> None:
    """Rows 9 and 10 are in no part: rows up to 8 and from 11 on are."""
    text = out(halves(rows("0", "6"), rows("6", "9")), "%row, 0")
    if row + 4 <= 9:
        check_rows(text, row, 6)
    else:
        assert_fault(text, arrays(row=row), "cover")
    for beyond in (9, 12, 15):
        assert_fault(text, arrays(row=beyond), "cover|outside")


def test_a_hole_that_no_value_decides() -> None:
    body = halves(rows("0", "6"), rows("7", "16"))
    assert_fault(out(body, "5, 0"), arrays(row=0), "cover")
    check_rows(out(halves(rows("0", "6"), rows("6", "16")), "5, 0"), 5, 6)


def test_a_part_that_holds_nothing() -> None:
    nothing = "affine_set<(d0, d1) : (d0 - 5000 == 0, d0 >= 0, -d0 + 5 >= 0, d1 >= 0)>"
    text = out(halves(nothing, rows("6", "16")), "%row, 0")
    assert_fault(text, arrays(row=4), "cover")
    left = assert_same_at_both_levels(text, arrays(row=6))
    assert np.array_equal(np.asarray(left["z"])[:4], arrays()["y"].numpy()[:4])


def valued(first: str, end: str, second: str) -> str:
    """Parts whose sizes are values: rows from 0 to `first`, and from `second` on to 16."""
    low = "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 7 >= 0)>"
    high = "affine_set<(d0, d1)[s0] : (d0 - s0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 7 >= 0)>"
    return (
        view("a", "%x", f"{first}, 8", "8, 1", low, "?x8")
        + view("b", "%y", f"{second}, 8", "8, 1", high, "?x8")
        + "%v = ktdp.construct_distributed_memory_view (%a, %b : memref<?x8xf16>, "
        f"memref<?x8xf16>) : memref<16x8xf16>\n{end}"
    )


@pytest.mark.parametrize(("first", "second", "row"), [(8, 8, 6), (9, 9, 0), (10, 10, 12)])
def test_parts_of_sizes_that_are_values(first: int, second: int, row: int) -> None:
    text = out(valued("%m", "", "%k"), "%row, 0").replace(
        "%row: index)", "%row: index, %m: index, %k: index)"
    )
    left = assert_same_at_both_levels(text, arrays(row=row, m=first, k=second))
    given = arrays()
    whole = np.concatenate([given["x"].numpy()[:first], given["y"].numpy()[: 16 - second]])
    assert np.array_equal(np.asarray(left["z"])[:4], whole[row : row + 4])


@pytest.mark.parametrize(
    ("first", "second", "row", "message"),
    [(8, 9, 5, "cover"), (9, 8, 0, "disjoint|same"), (12, 10, 12, "disjoint|same|elements"),
     (4, 5, 2, "elements|holds")],
)  # fmt: skip
def test_holes_and_overlaps_that_values_decide(
    first: int, second: int, row: int, message: str
) -> None:
    text = out(valued("%m", "", "%k"), "%row, 0").replace(
        "%row: index)", "%row: index, %m: index, %k: index)"
    )
    assert_fault(text, arrays(row=row, m=first, k=second), message)


def test_parts_that_are_no_boxes() -> None:
    """Even rows in one part, odd rows but for one in the other."""
    body = halves(
        "affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d0 mod 2 == 0, d1 >= 0, -d1 + 7 >= 0)>",
        "affine_set<(d0, d1) : (d0 >= 0, -d0 + 12 >= 0, d0 mod 2 - 1 == 0, d1 >= 0, -d1 + 7 >= 0)>",
    )
    text = out(body, "%row, 0")
    for row in (0, 3, 9):
        left = assert_same_at_both_levels(text, arrays(row=row))
        x, y = arrays()["x"].numpy(), arrays()["y"].numpy()
        for i in range(4):
            at = row + i
            expected = x[at] if at % 2 == 0 else y[at - 1]
            assert np.array_equal(np.asarray(left["z"])[i], expected)
    for row in (10, 12):
        assert_fault(text, arrays(row=row), "cover")


def indirect(parts: str, view_type: str, kinds: str = "(%c), ind(%idx[%r])") -> str:
    """A kernel whose rows of %v are read from memory: z[r, c] = v[idx[r], c], and back."""
    body = parts
    body += (
        "%idx = ktdp.construct_memory_view %i, sizes: [6], strides: [1] {coordinate_set = "
        f"{box(6)}, memory_space = #ktdp.spyre_memory_space<HBM>}} : memref<6xi32>\n"
    )
    body += view("zv", "%z", "16, 8", "8, 1", box(16, 8), "16x8")
    body += tile("zt", "zv", "0, 0", box(6, 8), identity(2), "16x8", "6x8")
    for name in ("vt", "vu"):
        body += (
            f"%{name} = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c) "
            f"%v[ind(%idx[%r]), (%c)] {{variables_space_set = {box(6, 8)}, "
            f"variables_space_order = {identity(2)}}} : memref<{view_type}xf16>, memref<6xi32> -> "
            "!ktdp.access_tile<6x8xindex>\n"
        )
    body += copy("vt", "zt", "6x8") + "%n = arith.negf %d : tensor<6x8xf16>\n"
    body += "ktdp.store %n, %vu : tensor<6x8xf16>, <6x8xindex>\n"
    return kernel(body, "%x: index, %y: index, %z: index, %i: index, %row: index")


def test_a_coordinate_from_memory_decides_the_part() -> None:
    text = indirect(halves(rows("0", "6"), rows("6", "14")), "16x8")
    ids = [0, 13, 5, 6, 2, 9]
    left = assert_same_at_both_levels(text, {**arrays(row=0), "i": torch.tensor(ids).int()})
    x, y = arrays()["x"].numpy().copy(), arrays()["y"].numpy().copy()
    for r, row in enumerate(ids):
        source, at = (x, row) if row < 6 else (y, row - 6)
        assert np.array_equal(np.asarray(left["z"])[r], source[at])
        source[at] = -source[at]
    assert np.array_equal(np.asarray(left["x"]), x)
    assert np.array_equal(np.asarray(left["y"]), y)
    for wrong in (14, 15, 16, -1):
        bad = torch.tensor([0, 13, wrong, 6, 2, 9]).int()
        assert_fault(text, {**arrays(row=0), "i": bad}, "cover|outside")


def test_a_set_relates_a_coordinate_from_memory_to_another() -> None:
    """The view holds a triangle: what is above it reads zero and is not written."""
    triangle = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, d0 - d1 >= 0)>"
    text = indirect(view("v", "%x", "16, 8", "8, 1", triangle, "16x8"), "16x8")
    ids = [0, 15, 5, 6, 2, 9]
    left = assert_same_at_both_levels(text, {**arrays(row=0), "i": torch.tensor(ids).int()})
    x = arrays()["x"].numpy().copy()
    for r, row in enumerate(ids):
        for c in range(8):
            expected = x[row, c] if row >= c else 0
            assert np.asarray(left["z"])[r, c] == expected
            x[row, c] = -x[row, c] if row >= c else x[row, c]
    assert np.array_equal(np.asarray(left["x"]), x)
    for wrong in (16, -1):
        bad = torch.tensor([0, 13, wrong, 6, 2, 9]).int()
        assert_fault(text, {**arrays(row=0), "i": bad}, "outside")


@pytest.mark.parametrize("bound", ["s0 - 1", "11"])
def test_a_coordinate_from_memory_in_a_view_whose_size_is_a_value(bound: str) -> None:
    """The set may be narrower than the size: then what lies between reads zero."""
    set_ = f"affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + {bound} >= 0, d1 >= 0, -d1 + 7 >= 0)>"
    text = indirect(view("v", "%x", "%row, 8", "8, 1", set_, "?x8"), "?x8")
    ids = [0, 13, 5, 6, 2, 11]
    left = assert_same_at_both_levels(text, {**arrays(row=14), "i": torch.tensor(ids).int()})
    x = arrays()["x"].numpy()
    limit = 14 if bound == "s0 - 1" else 12
    for r, row in enumerate(ids):
        assert np.array_equal(np.asarray(left["z"])[r], x[row] if row < limit else np.zeros(8))
    for wrong in (14, -1):
        bad = torch.tensor([0, 13, wrong, 6, 2, 9]).int()
        assert_fault(text, {**arrays(row=14), "i": bad}, "outside|view|coordinate")


def test_parts_that_are_no_boxes_and_overlap() -> None:
    """Even rows and every third row: both have row 6, whether it is accessed or not."""
    thirds = (
        "affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d0 mod {} == {}, d1 >= 0, -d1 + 7 >= 0)>"
    )
    text = out(halves(thirds.format(2, 0), thirds.format(3, 0)), "%row, 0", "1x8")
    assert_fault(text, arrays(row=2), "disjoint")
    text = out(halves(thirds.format(2, 0), thirds.format(4, 1)), "%row, 0", "1x8")
    assert_same_at_both_levels(text, arrays(row=2))
