"""Faults that are easily lost on the way from `ktir` to `sdf`: both levels tell them, and neither
tells one of the nearest legal neighbour.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from ktdp_text import box, identity
from sdf_kernels import Arguments, half
from test_lower_memory import copy, kernel, tile, view
from test_lower_to_sdf import assert_same_at_both_levels, lower

from ktir.errors import KtirError
from ktir.machine.kernel import run
from ktir.machine.source_names import argument_names
from ktir.mlir import ir

LEVELS = ["ktir", "sdf"]


def faults(text: str, arguments: Arguments, level: str, pattern: str) -> None:
    """A level refuses the kernel, with an op, a place and this text."""
    module, names = ir.Module.parse(text, ir.Context()).operation, argument_names(text)
    with pytest.raises((KtirError, AssertionError), match=pattern) as found:
        run(module, None, arguments, names=names, level=level, lower=lower)
    assert re.search(r"'\w+\.\w+'.* at -:\d", str(found.value)), found.value


PARTS = (
    view("a", "%x", "8, 4", "4, 1", "affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0)>", "8x4")
    + view("b", "%y", "8, 4", "4, 1", "affine_set<(d0, d1) : (d0 - 8 >= 0, -d0 + 15 >= 0)>", "8x4")
    + "%v = ktdp.construct_distributed_memory_view (%a, %b : memref<8x4xf16>, memref<8x4xf16>)"
    " : memref<16x4xf16>\n" + view("zv", "%z", "4, 4", "4, 1", box(4, 4), "4x4")
    + tile("zt", "zv", "0, 0", box(4, 4), identity(2), "4x4", "4x4")
)  # fmt: skip
"""Sixteen rows %v in two arrays, and four others in a third."""

OUTSIDE_PARTS = "parts hold|no part holds|outside|must be disjoint and cover"


def moved(direction: str, at: str) -> str:
    """A kernel that moves a tile of %v at a row, in or out."""
    body = PARTS + tile("vt", "v", f"{at}, 0", box(4, 4), identity(2), "16x4", "4x4")
    body += copy("vt", "zt", "4x4") if direction == "load" else copy("zt", "vt", "4x4")
    return kernel(body, "%x: index, %y: index, %z: index, %n: index")


def three(**more: int) -> Arguments:
    return {"x": half(8, 4), "y": half(8, 4) + 1, "z": half(4, 4) + 2, **more}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("direction", ["load", "store"])
@pytest.mark.parametrize("at", ["1000", "-1000", "16", "-4", "13", "-1"])
@pytest.mark.parametrize("is_value", [False, True])
def test_a_tile_outside_a_distributed_view(
    level: str, direction: str, at: str, is_value: bool
) -> None:
    text = moved(direction, "%n" if is_value else f"%c0 + {at}")
    faults(text, three(n=int(at)), level, OUTSIDE_PARTS)


@pytest.mark.parametrize("direction", ["load", "store"])
@pytest.mark.parametrize("at", [0, 6, 12])
@pytest.mark.parametrize("is_value", [False, True])
def test_a_tile_inside_a_distributed_view(direction: str, at: int, is_value: bool) -> None:
    text = moved(direction, "%n" if is_value else f"%c0 + {at}")
    left = assert_same_at_both_levels(text, three(n=at))
    rows = torch.cat([left["x"].view(8, 4), left["y"].view(8, 4)])
    assert torch.equal(rows[at : at + 4], left["z"].view(4, 4))


def scattered(direction: str) -> str:
    """A kernel that moves the rows of %v that %i lists, in or out."""
    body = PARTS + (
        "%iv = ktdp.construct_memory_view %i, sizes: [4], strides: [1] {coordinate_set = "
        f"{box(4)}, memory_space = #ktdp.spyre_memory_space<HBM>}} : memref<4xi32>\n"
        "%vt = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) "
        f"%v[ind(%iv[%m]), (%k)] {{variables_space_set = {box(4, 4)}, variables_space_order = "
        f"{identity(2)}}} : memref<16x4xf16>, memref<4xi32> -> !ktdp.access_tile<4x4xindex>\n"
    )
    body += copy("vt", "zt", "4x4") if direction == "load" else copy("zt", "vt", "4x4")
    return kernel(body, "%x: index, %y: index, %z: index, %i: index")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("direction", ["load", "store"])
@pytest.mark.parametrize("wrong", [16, -1, 1000])
def test_an_index_outside_a_distributed_view(level: str, direction: str, wrong: int) -> None:
    indices = torch.tensor([3, 9, wrong, 0], dtype=torch.int32)
    faults(scattered(direction), three() | {"i": indices}, level, OUTSIDE_PARTS)


@pytest.mark.parametrize("direction", ["load", "store"])
def test_indices_inside_a_distributed_view(direction: str) -> None:
    indices = torch.tensor([3, 8, 15, 0], dtype=torch.int32)
    left = assert_same_at_both_levels(scattered(direction), three() | {"i": indices})
    rows = torch.cat([left["x"].view(8, 4), left["y"].view(8, 4)])
    assert torch.equal(rows[indices.long()], left["z"].view(4, 4))


OPEN = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>"
SUBVIEW = "memref<6xf16, strided<[1], offset: 2>>"


def part_of_open(at: str) -> str:
    """A kernel that copies four of the elements 2 to 7 of a view of %n elements."""
    body = view("xv", "%x", "%n", "1", OPEN, "?")
    body += f"%s = memref.subview %xv[2] [6] [1] : memref<?xf16> to {SUBVIEW}\n"
    body += (
        f"%st = ktdp.construct_access_tile %s[{at}] {{access_tile_set = {box(4)}, "
        f"access_tile_order = {identity(1)}}} : {SUBVIEW} -> !ktdp.access_tile<4xindex>\n"
    )
    body += view("yv", "%y", "4", "1", box(4), "4")
    body += tile("yt", "yv", "0", box(4), identity(1), "4", "4")
    return kernel(body + copy("st", "yt", "4"), "%x: index, %y: index, %n: index, %at: index")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("at", [3, -1, 100])
@pytest.mark.parametrize("is_value", [False, True])
def test_outside_a_part_of_an_open_view(level: str, at: int, is_value: bool) -> None:
    text = part_of_open("%at" if is_value else f"%c0 + {at}")
    faults(text, {"x": half(16), "y": half(4), "n": 16, "at": at}, level, "outside the view")


@pytest.mark.parametrize("n", [16, 8, 6, 3])
def test_inside_a_part_of_an_open_view(n: int) -> None:
    """What the part has and its view has not reads zero."""
    left = assert_same_at_both_levels(
        part_of_open("%at"), {"x": half(16), "y": half(4), "n": n, "at": 2}
    )
    x = half(16).numpy()
    assert np.array_equal(left["y"].numpy(), [x[i] if i < n else 0 for i in range(4, 8)])


SOURCES = {
    "loaded": "%d",
    "splat": "%splat",
    "constant": "%constant",
    "empty": "%empty",
    "open": "%open",
}


def extracts(source: str, at: str) -> str:
    """A kernel that extracts an element that nobody uses, and copies."""
    body = "%f = arith.constant 2.0 : f16\n%splat = tensor.splat %f : tensor<16xf16>\n"
    body += "%constant = arith.constant dense<3.0> : tensor<16xf16>\n"
    body += "%empty = tensor.empty() : tensor<16xf16>\n%c16 = arith.constant 16 : index\n"
    body += "%least = arith.minsi %size, %c16 : index\n"
    body += "%open = tensor.splat %f[%least] : tensor<?xf16>\n"
    for n in "xy":
        body += view(f"{n}v", f"%{n}", "16", "1", box(16), "16")
        body += tile(f"{n}t", f"{n}v", "0", box(16), identity(1), "16", "16")
    type_ = "tensor<?xf16>" if source == "%open" else "tensor<16xf16>"
    body += copy("xt", "yt", "16") + f"%u = tensor.extract {source}[{at}] : {type_}\n"
    return kernel(body, "%x: index, %y: index, %n: index, %size: index")


def pair(n: int) -> Arguments:
    return {"x": half(16), "y": half(16) + 1, "n": n, "size": 16}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
@pytest.mark.parametrize("at", ["%n", "%c16"])
def test_an_element_that_does_not_exist_and_nobody_uses(level: str, source: str, at: str) -> None:
    faults(extracts(source, at), pair(16), level, "tensor.extract")
    if at == "%n":
        faults(extracts(source, at), pair(-1), level, "tensor.extract")


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
@pytest.mark.parametrize("n", [0, 15])
def test_an_element_that_exists_and_nobody_uses(source: str, n: int) -> None:
    left = assert_same_at_both_levels(extracts(source, "%n"), pair(n))
    assert torch.equal(left["y"], half(16))


def test_an_element_that_is_known_to_exist_is_not_looked_for() -> None:
    body = extracts("%d", "%c3")
    module = ir.Module.parse(body, ir.Context()).operation
    assert "tensor.extract" not in str(lower(module))


def test_undefined_contents_of_a_function_that_a_kernel_calls() -> None:
    body = ""
    for n in "xy":
        body += view(f"{n}v", f"%{n}", "16", "1", box(16), "16")
        body += tile(f"{n}t", f"{n}v", "0", box(16), identity(1), "16", "16")
    body += "%d = ktdp.load %xt : <16xindex> -> tensor<16xf16>\n"
    body += "%h = func.call @more(%d) : (tensor<16xf16>) -> tensor<16xf16>\n"
    body += "ktdp.store %h, %yt : tensor<16xf16>, <16xindex>\n"
    text = kernel(body) + (
        "func.func private @more(%a: tensor<16xf16>) -> tensor<16xf16> {\n"
        "%e = tensor.empty() : tensor<16xf16>\n"
        "%r = arith.addf %a, %e : tensor<16xf16>\nreturn %r : tensor<16xf16>\n}\n"
    )
    left = assert_same_at_both_levels(text, {"x": half(16), "y": half(16) + 1})
    assert torch.equal(left["y"], half(16))


WIDER = {
    "a box": "affine_set<(d0, d1) : (d0 + {low} >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 7 >= 0)>",
    "no box": "affine_set<(d0, d1) : (d0 + {low} >= 0, -d0 + 7 >= 0, d0 - d1 + 4 >= 0, d1 >= 0)>",
}


def wider(valid: str, low: int, is_part: bool) -> str:
    """A kernel that copies twelve rows of a view of %n rows from %start on, and negates them."""
    body = "%c16 = arith.constant 16 : index\n%at = arith.addi %xp, %c16 : index\n"
    body += view("xv", "%at", "%n, 8", "8, 1", valid.format(low=low), "?x8")
    type_, corner = "memref<?x8xf16>", "%xv[%start, 0]"
    if is_part:
        type_, corner = "memref<12x8xf16, strided<[8, 1], offset: ?>>", "%xs[0, 0]"
        body += f"%xs = memref.subview %xv[%start, 0] [12, 8] [1, 1] : memref<?x8xf16> to {type_}\n"
    body += (
        f"%xt = ktdp.construct_access_tile {corner} {{access_tile_set = {box(12, 8)}, "
        f"access_tile_order = {identity(2)}}} : {type_} -> !ktdp.access_tile<12x8xindex>\n"
    )
    body += view("yv", "%y", "12, 8", "8, 1", box(12, 8), "12x8")
    body += tile("yt", "yv", "0, 0", box(12, 8), identity(2), "12x8", "12x8")
    body += copy("xt", "yt", "12x8") + "%m = arith.negf %d : tensor<12x8xf16>\n"
    body += "ktdp.store %m, %xt : tensor<12x8xf16>, <12x8xindex>\n"
    return kernel(body, "%xp: index, %y: index, %n: index, %start: index")


@pytest.mark.parametrize(
    ("low", "start", "rows"), [(0, 0, 8), (0, 0, 12), (0, -2, 8), (0, 5, 8), (0, 8, 3), (2, 0, 8)]
)
@pytest.mark.parametrize("is_part", [False, True])
@pytest.mark.parametrize("valid", WIDER.values(), ids=WIDER.keys())
def test_a_set_that_ends_before_a_size_that_is_a_value(
    valid: str, is_part: bool, low: int, start: int, rows: int
) -> None:
    """What the set does not have reads zero and is not written."""
    given = half(14, 8)
    left = assert_same_at_both_levels(
        wider(valid, low, is_part), {"xp": given, "y": half(12, 8) + 1, "n": rows, "start": start}
    )
    x = given.numpy()[2:]
    expected, stored = np.zeros((12, 8), np.float16), given.numpy().copy()
    for i, j in np.ndindex(12, 8):
        row = i + start
        if -low <= row < 8 and (valid == WIDER["a box"] or j <= row + 4):
            expected[i, j], stored[2 + row, j] = x[row, j], -x[row, j]
    assert np.array_equal(np.asarray(left["y"]), expected)
    assert np.array_equal(np.asarray(left["xp"]), stored)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("low", "start", "rows"), [(0, 0, 7), (0, 0, 3), (0, 5, 6), (2, -1, 8), (2, -2, 12)]
)
@pytest.mark.parametrize("is_part", [False, True])
@pytest.mark.parametrize("valid", WIDER.values(), ids=WIDER.keys())
def test_a_set_that_holds_more_than_a_size_that_is_a_value(
    level: str, valid: str, is_part: bool, low: int, start: int, rows: int
) -> None:
    arguments = {"xp": half(14, 8), "y": half(12, 8) + 1, "n": rows, "start": start}
    faults(wider(valid, low, is_part), arguments, level, "outside the view")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("end", ["", ", -d0 + s0 - 1 >= 0"], ids=["no end", "an end"])
def test_a_set_without_an_end(level: str, end: str) -> None:
    """It has all coordinates, also those that do not exist."""
    text = wider("affine_set<(d0, d1)[s0] : (d0 >= 0, d1 >= 0" + end + ")>", 0, False)
    arguments = {"xp": half(14, 8), "y": half(12, 8), "n": 11, "start": 0}
    if end:
        assert_same_at_both_levels(text, arguments)
    else:
        faults(text, arguments, level, "outside the view")
    assert_same_at_both_levels(text, arguments | {"n": 12})


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("row", [3, 5])
def test_a_dropped_dimension_of_an_open_view(level: str, row: int) -> None:
    """A row that the set does not have reads zero; one that it has must exist."""
    type_ = "memref<8xf16, strided<[1], offset: ?>>"
    for valid, is_wider in (("d0 >= 0, -d0 + s0 - 1 >= 0, ", False), ("d0 >= 0, ", True)):
        valid = f"affine_set<(d0, d1)[s0] : ({valid}d1 >= 0, -d1 + 7 >= 0)>"
        body = view("xv", "%x", "%n, 8", "8, 1", valid, "?x8")
        body += f"%s = memref.subview %xv[%row, 0] [1, 8] [1, 1] : memref<?x8xf16> to {type_}\n"
        body += (
            f"%st = ktdp.construct_access_tile %s[0] {{access_tile_set = {box(8)}, "
            f"access_tile_order = {identity(1)}}} : {type_} -> !ktdp.access_tile<8xindex>\n"
        )
        body += view("yv", "%y", "8", "1", box(8), "8")
        body += tile("yt", "yv", "0", box(8), identity(1), "8", "8")
        text = kernel(body + copy("st", "yt", "8"), "%x: index, %y: index, %n: index, %row: index")
        arguments = {"x": half(8, 8), "y": half(8) + 1, "n": 4, "row": row}
        if is_wider and row == 5:
            faults(text, arguments, level, "outside the view")
            continue
        left = assert_same_at_both_levels(text, arguments)
        expected = half(8, 8)[row] if row < 4 else torch.zeros(8).half()
        assert torch.equal(left["y"], expected)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("at", [2, 3])
def test_a_tile_outside_a_part_is_a_fault_where_it_is_accessed(level: str, at: int) -> None:
    text = part_of_open("%at")
    moved_ = copy("st", "yt", "4")
    guard = "%small = arith.cmpi sle, %at, %c2 : index\n"
    guarded = text.replace(moved_, f"{guard}scf.if %small {{\n{moved_}}}\n")
    assert guarded != text
    arguments = {"x": half(16), "y": half(4) + 1, "n": 16, "at": at}
    left = assert_same_at_both_levels(guarded, arguments)
    assert torch.equal(left["y"], half(16)[4:8] if at == 2 else half(4) + 1)
    if at == 3:
        faults(text, arguments, level, "outside the view")


def recast(at: str) -> str:
    """A kernel that copies four of %n elements, as which memory is seen anew."""
    type_ = "memref<?xf16>"
    body = view("xv", "%x", "16", "1", box(16), "16")
    body += (
        f"%s = memref.reinterpret_cast %xv to offset: [0], sizes: [%n], strides: [1] "
        f": memref<16xf16> to {type_}\n"
        f"%st = ktdp.construct_access_tile %s[{at}] {{access_tile_set = {box(4)}, "
        f"access_tile_order = {identity(1)}}} : {type_} -> !ktdp.access_tile<4xindex>\n"
    )
    body += view("yv", "%y", "4", "1", box(4), "4")
    body += tile("yt", "yv", "0", box(4), identity(1), "4", "4")
    return kernel(body + copy("st", "yt", "4"), "%x: index, %y: index, %n: index, %at: index")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("at", [5, -1])
def test_outside_memory_of_another_size(level: str, at: int) -> None:
    arguments = {"x": half(16), "y": half(4), "n": 8, "at": at}
    faults(recast("%at"), arguments, level, "outside the view")


def test_inside_memory_of_another_size() -> None:
    left = assert_same_at_both_levels(recast("%at"), {"x": half(16), "y": half(4), "n": 8, "at": 4})
    assert torch.equal(left["y"], half(16)[4:8])


def untouched(shape: str) -> str:
    """A kernel that copies as many elements as there are, if any."""
    set_ = box(16) if shape == "16" else "affine_set<(d0) : (d0 >= 0, -d0 - 1 >= 0)>"
    body = ""
    for n in "xy":
        body += view(f"{n}v", f"%{n}", shape, "1", set_, shape)
        body += tile(f"{n}t", f"{n}v", "0", set_, identity(1), shape, shape)
    return kernel(body + copy("xt", "yt", shape))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("shape", ["16", "0"])
def test_an_array_of_other_elements(level: str, shape: str) -> None:
    module = ir.Module.parse(untouched(shape), ir.Context()).operation
    arguments = {"x": half(16).double(), "y": half(16)}
    with pytest.raises(KtirError, match=r"'x': the .* f16, the array given holds f64"):
        run(module, None, arguments, names={"kernel": ["x", "y"]}, level=level, lower=lower)
    assert_same_at_both_levels(untouched(shape), {"x": half(16), "y": half(16) + 1})


def unused_part(source: str, size: str) -> str:
    """A kernel that copies, and makes a part from %at on that nobody uses."""
    body = "%c16 = arith.constant 16 : index\n"
    for n in "xy":
        body += view(f"{n}v", f"%{n}", "16", "1", box(16), "16")
        body += tile(f"{n}t", f"{n}v", "0", box(16), identity(1), "16", "16")
    body += view("ov", "%x", "%c16", "1", OPEN, "?")
    whole = "memref<?xf16>" if source == "ov" else "memref<16xf16>"
    shape = "?" if size == "%n" else size
    body += (
        f"%s = memref.subview %{source}[%at] [{size}] [2] : {whole} to "
        f"memref<{shape}xf16, strided<[2], offset: ?>>\n"
    )
    return kernel(body + copy("xt", "yt", "16"), "%x: index, %y: index, %n: index, %at: index")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", ["6", "%n"])
@pytest.mark.parametrize("at", [-1, 6])
def test_a_part_that_leaves_its_view_and_nobody_uses(level: str, size: str, at: int) -> None:
    arguments = {"x": half(16), "y": half(16) + 1, "n": 6, "at": at}
    faults(unused_part("xv", size), arguments, level, "a part .*leaves")


@pytest.mark.parametrize(("source", "at", "n"), [("xv", 5, 6), ("xv", 100, 0), ("ov", 6, 6)])
def test_a_part_that_nobody_uses(source: str, at: int, n: int) -> None:
    arguments = {"x": half(16), "y": half(16) + 1, "n": n, "at": at}
    left = assert_same_at_both_levels(unused_part(source, "%n"), arguments)
    assert torch.equal(left["y"], half(16))


READS = {
    "a slice": "%u = tensor.extract_slice {s}[%n] [4] [1] : tensor<16xf16> to tensor<4xf16>\n",
    "a slice of open size": (
        "%m = arith.subi %n, %c9 : index\n"
        "%u = tensor.extract_slice {s}[0] [%m] [6] : tensor<16xf16> to tensor<?xf16>\n"
    ),
    "a body": (
        "%u = tensor.generate {{\n^bb0(%i: index):\n%j = arith.addi %i, %n : index\n"
        "%v = tensor.extract {s}[%j] : tensor<16xf16>\ntensor.yield %v : f16\n}} : tensor<4xf16>\n"
    ),
    "a gather": (
        "%m = arith.addi %n, %c3 : index\n%ii = tensor.from_elements %m : tensor<1xindex>\n"
        "%u = tensor.gather {s}[%ii] gather_dims([0]) : (tensor<16xf16>, tensor<1xindex>) -> "
        "tensor<1xf16>\n"
    ),
}
"""Reads of elements up to %n + 3 of sixteen."""

NO_ELEMENT = r"a tensor of \[16\]|leaves the tensor|it has 0\.\.15|coordinate 16 "


def reads(read: str, source: str) -> str:
    """A kernel that reads elements that nobody uses, and copies."""
    body = "%f = arith.constant 2.0 : f16\n%splat = tensor.splat %f : tensor<16xf16>\n"
    body += "%constant = arith.constant dense<3.0> : tensor<16xf16>\n"
    body += "%c9 = arith.constant 9 : index\n"
    for n in "xy":
        body += view(f"{n}v", f"%{n}", "16", "1", box(16), "16")
        body += tile(f"{n}t", f"{n}v", "0", box(16), identity(1), "16", "16")
    body += copy("xt", "yt", "16") + read.format(s=source)
    return kernel(body, "%x: index, %y: index, %n: index")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("source", ["%d", "%splat", "%constant"])
@pytest.mark.parametrize("read", READS.values(), ids=READS.keys())
def test_elements_that_do_not_exist_and_nobody_uses(level: str, source: str, read: str) -> None:
    arguments = {"x": half(16), "y": half(16) + 1}
    faults(reads(read, source), arguments | {"n": 13}, level, NO_ELEMENT)
    left = assert_same_at_both_levels(reads(read, source), arguments | {"n": 12})
    assert torch.equal(left["y"], half(16))
