"""What check "full" finds, and that its nearest legal neighbour passes."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from kernel_text import run
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.errors import BoundsError, KtirError, MachineError
from ktir.machine.host import Program
from ktir.mlir import ir
from ktir.target import load_target

LX = "#ktdp.spyre_memory_space<LX>"
ID = "%id = ktdp.get_compute_tile_id : index\n"
NUMBERS = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (1, 2, 3, 8, 64))


LEVELS = ("ktir", "sdf")


def both(
    text: str, args: list[Any], fault: str | None, kind: type[KtirError] = MachineError
) -> None:
    """Runs with and without check "full", at both levels: what only that finds, or the same
    results."""
    for level in LEVELS:
        plain = run(text, args=args, level=level).arrays
        if fault is not None:
            with pytest.raises(kind, match=fault):
                run(text, args=args, check="full", level=level)
            continue
        found = run(text, args=args, check="full", level=level).arrays
        for name, array in plain.items():
            np.testing.assert_array_equal(found[name], array)


def row(name: str, pointer: str, size: int, at: str = "%c0", space: str = "") -> str:
    """%name: a tile of 8 from `at` of a row of `size` numbers."""
    where = [space] if space else []
    return view(f"v{name}", pointer, str(size), "1", box(size), f"{size}xf16", *where) + tile(
        name, f"%v{name}[{at}]", f"{size}xf16", box(8), identity(1), "8"
    )


def numbers(*shape: int) -> Any:
    return np.arange(np.prod(shape), dtype=np.float16).reshape(shape)


# Memory that nobody wrote


def scratchpad(written: int) -> str:
    """Writes `written` of 8 elements of a scratchpad, then reads all of them."""
    return kernel(
        NUMBERS
        + row("in", "%x", 8)
        + view("pad", "%c64", "8", "1", box(8), "8xf16", LX)
        + tile("some", "%pad[%c0]", "8xf16", box(written), identity(1), str(written))
        + tile("all", "%pad[%c0]", "8xf16", box(8), identity(1), "8")
        + load("d", "in", "8")
        + f"%e = tensor.extract_slice %d[0] [{written}] [1] : tensor<8xf16> to "
        + f"tensor<{written}xf16>\n"
        + store("e", "some", str(written))
        + load("r", "all", "8")
        + row("out", "%y", 8)
        + store("r", "out", "8")
    )


def test_reads_of_memory_that_nobody_wrote() -> None:
    args = [numbers(8), numbers(8)]
    both(scratchpad(8), args, None)
    pattern = (
        r"'(ktdp.load|sdf.read)' at .*: core 0 reads .*address 64 at coordinates \[7\], byte 142, "
        r"which nobody has written; a load may read"
    )
    both(scratchpad(7), args, pattern)
    # Without the check, what is read is visibly no number.
    assert np.isnan(run(scratchpad(7), args=args).arrays["y"][7])


def test_a_scratchpad_is_each_cores_own() -> None:
    """Core 0 writes its own scratchpad; then all read theirs, or all read that of core 0."""
    body = (
        ID
        + NUMBERS
        + row("in", "%x", 8)
        + load("d", "in", "8")
        + row("own", "%c64", 8, space=LX)
        + "%first = arith.cmpi eq, %id, %c0 : index\nscf.if %first {\n"
        + store("d", "own", "8")
        + "}\n"
        + load("r", "own", "8")
    )
    both(kernel(body, "%x: index", "[2]"), [numbers(8)], r"core 1 reads .* nobody has written")
    both(kernel(body, "%x: index", "[1]"), [numbers(8)], None)


HOST = """
module { module @kernels {
  func.func @copy(%x: index, %y: index) {
    %c0 = arith.constant 0 : index
    BODY
    return
  }
}
module @host {
  func.func private @copy(index, index)
  func.func @main(%x: memref<8xf16> {ktir.name = "x"}) -> (memref<8xf16> {ktir.name = "y"}) {
    %c2 = arith.constant 2 : index
    %b0 = memref.alloc() {address = 0 : i64, name = "in"} : memref<8xf16>
    %b1 = memref.alloc() {address = 128 : i64, name = "t"} : memref<8xf16>
    %b2 = memref.alloc() {address = 256 : i64, name = "out"} : memref<8xf16>
    memref.copy %x, %b0 : memref<8xf16> to memref<8xf16>
    %p0 = memref.extract_aligned_pointer_as_index %b0 : memref<8xf16> -> index
    %p1 = memref.extract_aligned_pointer_as_index %b1 : memref<8xf16> -> index
    %p2 = memref.extract_aligned_pointer_as_index %b2 : memref<8xf16> -> index
    %e0 = arith.divui %p0, %c2 : index
    %e1 = arith.divui %p1, %c2 : index
    %e2 = arith.divui %p2, %c2 : index
    func.call @copy(%e0, %e1) : (index, index) -> ()
    func.call @copy(%e1, %e2) : (index, index) -> ()
    %out = memref.alloc() : memref<8xf16>
    memref.copy %b2, %out : memref<8xf16> to memref<8xf16>
    return %out : memref<8xf16>
  }
} }
"""


def copying(count: int) -> str:
    """A program of two kernels that copy `count` elements each."""
    shape = str(count)
    return HOST.replace(
        "BODY",
        view("a", "%x", "8", "1", box(8), "8xf16")
        + view("b", "%y", "8", "1", box(8), "8xf16")
        + tile("from", "%a[%c0]", "8xf16", box(count), identity(1), shape)
        + tile("to", "%b[%c0]", "8xf16", box(count), identity(1), shape)
        + load("d", "from", shape)
        + store("d", "to", shape),
    )


def program(text: str) -> Program:
    with ir.Context():
        return Program(ir.Module.parse(text), check="full")


def test_whole_programs() -> None:
    x = torch.arange(8).half()
    legal = program(copying(8))
    for _ in range(2):
        assert torch.equal(legal(x)[0], x)
    with pytest.raises(
        MachineError, match=r"host reads element 7 of 'out' of shape \[8\], which nobo"
    ):
        program(copying(7))(x)
    swapped = copying(8).replace("@copy(%e0, %e1)", "@copy(%e2, %e1)")
    with pytest.raises(
        MachineError, match=r"'ktdp.load' .* core 0 reads the view of %arg0 .* nobody"
    ):
        program(swapped)(x)
    # A second run begins with fresh memory again.
    with pytest.raises(MachineError, match="nobody"):
        program(swapped)(x)


# Races between cores


def stores(data: str, at: str) -> str:
    """Every core stores its own row of x, or the first row, at an element of y."""
    return kernel(
        ID
        + NUMBERS
        + "%at = arith.muli %id, %c8 : index\n%half = arith.divui %at, %c2 : index\n"
        + row("in", "%x", 32, data)
        + load("d", "in", "8")
        + row("out", "%y", 32, at)
        + store("d", "out", "8"),
        grid="[4]",
    )


def test_cores_that_store_to_one_place() -> None:
    args = [numbers(32), numbers(32)]
    both(stores("%at", "%at"), args, None)
    # The same values: every core stores the same rows redundantly.
    both(stores("%c0", "%c0"), args, None)
    both(
        stores("%at", "%c0"),
        args,
        r"core 0 writes .* \[0\], .* the same store on core 3 writes ano",
    )
    # Halves of neighbouring rows overlap.
    both(stores("%at", "%half"), args, r"core 0 .* \[4\], .* on core 1 writes another value")


def apart(first: str, second: str, left: int = 0, right: int = 0) -> str:
    """Core 0 does one thing and core 1 another, at elements `left` and `right` of y."""
    ops = {
        "read": load("r", "here", "8") + "%u = tensor.extract %r[%c0] : tensor<8xf16>\n",
        "write": store("d", "here", "8"),
        "keep": store("z", "here", "8"),
    }
    arms = [
        row("here", "%y", 32, f"%p{number}") + ops[op] for number, op in enumerate((first, second))
    ]
    return kernel(
        ID
        + NUMBERS
        + f"%p0 = arith.constant {left} : index\n%p1 = arith.constant {right} : index\n"
        + row("in", "%x", 32)
        + load("d", "in", "8")
        + "%z = arith.constant dense<1.0> : tensor<8xf16>\n"
        + "%first = arith.cmpi eq, %id, %c0 : index\n"
        + f"scf.if %first {{\n{arms[0]}}} else {{\n{arms[1]}}}\n",
        grid="[2]",
    )


@pytest.mark.parametrize(
    ("first", "second", "fault"),
    [
        ("read", "read", None),
        ("keep", "keep", None),
        ("write", "write", None),
        ("write", "keep", r"core 1 writes .* \[0\], byte .*, where core 0 writes another value"),
        ("write", "read", r"core 1 reads .* \[0\], byte .*, which core 0 writes in this kernel"),
        ("read", "write", r"core 1 writes .* \[0\], byte .*, which core 0 reads in this kernel"),
    ],
)
def test_accesses_that_nothing_orders(first: str, second: str, fault: str | None) -> None:
    args = [numbers(32), numbers(32)]
    both(apart(first, second), args, fault)
    both(apart(first, second, 0, 8), args, None)
    if fault is not None:
        both(apart(first, second, 8, 1), args, fault.replace(r"\[0\]", r"\[8\]"))


def test_kernels_are_ordered() -> None:
    """What one kernel wrote the next one may read, on other cores."""
    x = torch.arange(8).half()
    assert torch.equal(program(copying(8))(x)[0], x)


# Points of one transfer that coincide


def scatter(values: list[float], places: list[int]) -> tuple[str, list[Any]]:
    text = kernel(
        view("places", "%i", "4", "1", box(4), "4xi32")
        + view("in", "%x", "4", "1", box(4), "4xf16")
        + tile("from", "%in[%c0]", "4xf16", box(4), identity(1), "4")
        + load("d", "from", "4")
        + view("out", "%y", "8", "1", box(8), "8xf16")
        + "%to = ktdp.construct_indirect_access_tile intermediate_variables(%k) "
        + "%out[ind(%places[%k])] { variables_space_set = "
        + f"{box(4)}, variables_space_order = {identity(1)} }} : memref<8xf16>, memref<4xi32> -> "
        + "!ktdp.access_tile<4xindex>\n"
        + store("d", "to", "4"),
        "%x: index, %i: index, %y: index",
    )
    arrays = [np.array(values, np.float16), np.array(places, np.int32), np.zeros(8, np.float16)]
    return text, arrays


def test_points_of_one_store_that_coincide() -> None:
    both(*scatter([1, 2, 3, 4], [5, 0, 7, 2]), None)
    both(*scatter([1, 2, 1, 4], [5, 0, 5, 2]), None)
    pattern = (
        r"core 0 writes .* at coordinates \[5\], .* another point of the same store writes ano"
    )
    both(*scatter([1, 2, 3, 4], [5, 0, 5, 2]), pattern)


# Contents that nobody has defined


def exchange(stores: str) -> str:
    """Core 0 alone receives the tiles of two cores, added up; all compute with the result."""
    both_cores = "affine_set<(i)[g] : (i >= 0, -i + 1 >= 0)>"
    future = "!ktdp.tile_future<(tensor<8xf16>), groups = affine_set<(g) : (g == 0)>>"
    return kernel(
        ID
        + NUMBERS
        + "%at = arith.muli %id, %c8 : index\n"
        + "%z = arith.constant dense<0.0> : tensor<8xf16>\n"
        + row("in", "%x", 16, "%at")
        + load("d", "in", "8")
        + f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {both_cores} -> {future} {{\n"
        + "^bb0(%g: index):\nktdp.yield_partial %d : tensor<8xf16>\n}\n"
        + "%s = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = "
        + "affine_set<(i)[g] : (i == 0)>, identity(%z : tensor<8xf16>) : "
        + f"{future} -> tensor<8xf16> {{\n^bb0(%l: tensor<8xf16>, %r: tensor<8xf16>):\n"
        + "%t = arith.addf %l, %r : tensor<8xf16>\nktdp.yield_reduced %t : tensor<8xf16>\n}\n"
        + "%twice = arith.addf %s, %s : tensor<8xf16>\n"
        + row("out", "%y", 16, "%at")
        + "%is_first = arith.cmpi eq, %id, %c0 : index\n"
        + stores,
        grid="[2]",
    )


def test_results_on_cores_that_receive_nothing() -> None:
    args = [numbers(16), numbers(16)]
    keep = store("twice", "out", "8")
    both(exchange(f"scf.if %is_first {{\n{keep}}}\n"), args, None)
    chosen = "%v = arith.select %is_first, %twice, %d : tensor<8xf16>\n"
    both(exchange(chosen + store("v", "out", "8")), args, None)
    pattern = (
        r"core 1 writes .* at coordinates \[8\], .* a value that depends on "
        r"(what 'ktdp.inter_tile_reduce' at .* does not receive|bytes .* of a scratchpad), which no"
    )
    both(exchange(keep), args, pattern)
    # What a branch depends on is seen in what it does.
    element = "%e = tensor.extract %twice[%c0] : tensor<8xf16>\n%low = arith.constant 4.0e4 : f16\n"
    test = "%is_small = arith.cmpf olt, %e, %low : f16\n"
    branch = element + test + "scf.if %is_small {\n" + store("d", "out", "8") + "}\n"
    changed = [args[0], np.zeros(16, np.float16)]
    both(exchange(branch), changed, r"depends on (what 'ktdp.inter_tile_reduce'|bytes)")


def sums(start: str) -> str:
    """A product added to %o, which `start` defines."""
    return kernel(
        NUMBERS
        + view("a", "%x", "2, 2", "2, 1", box(2, 2), "2x2xf16")
        + view("b", "%y", "2, 2", "2, 1", box(2, 2), "2x2xf16")
        + tile("at", "%a[%c0, %c0]", "2x2xf16", box(2, 2), identity(2), "2x2")
        + tile("to", "%b[%c0, %c0]", "2x2xf16", box(2, 2), identity(2), "2x2")
        + load("d", "at", "2x2")
        + "%e = tensor.empty() : tensor<2x2xf16>\n%z = arith.constant 0.0 : f16\n"
        + start
        + "%r = linalg.matmul ins(%d, %d : tensor<2x2xf16>, tensor<2x2xf16>) "
        + "outs(%o : tensor<2x2xf16>) -> tensor<2x2xf16>\n"
        + store("r", "to", "2x2")
    )


def insert(rows: int) -> str:
    """The first rows of %e replaced."""
    return (
        f"%part = tensor.extract_slice %d[0, 0] [{rows}, 2] [1, 1] : tensor<2x2xf16> to "
        f"tensor<{rows}x2xf16>\n%o = tensor.insert_slice %part into %e[0, 0] [{rows}, 2] [1, 1] : "
        f"tensor<{rows}x2xf16> into tensor<2x2xf16>\n"
    )


@pytest.mark.parametrize(
    ("start", "row"),
    [
        ("%o = linalg.fill ins(%z : f16) outs(%e : tensor<2x2xf16>) -> tensor<2x2xf16>\n", None),
        ("%o = tensor.insert %z into %e[%c0, %c1] : tensor<2x2xf16>\n", 0),
        ("%o = tensor.cast %e : tensor<2x2xf16> to tensor<2x2xf16>\n", 0),
        (insert(1), 1),
        (insert(2), None),
    ],
    ids=["filled", "one element", "nothing", "half", "all"],
)
def test_tensors_that_nobody_filled(start: str, row: int | None) -> None:
    args = [numbers(2, 2), numbers(2, 2)]
    fault = rf"writes .* at coordinates \[{row}, 0\], .* depends on what 'tensor.empty' at .*, whi"
    both(sums(start), args, None if row is None else fault)


def test_fills_that_repeat_what_is_not_read() -> None:
    """A map and a body that ignores its output write over whatever was there."""
    maps = "[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>]"
    generic = (
        f'%o = linalg.generic {{indexing_maps = {maps}, iterator_types = ["parallel", '
        '"parallel"]} ins(%d : tensor<2x2xf16>) outs(%e : tensor<2x2xf16>) {\n'
        "^bb0(%p: f16, %q: f16):\nlinalg.yield %p : f16\n} -> tensor<2x2xf16>\n"
    )
    both(sums(generic), [numbers(2, 2), numbers(2, 2)], None)
    reads = generic.replace("linalg.yield %p", "%t = arith.addf %p, %q : f16\nlinalg.yield %t")
    both(sums(reads), [numbers(2, 2), numbers(2, 2)], r"depends on what 'tensor.empty' at")


# Views of no sense


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("check", ["bounds", "full"])
def test_views_of_fewer_than_no_elements(level: str, check: str) -> None:
    valid = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>"
    text = kernel(
        NUMBERS
        + view("a", "%x", "%n", "1", valid, "?xf16")
        + tile("at", "%a[%c0]", "?xf16", box(8), identity(1), "8")
        + load("d", "at", "8")
        + row("out", "%y", 8)
        + store("d", "out", "8"),
        "%x: index, %y: index, %n: index",
    )
    args = [numbers(8), numbers(8)]
    found = run(text, args=[*args, 0], check=check, level=level).arrays["y"]
    np.testing.assert_array_equal(found, np.zeros(8, np.float16))
    pattern = r"'ktdp.construct_memory_view'.* size .*-2.*|size of a view .* dimension 0.*%n is -2"
    with pytest.raises(MachineError, match=pattern):
        run(text, args=[*args, -2], check=check, level=level)


# Many cores


@pytest.mark.parametrize("level", LEVELS)
def test_more_cores_than_a_byte_has_values(level: str) -> None:
    cores = 300
    target = dataclasses.replace(load_target(), cores=cores)
    args = [numbers(8 * cores).reshape(-1), np.zeros(8 * cores, np.float16)]

    def text(at: str) -> str:
        return kernel(
            ID
            + NUMBERS
            + "%at = arith.muli %id, %c8 : index\n%none = arith.muli %id, %c0 : index\n"
            + "%last = arith.constant 299 : index\n"
            + "%is_last = arith.cmpi eq, %id, %last : index\n"
            + row("in", "%x", 8 * cores, "%at")
            + load("d", "in", "8")
            + row("out", "%y", 8 * cores, at)
            + f"scf.if %is_last {{\n{store('d', 'out', '8')}}} else {{\n"
            + row("other", "%y", 8 * cores, "%at")
            + load("r", "other", "8")
            + row("own", "%x", 8 * cores, "%at")
            + store("r", "own", "8")
            + "}\n",
            grid=f"[{cores}]",
        )

    run(text("%at"), args=args, target=target, level=level, check="full")
    with pytest.raises(
        MachineError, match=r"core 0 reads .* which core 299 writes|core 299 writes .* core 0 re"
    ):
        run(text("%none"), args=args, target=target, level=level, check="full")


# Distributed views


def parts(first: str, second: str, count: int = 8) -> str:
    shape = str(count)
    return kernel(
        view("a", "%x", "8", "1", first, "8xf16")
        + view("b", "%y", "8", "1", second, "8xf16")
        + "%v = ktdp.construct_distributed_memory_view (%a, %b : memref<8xf16>, memref<8xf16>)"
        + " : memref<8xf16>\n"
        + tile("all", "%v[%c0]", "8xf16", box(count), identity(1), shape)
        + load("d", "all", shape)
        + row("out", "%z", 8)
        + store("d", "out", shape),
        "%x: index, %y: index, %z: index",
    )


@pytest.mark.parametrize("level", LEVELS)
def test_parts_that_overlap_or_leave_gaps(level: str) -> None:
    """Found with check "bounds" already, at the access or before."""
    evens = "affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0, d0 mod 2 == 0)>"
    odds = "affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0, d0 mod 2 - 1 == 0)>"
    thirds = "affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0, d0 mod 3 == 0)>"
    args = [numbers(8), numbers(8), numbers(8)]
    run(parts(evens, odds), args=args, level=level)
    with pytest.raises(KtirError, match=r"hold the same coordinates|both hold coordinates"):
        run(parts(evens, thirds), args=args, level=level)
    hole = r"\[0\], which no part holds|of the 2 parts .* none or several hold an element"
    with pytest.raises(KtirError, match=hole):
        run(parts(odds, odds.replace("0 mod 2 - 1", "0 mod 4 - 2")), args=args, level=level)


# Rules of the device


def test_views_of_scratchpads_begin_on_whole_sticks() -> None:
    legal = scratchpad(8)
    both(legal, [numbers(8), numbers(8)], None)
    wrong = legal.replace("arith.constant 64 : index", "arith.constant 65 : index")
    pattern = r"view of address 65 begins at byte 130 of a scratchpad; .* multiples of 128"
    both(wrong, [numbers(8), numbers(8)], pattern, BoundsError)


@pytest.mark.parametrize("level", LEVELS)
def test_arrays_at_addresses_begin_on_whole_sticks(level: str) -> None:
    text = kernel(NUMBERS + row("in", "%c64", 8) + load("d", "in", "8"), "")
    run(text, device={64: numbers(8)}, check="full", level=level)
    moved = text.replace("arith.constant 64 : index", "arith.constant 60 : index")
    run(moved, device={60: numbers(8)}, level=level)
    with pytest.raises(BoundsError, match=r"device\[60\] begins at byte 120; .* multiples of 128"):
        run(moved, device={60: numbers(8)}, check="full", level=level)


@pytest.mark.parametrize("level", LEVELS)
def test_the_span_of_a_core(level: str) -> None:
    target = load_target()
    small = dataclasses.replace(target, memory=dataclasses.replace(target.memory, span_bytes=64))
    # Two tiles of 16 bytes, from element 0 and from element 24 or 25.
    text = kernel(
        NUMBERS
        + "%far = arith.constant 24 : index\n"
        + row("near", "%x", 64)
        + row("last", "%x", 64, "%far")
        + load("a", "near", "8")
        + load("b", "last", "8"),
        "%x: index",
    )
    run(text, args=[numbers(64)], check="full", target=small, level=level)
    wrong = text.replace("constant 24", "constant 25")
    run(wrong, args=[numbers(64)], target=small, level=level)
    pattern = r"core 0 reads .*%x; with it, core 0 .* 'x', a span of 66 bytes; .* 64 bytes"
    with pytest.raises(BoundsError, match=pattern):
        run(wrong, args=[numbers(64)], check="full", target=small, level=level)
