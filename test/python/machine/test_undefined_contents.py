"""Check "full": what a kernel leaves must not depend on contents that nobody defined."""

from __future__ import annotations

import numpy as np
import pytest
from checked_text import ID, NUMBERS, both, numbers, row
from ktdp_text import box, identity, kernel, load, store, tile, view


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
