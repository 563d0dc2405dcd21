"""Sets, parts and coordinates that values decide: both levels beside numpy, and both faults.

Every fault has its nearest legal neighbour beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

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

Holds = Callable[..., bool]


def points(rank: int, holds: Holds, order: Sequence[int], limit: int = 16) -> list[tuple[int, ...]]:
    """The points of a set, one by one, in an order of dimensions."""
    found = [p for p in np.ndindex(*[limit] * rank) if holds(*p)]
    return sorted(found, key=lambda p: [p[dim] for dim in order])


def assert_fault(text: str, arguments: Arguments, pattern: str, levels: str = "ktir sdf") -> None:
    """The kernel is refused at these levels, with an op, a place and this text."""
    module, names = ir.Module.parse(text, ir.Context()).operation, argument_names(text)
    for level in levels.split():
        with pytest.raises((KtirError, AssertionError), match=pattern) as found:
            run(module, None, arguments, names=names, level=level, lower=lower)
        assert re.search(r"'(ktdp|memref|sdf)\.\w+'", str(found.value)), found.value
        assert re.search(r" at -:\d", str(found.value)), found.value


SETS: dict[str, tuple[str, str, Holds, dict[str, int]]] = {
    "a triangle between symbols": (
        "(d0, d1)[s0, s1] : (d0 - s0 >= 0, -d0 + s1 >= 0, d1 - s0 >= 0, d0 - d1 >= 0)",
        "10x1",
        lambda i, j, s, t: s <= i <= t and s <= j <= i,
        {"s": 2, "t": 5},
    ),
    "a skew of a symbol": (
        "(d0, d1)[s0] : (d0 >= 0, -d0 + 3 >= 0, d1 - d0 - s0 >= 0, d0 - d1 + s0 + 2 >= 0)",
        "4x3",
        lambda i, j, s: 0 <= i <= 3 and i + s <= j <= i + s + 2,
        {"s": 3},
    ),
    "a remainder that is a symbol": (
        "(d0)[s0] : (d0 >= 0, -d0 + 14 >= 0, (d0 - s0) mod 4 == 0)",
        "4",
        lambda i, s: 0 <= i <= 14 and (i - s) % 4 == 0,
        {"s": 1},
    ),
    "a diagonal of a symbol": (
        "(d0, d1)[s0] : (d0 >= 0, d1 >= 0, -d0 + 15 >= 0, -d1 + 15 >= 0, d0 + d1 - s0 == 0)",
        "6x1",
        lambda i, j, s: i + j == s,
        {"s": 5},
    ),
    "several bounds on one side": (
        "(d0)[s0, s1] : (d0 - s0 >= 0, d0 - s1 >= 0, -d0 + 9 >= 0)",
        "6",
        lambda i, s, t: max(s, t) <= i <= 9,
        {"s": 4, "t": 1},
    ),
    "one symbol on one side": (
        "(d0, d1)[s0] : (d0 >= 0, d1 >= 0, d0 - d1 >= 0, -d0 + s0 - 1 >= 0)",
        "10x1",
        lambda i, j, s: 0 <= j <= i < s,
        {"s": 4},
    ),
    "an extent of a symbol": (
        "(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 2 >= 0)",
        "5x3",
        lambda i, j, s: 0 <= i < s and 0 <= j <= 2,
        {"s": 5},
    ),
}  # fmt: skip


def symbolic_kernel(set_: str, shape: str, order: Sequence[int], symbols: Sequence[str]) -> str:
    """Copies the points of a set of symbols to a flat array, and back to a square."""
    rank = set_.split(")")[0].count("d")
    sizes, type_ = ", ".join(["16"] * rank), "x".join(["16"] * rank)
    strides = "16, 1" if rank == 2 else "1"
    map_ = f"affine_map<({', '.join(f'd{d}' for d in range(rank))}) -> "
    map_ += f"({', '.join(f'd{d}' for d in order)})>"
    count = int(np.prod([int(size) for size in shape.split("x")]))
    zeros = ", ".join(["%c0"] * rank)
    body = ""
    for n in "xz":
        body += view(f"{n}v", f"%{n}", sizes, strides, box(*[16] * rank), type_)
        body += (
            f"%{n}t = ktdp.construct_access_tile %{n}v[{zeros}] "
            f"symbols({', '.join('%' + s for s in symbols)}) "
            f"{{access_tile_set = affine_set<{set_}>, access_tile_order = {map_}}} "
            f": memref<{type_}xf16> -> !ktdp.access_tile<{shape}xindex>\n"
        )
    body += view("yv", "%y", str(count), "1", box(count), str(count))
    body += tile("yt", "yv", "0", box(count), identity(1), str(count), str(count))
    body += f"%d = ktdp.load %xt : <{shape}xindex> -> tensor<{shape}xf16>\n"
    body += f"ktdp.store %d, %zt : tensor<{shape}xf16>, <{shape}xindex>\n"
    flat = f"tensor<{count}xf16>"
    if "x" in shape:
        body += f"%f = tensor.collapse_shape %d [[0, 1]] : tensor<{shape}xf16> into {flat}\n"
    name = "%f" if "x" in shape else "%d"
    body += f"ktdp.store {name}, %yt : {flat}, <{count}xindex>\n"
    arguments = "".join(f", %{s}: index" for s in symbols)
    return kernel(body, "%x: index, %y: index, %z: index" + arguments)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("name", SETS)
def test_sets_whose_symbols_are_values(name: str, backwards: bool) -> None:
    set_, shape, holds, symbols = SETS[name]
    rank = set_.split(")")[0].count("d")
    order = list(reversed(range(rank))) if backwards else list(range(rank))
    text = symbolic_kernel(set_, shape, order, list(symbols))
    x = half(*[16] * rank)
    z = torch.zeros_like(x)
    found = points(rank, lambda *p: holds(*p, *symbols.values()), order)
    y = torch.zeros(len(found)).half()
    left = assert_same_at_both_levels(text, {"x": x, "y": y, "z": z, **symbols})
    expected = np.array([x.numpy()[p] for p in found])
    assert np.array_equal(np.asarray(left["y"]), expected)
    for p in found:
        z[p] = x[p]
    assert np.array_equal(np.asarray(left["z"]), z.numpy())


@pytest.mark.parametrize("name", SETS)
def test_a_set_with_another_number_of_points_than_its_tile(name: str) -> None:
    set_, shape, holds, symbols = SETS[name]
    rank = set_.split(")")[0].count("d")
    text = symbolic_kernel(set_, shape, range(rank), list(symbols))
    count = int(np.prod([int(size) for size in shape.split("x")]))
    last, legal = list(symbols.items())[-1]
    arguments = {"x": half(*[16] * rank), "y": torch.zeros(count).half()}
    arguments["z"] = torch.zeros_like(arguments["x"])
    wrong = 0
    for value in range(legal - 3, legal + 6):
        given = {**symbols, last: value}
        if len(points(rank, lambda *p, g=given: holds(*p, *g.values()), range(rank))) == count:
            assert_same_at_both_levels(text, {**arguments, **given})
        elif value >= 0:
            wrong += 1
            assert_fault(text, {**arguments, **given}, "points|extent|outside")
    assert wrong or name == "a skew of a symbol"


def test_a_set_that_differs_by_core() -> None:
    """Core c takes the anti-diagonal 3 + c of a square, whose corners are cut."""
    set_ = "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, d0 + d1 - s0 - 3 == 0)>"
    body = view("xv", "%x", "16, 16", "16, 1", box(16, 16), "16x16")
    body += view("yv", "%y", "4, 4", "4, 1", box(4, 4), "4x4")
    body += (
        "%xt = ktdp.construct_access_tile %xv[%core, 0] symbols(%core) "
        f"{{access_tile_set = {set_}, access_tile_order = {identity(2)}}} : memref<16x16xf16> -> "
        "!ktdp.access_tile<1x4xindex>\n"
    )
    body += tile("yt", "yv", "%core, 0", box(1, 4), identity(2), "4x4", "1x4")
    text = kernel(body + copy("xt", "yt", "1x4"), grid="[4]")
    left = assert_same_at_both_levels(text, {"x": half(16, 16), "y": half(4, 4)})
    x = half(16, 16).numpy()
    for core in range(4):
        row = [x[core + i, core + 3 - i] for i in range(4)]
        assert np.array_equal(np.asarray(left["y"])[core], row)


@pytest.mark.parametrize("start", [0, 1, 37, 99, 143])
def test_a_view_divides_by_more_than_tiles_can_tell_apart(start: int) -> None:
    valid = (
        "affine_set<(d0, d1) : (d0 >= 0, -d0 + 199 >= 0, d1 >= 0, -d1 + 3 >= 0, "
        "(d0 + 2 * d1) mod 97 - 40 >= 0, (d0 floordiv 90 + d1) mod 2 == 0)>"
    )
    body = ""
    for n in "xz":
        body += view(f"{n}v", f"%{n}", "200, 4", "4, 1", valid, "200x4")
        body += tile(f"{n}t", f"{n}v", "%n, 0", box(57, 4), identity(2), "200x4", "57x4")
    body += view("yv", "%y", "57, 4", "4, 1", box(57, 4), "57x4")
    body += tile("yt", "yv", "0, 0", box(57, 4), identity(2), "57x4", "57x4")
    text = kernel(
        body + copy("xt", "yt", "57x4") + "ktdp.store %d, %zt : tensor<57x4xf16>, <57x4xindex>\n",
        "%x: index, %y: index, %z: index, %n: index",
    )
    x, z = half(200, 4), torch.full((200, 4), 7.0).half()
    arguments = {"x": x, "y": half(57, 4), "z": z.clone(), "n": start}
    left = assert_same_at_both_levels(text, arguments)
    y = np.zeros((57, 4), np.float16)
    for i, j in np.ndindex(57, 4):
        row = start + i
        if (row + 2 * j) % 97 >= 40 and (row // 90 + j) % 2 == 0:
            y[i, j] = z[row, j] = x[row, j]
    assert np.array_equal(np.asarray(left["y"]), y)
    assert np.array_equal(np.asarray(left["z"]), z.numpy())


def test_a_view_that_divides_where_each_core_starts_elsewhere() -> None:
    valid = "affine_set<(d0) : (d0 >= 0, -d0 + 399 >= 0, d0 mod 7 - 3 >= 0)>"
    body = view("xv", "%x", "400", "1", valid, "400")
    body += view("yv", "%y", "8, 50", "50, 1", box(8, 50), "8x50")
    body += "%at = affine.apply affine_map<(d0)[s0] -> (50 * d0 + s0)>(%core)[%n]\n"
    body += tile("xt", "xv", "%at", box(50), identity(1), "400", "50")
    body += tile("yt", "yv", "%core, 0", box(1, 50), identity(2), "8x50", "1x50")
    body += "%d = ktdp.load %xt : <50xindex> -> tensor<50xf16>\n"
    body += "%e = tensor.expand_shape %d [[0, 1]] output_shape [1, 50] : "
    body += "tensor<50xf16> into tensor<1x50xf16>\n"
    body += "ktdp.store %e, %yt : tensor<1x50xf16>, <1x50xindex>\n"
    text = kernel(body, "%x: index, %y: index, %n: index", "[8]")
    x = half(400)
    left = assert_same_at_both_levels(text, {"x": x, "y": half(8, 50), "n": 0})
    places = np.arange(400)
    expected = np.where(places % 7 >= 3, x.numpy(), np.float16(0)).reshape(8, 50)
    assert np.array_equal(np.asarray(left["y"]), expected)
