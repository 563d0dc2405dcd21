"""Tensors of a size that is a value: the same bytes at both levels, and the values of numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from ktdp_text import box, identity
from open_bodies import OPEN_BODIES, Array, open_kernel
from test_lower_to_sdf import assert_same_at_both_levels, lower, lowered

from ktir.machine.kernel import run
from ktir.machine.source_names import argument_names
from ktir.mlir import ir


@pytest.mark.parametrize("count", [0, 1, 5, 16, 37, 64])
@pytest.mark.parametrize("name", OPEN_BODIES)
def test_tails_that_differ_by_core(name: str, count: int) -> None:
    body, meaning = OPEN_BODIES[name]
    x = torch.randn(64, generator=torch.Generator().manual_seed(count))
    y = torch.full((64,), 7.0)
    left = assert_same_at_both_levels(open_kernel(body), {"x": x, "y": y, "n": count})
    expected = y.double().numpy().copy()
    for core in range(4):
        piece = slice(core * 16, min(core * 16 + 16, max(count, core * 16)))
        if piece.stop > piece.start:
            expected[piece] = meaning(x.double().numpy()[piece], core)
    np.testing.assert_allclose(np.asarray(left["y"]), expected, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("level", ["ktir", "sdf"])
@pytest.mark.parametrize("name", OPEN_BODIES)
def test_check_full_sees_no_fault(name: str, level: str) -> None:
    _checked(open_kernel(OPEN_BODIES[name][0]), level, x=torch.ones(64), y=torch.zeros(64), n=37)


def _checked(text: str, level: str, **arguments: Any) -> None:
    module, names = ir.Module.parse(text, ir.Context()).operation, argument_names(text)
    run(module, None, arguments, names=names, level=level, lower=lower, check="full")


_OPEN = "affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>"
_SPACE = "memory_space = #ktdp.spyre_memory_space<HBM>"
_M = "tensor<?x?xf32>"


def _product(body: str) -> str:
    """Rows of x, of which each core has up to 5, times w; `body` makes `%s` of the product `%c`."""

    def tile(name: str, at: str, symbols: str, type_: str) -> str:
        return (
            f"%{name}t = ktdp.construct_access_tile %{name}v[{at}] symbols({symbols}) "
            f"{{access_tile_set = {_OPEN}, access_tile_order = {identity(2)}}} : "
            f"memref<{type_}> -> !ktdp.access_tile<?x?xindex>\n"
        )

    def view(name: str, rows: int, columns: int, type_: str) -> str:
        return (
            f"%{name}v = ktdp.construct_memory_view %{name}, sizes: [{rows}, {columns}], "
            f"strides: [{columns}, 1] {{coordinate_set = {box(rows, columns)}, {_SPACE}}} : "
            f"memref<{rows}x{columns}x{type_}>\n"
        )

    return (
        "func.func @kernel(%x: index, %w: index, %y: index, %m: index, %k: index, %n: index) "
        "attributes {grid = [3]} {\n%core = ktdp.get_compute_tile_id : index\n"
        "%c0 = arith.constant 0 : index\n%c5 = arith.constant 5 : index\n"
        "%at = arith.muli %core, %c5 : index\n%left = arith.subi %m, %at : index\n"
        "%some = arith.minsi %left, %c5 : index\n%r = arith.maxsi %some, %c0 : index\n"
        f"%xv = ktdp.construct_memory_view %x, sizes: [%m, %k], strides: [%k, 1] "
        f"{{coordinate_set = {_OPEN}, {_SPACE}}} : memref<?x?xf16>\n"
        + view("w", 40, 30, "f16")
        + view("y", 15, 30, "f32")
        + "%c40 = arith.constant 40 : index\n%kk = arith.minsi %k, %c40 : index\n"
        + tile("x", "%at, 0", "%r, %kk", "?x?xf16")
        + tile("w", "0, 0", "%kk, %n", "40x30xf16")
        + tile("y", "%at, 0", "%r, %n", "15x30xf32")
        + "%a = ktdp.load %xt : <?x?xindex> -> tensor<?x?xf16>\n"
        "%b = ktdp.load %wt : <?x?xindex> -> tensor<?x?xf16>\n"
        f"%z = arith.constant 0.0 : f32\n%e = tensor.empty(%r, %n) : {_M}\n"
        f"%f = linalg.fill ins(%z : f32) outs(%e : {_M}) -> {_M}\n"
        "%c = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) "
        f"outs(%f : {_M}) -> {_M}\n{body}"
        f"ktdp.store %s, %yt : {_M}, <?x?xindex>\nreturn\n}}\n"
    )


PRODUCTS: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "twice": (f"%s = arith.addf %c, %c : {_M}\n", lambda c: 2 * c),
    "softmax": (
        f"%s = linalg.softmax dimension(1) ins(%c : {_M}) outs(%e : {_M}) -> {_M}\n",
        lambda c: np.exp(c) / np.exp(c).sum(1, keepdims=True),
    ),
    "sums of rows": (
        "%i0 = tensor.empty(%r) : tensor<?xf32>\n"
        "%i = linalg.fill ins(%z : f32) outs(%i0 : tensor<?xf32>) -> tensor<?xf32>\n"
        f"%q = linalg.reduce {{arith.addf}} ins(%c : {_M}) outs(%i : tensor<?xf32>) "
        "dimensions = [1]\n"
        f"%s = linalg.broadcast ins(%q : tensor<?xf32>) outs(%e : {_M}) dimensions = [1]\n",
        lambda c: c.sum(1, keepdims=True) + 0 * c,
    ),
    "in one row": (
        f"%g = tensor.collapse_shape %c [[0, 1]] : {_M} into tensor<?xf32>\n"
        "%h = math.absf %g : tensor<?xf32>\n"
        "%s = tensor.expand_shape %h [[0, 1]] output_shape [%r, %n] : tensor<?xf32> into "
        f"{_M}\n",
        np.abs,
    ),
}


@pytest.mark.parametrize(
    "sizes", [(15, 40, 30), (7, 13, 9), (1, 1, 1), (0, 5, 5), (15, 0, 30), (11, 17, 0), (6, 33, 1)]
)
@pytest.mark.parametrize("name", PRODUCTS)
def test_matrices_of_open_sizes(name: str, sizes: tuple[int, int, int]) -> None:
    body, meaning = PRODUCTS[name]
    rows, depth, columns = sizes
    generator = torch.Generator().manual_seed(rows)
    x = torch.randn(max(rows, 1), max(depth, 1), generator=generator).half()
    w = torch.randn(40, 30, generator=generator).half()
    arguments = {"x": x, "w": w, "y": torch.zeros(15, 30), "m": rows, "k": depth, "n": columns}
    left = assert_same_at_both_levels(_product(body), arguments)
    _checked(_product(body), "sdf", **arguments)
    product = x.double().numpy()[:rows, :depth] @ w.double().numpy()[:depth, :columns]
    found = np.asarray(left["y"])[:rows, :columns]
    np.testing.assert_allclose(found, meaning(product), rtol=1e-3, atol=1e-3)


def test_a_size_that_no_view_has_is_a_fault_at_both_levels() -> None:
    text = open_kernel("%r = arith.addf %a, %a : tensor<?xf32>\n").replace(
        "%m = arith.maxsi %some, %c0 : index", "%m = arith.addi %n, %c0 : index"
    )
    for level in ("ktir", "sdf"):
        with pytest.raises(Exception, match=r"outside the view|it has 64|of dimension 0"):
            _checked(text, level, x=torch.ones(64), y=torch.zeros(64), n=65)


def test_sizes_that_differ_are_a_fault_at_sdf_too() -> None:
    text = open_kernel(
        "%h = arith.divui %m, %c2 : index\n"
        "%s = tensor.extract_slice %a[0] [%h] [1] : tensor<?xf32> to tensor<?xf32>\n"
        "%r = arith.addf %s, %a : tensor<?xf32>\n"
    )
    for level in ("ktir", "sdf"):
        with pytest.raises(Exception, match=r"differ|must match|size"):
            _checked(text, level, x=torch.ones(64), y=torch.zeros(64), n=37)


def test_a_size_without_a_bound_is_refused_with_a_remedy() -> None:
    text = open_kernel("").replace(
        "ktdp.store %r, %yt",
        "%big = tensor.splat %zero[%n] : tensor<?xf32>\n"
        "%r = math.exp %big : tensor<?xf32>\nktdp.store %r, %yt",
    )
    with pytest.raises(AssertionError, match="a runtime argument with an upper bound"):
        lowered(text)


def _gathered() -> str:
    """As many rows of x as a core has indices for, twice."""
    rows = (
        "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 3 >= 0)>, "
        f"%s_order = {identity(2)}"
    )

    def view(name: str, rows: int, columns: int, type_: str) -> str:
        return (
            f"%{name}v = ktdp.construct_memory_view %{name}, sizes: [{rows}, {columns}], "
            f"strides: [{columns}, 1] {{coordinate_set = {box(rows, columns)}, {_SPACE}}} : "
            f"memref<{rows}x{columns}x{type_}>\n"
        )

    return (
        "func.func @kernel(%x: index, %i: index, %y: index, %n: index) attributes {grid = [2]} {\n"
        "%core = ktdp.get_compute_tile_id : index\n%c8 = arith.constant 8 : index\n"
        "%c0 = arith.constant 0 : index\n%less = arith.subi %n, %core : index\n"
        "%some = arith.maxsi %less, %c0 : index\n%m = arith.minsi %some, %c8 : index\n"
        + view("x", 20, 4, "f16")
        + view("i", 2, 8, "i32")
        + view("y", 16, 4, "f16")
        + "%at = arith.muli %core, %c8 : index\n"
        "%from = ktdp.construct_indirect_access_tile intermediate_variables(%r, %k) "
        "%xv[ind(%iv[%core, %r]), (%k)] symbols(%m) {variables_space_set = "
        + rows.replace("%s", "variables_space")
        + "} : memref<20x4xf16>, memref<2x8xi32> -> !ktdp.access_tile<?x4xindex>\n"
        "%to = ktdp.construct_access_tile %yv[%at, 0] symbols(%m) {access_tile_set = "
        + rows.replace("%s", "access_tile")
        + "} : memref<16x4xf16> -> !ktdp.access_tile<?x4xindex>\n"
        "%a = ktdp.load %from : <?x4xindex> -> tensor<?x4xf16>\n"
        "%b = arith.addf %a, %a : tensor<?x4xf16>\n"
        "ktdp.store %b, %to : tensor<?x4xf16>, <?x4xindex>\nreturn\n}\n"
    )


@pytest.mark.parametrize("count", [0, 1, 2, 5, 9])
def test_indices_beyond_a_tile_of_open_size_are_not_read(count: int) -> None:
    x = torch.randn(20, 4, generator=torch.Generator().manual_seed(count)).half()
    indices = torch.arange(16).int().view(2, 8)
    for core in range(2):
        indices[core, max(count - core, 0) :] = 999
    arguments = {"x": x, "i": indices, "y": torch.zeros(16, 4).half(), "n": count}
    left = assert_same_at_both_levels(_gathered(), arguments)
    for core in range(2):
        rows = min(max(count - core, 0), 8)
        found = torch.as_tensor(left["y"])[8 * core : 8 * core + rows]
        assert torch.equal(found, 2 * x[8 * core : 8 * core + rows])
