"""Kernels that check "full" is tried on, and runs of them with and without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_text import run
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.errors import KtirError, MachineError

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
    """0, 1, 2 .. as an array of f16."""
    return np.arange(np.prod(shape), dtype=np.float16).reshape(shape)


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


def scatter(values: list[float], places: list[int]) -> tuple[str, list[Any]]:
    """A store of values to places of y, and what it is run on."""
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


def parts(first: str, second: str, count: int = 8) -> str:
    """A copy of so many elements of a view of two parts, whose sets are given."""
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
