"""Inter-tile ops: the same bytes at levels `ktir` and `sdf`, and what numpy says they are.

Eight cores, each with a tile of its own, which it loads from row `core` of `x`; what it receives it
stores to row `core` of `y`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from ktdp_text import box, identity
from sdf_kernels import half
from test_lower_to_sdf import assert_same_at_both_levels, lower

from ktir.machine.kernel import run as launch
from ktir.machine.source_names import argument_names
from ktir.mlir import ir

CORES = 8
Shape = tuple[int, ...]

ALL = "affine_set<(i)[g] : (i >= 0, -i + 7 >= 0)>"
HALVES = "affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>"
STRIDED = "affine_set<(i)[g] : (i - g >= 0, (i - g) mod 2 == 0)>"
FIRST = "affine_set<(i)[g] : (i - 4 * g == 0)>"
ONE = "affine_set<(g) : (g == 0)>"
TWO = "affine_set<(g) : (g >= 0, -g + 1 >= 0)>"

MEMBERS: dict[str, Callable[[int], list[int]]] = {
    ALL: lambda g: list(range(8)),
    HALVES: lambda g: list(range(4 * g, 4 * g + 4)),
    STRIDED: lambda g: list(range(g, 8, 2)),
    FIRST: lambda g: [4 * g],
}


def tensor(shape: Shape) -> str:
    return "tensor<" + "x".join(map(str, shape)) + "xf16>"


def view(name: str, shape: Shape) -> str:
    """One tile a core, and the access tile of the running core's."""
    whole = (CORES, *shape)
    strides = [math.prod(whole[i + 1 :]) for i in range(len(whole))]
    memref = "memref<" + "x".join(map(str, whole)) + "xf16>"
    tile = "!ktdp.access_tile<1x" + "x".join(map(str, shape)) + "xindex>"
    zeros = ", 0" * len(shape)
    return (
        f"%{name}v = ktdp.construct_memory_view %{name}, sizes: {list(whole)}, strides: {strides} "
        f"{{coordinate_set = {box(*whole)}, memory_space = #ktdp.memory_space<global>}} : "
        f"{memref}\n"
        f"%{name}t = ktdp.construct_access_tile %{name}v[%core{zeros}] {{access_tile_set = "
        f"{box(1, *shape)}, access_tile_order = {identity(len(whole))}}} : {memref} -> {tile}\n"
    )


def kernel(
    delivery: str, shape: Shape, result: Shape, producers: str, groups: str, who: str
) -> str:
    """A kernel around the op that delivers `%fut` as `%r`; the cores in `who` store it."""
    rank = len(shape)
    joined = (
        f"[[0, 1], {', '.join(f'[{i}]' for i in range(2, rank + 1))}]" if rank > 1 else "[[0, 1]]"
    )
    wide, wide_result = tensor((1, *shape)), tensor((1, *result))
    out = (1, *result)
    future = f"<({tensor(shape)}), groups = {groups}>"
    return (
        "func.func @kernel(%x: index, %y: index) attributes {grid = [4, 2]} {\n"
        "%i, %j = ktdp.get_compute_tile_id : index, index\n"
        "%c4 = arith.constant 4 : index\n%up = arith.muli %j, %c4 : index\n"
        "%core = arith.addi %i, %up : index\n"
        + view("x", shape)
        + view("y", result)
        + f"%own = ktdp.load %xt : <{wide[7:-4]}index> -> {wide}\n"
        f"%a = tensor.collapse_shape %own {joined} : {wide} into {tensor(shape)}\n"
        f"%fut = ktdp.inter_tile_produce producer_tiles_per_group = {producers} -> {future} {{\n"
        "^bb0(%gid: index):\n"
        "%n = arith.index_cast %gid : index to i32\n%h = arith.sitofp %n : i32 to f16\n"
        f"%s = tensor.splat %h : {tensor(shape)}\n%p = arith.addf %a, %s : {tensor(shape)}\n"
        f"ktdp.yield_partial %p : {tensor(shape)}\n}}\n"
        f"{delivery.replace('FUTURE', future)}\n"
        f"%d = tensor.expand_shape %r {joined} output_shape {list(out)} : {tensor(result)} into "
        f"{wide_result}\n"
        f"{who}"
        f"scf.if %stores {{\nktdp.store %d, %yt : {wide_result}, <{wide_result[7:-4]}index>\n}}\n"
        "return\n}\n"
    )


EVERYONE = "%stores = arith.constant true\n"
FIRST_OF_GROUP = (
    "%lane = arith.remui %core, %c4 : index\n%c0 = arith.constant 0 : index\n"
    "%stores = arith.cmpi eq, %lane, %c0 : index\n"
)


def run(text: str, shape: Shape, result: Shape) -> np.ndarray:
    arguments = {"x": half(CORES, *shape), "y": half(CORES, *result)}
    return np.asarray(assert_same_at_both_levels(text, arguments)["y"])


def sent(shape: Shape, producers: str, groups: int) -> dict[int, np.ndarray]:
    """What each producing core publishes."""
    x = half(CORES, *shape).numpy()
    return {
        core: x[core] + np.float16(group)
        for group in range(groups)
        for core in MEMBERS[producers](group)
    }


COMBINER = """{{
^bb0(%l: {0}, %m: {0}):
  %sum = arith.addf %l, %m : {0}
  ktdp.yield_reduced %sum : {0}
}}"""


def folded(tiles: list[np.ndarray]) -> np.ndarray:
    total = np.full_like(tiles[0], 0.5)
    for tile in tiles:
        total = total + tile
    return total


@pytest.mark.parametrize("dependency", [None, "affine_set<(p)[c, g] : (p + c - 8 * g - 3 == 0)>"])
def test_broadcast_and_routing(dependency: str | None) -> None:
    shape = (2, 32)
    producers = FIRST if dependency is None else HALVES
    wait = "" if dependency is None else f", producer_dependency_per_consumer = {dependency}"
    delivery = (
        f"%r = ktdp.inter_tile_consume(%fut) consumer_tiles_per_group = {HALVES}{wait} : FUTURE -> "
        f"{tensor(shape)}"
    )
    y = run(kernel(delivery, shape, shape, producers, TWO, EVERYONE), shape, shape)
    tiles = sent(shape, producers, 2)
    for core in range(CORES):
        group = core // 4
        source = 4 * group if dependency is None else 8 * group + 3 - core
        assert np.array_equal(y[core], tiles[source])


@pytest.mark.parametrize(("members", "groups"), [(ALL, 1), (HALVES, 2), (STRIDED, 2)])
def test_reduce(members: str, groups: int) -> None:
    shape = (2, 32)
    text = tensor(shape)
    delivery = (
        f"%id = arith.constant dense<0.5> : {text}\n"
        f"%r = ktdp.inter_tile_reduce(%fut) consumer_tiles_per_group = {members}, "
        f"identity(%id : {text}) : FUTURE -> {text} {COMBINER.format(text)}"
    )
    sets = ONE if groups == 1 else TWO
    y = run(kernel(delivery, shape, shape, members, sets, EVERYONE), shape, shape)
    tiles = sent(shape, members, groups)
    for group in range(groups):
        cores = MEMBERS[members](group)
        for core in cores:
            assert np.array_equal(y[core], folded([tiles[other] for other in cores]))


def test_reduce_to_one_core_of_each_group() -> None:
    shape = (2, 32)
    text = tensor(shape)
    delivery = (
        f"%id = arith.constant dense<0.5> : {text}\n"
        f"%r = ktdp.inter_tile_reduce(%fut) consumer_tiles_per_group = {FIRST}, "
        f"identity(%id : {text}) : FUTURE -> {text} {COMBINER.format(text)}"
    )
    y = run(kernel(delivery, shape, shape, HALVES, TWO, FIRST_OF_GROUP), shape, shape)
    tiles = sent(shape, HALVES, 2)
    untouched = half(CORES, *shape).numpy()
    for core in range(CORES):
        group = core // 4
        expected = folded([tiles[4 * group + k] for k in range(4)])
        assert np.array_equal(y[core], untouched[core] if core % 4 else expected)


def flat(tile: np.ndarray, dims: list[int]) -> np.ndarray:
    """`dims` as one dimension, the first."""
    rest = [d for d in range(tile.ndim) if d not in dims]
    turned = tile.transpose([*dims, *rest])
    return turned.reshape(-1, *turned.shape[len(dims) :])


def unflat(tile: np.ndarray, dims: list[int], shape: Shape) -> np.ndarray:
    order = [*dims, *(d for d in range(len(shape)) if d not in dims)]
    return tile.reshape([shape[d] for d in order]).transpose(np.argsort(order))


def slice_of(tile: np.ndarray, dims: list[int], count: int, at: int) -> np.ndarray:
    whole = flat(tile, dims)
    length = len(whole) // count
    return whole[at * length : (at + 1) * length]


SPLITS = [
    ((8, 6), [0], (2, 6)),
    ((3, 8), [1], (3, 2)),
    ((2, 3, 8), [0, 2], (1, 3, 4)),
    ((2, 8, 3), [0, 1], (1, 4, 3)),
    ((8, 3, 2), [0, 2], (2, 3, 2)),
]


@pytest.mark.parametrize(("shape", "dims", "result"), SPLITS)
def test_scatter(shape: Shape, dims: list[int], result: Shape) -> None:
    delivery = (
        f"%r = ktdp.inter_tile_scatter(%fut) consumer_tiles_per_group = {HALVES}, "
        f"scatter_dimensions = {dims} : FUTURE -> {tensor(result)}"
    )
    y = run(kernel(delivery, shape, result, FIRST, TWO, EVERYONE), shape, result)
    tiles = sent(shape, FIRST, 2)
    for core in range(CORES):
        part = slice_of(tiles[core // 4 * 4], dims, 4, core % 4)
        assert np.array_equal(y[core], unflat(part, dims, result))


@pytest.mark.parametrize(("shape", "dims", "result"), SPLITS)
def test_reduce_scatter(shape: Shape, dims: list[int], result: Shape) -> None:
    text = tensor(shape)
    delivery = (
        f"%id = arith.constant dense<0.5> : {text}\n"
        f"%r = ktdp.inter_tile_reduce_scatter(%fut) consumer_tiles_per_group = {HALVES}, "
        f"scatter_dimensions = {dims}, identity(%id : {text}) : FUTURE -> {tensor(result)} "
        f"{COMBINER.format(text)}"
    )
    y = run(kernel(delivery, shape, result, HALVES, TWO, EVERYONE), shape, result)
    tiles = sent(shape, HALVES, 2)
    for core in range(CORES):
        whole = folded([tiles[core // 4 * 4 + k] for k in range(4)])
        part = slice_of(whole, dims, 4, core % 4)
        assert np.array_equal(y[core], unflat(part, dims, result))


@pytest.mark.parametrize(
    ("shape", "dims", "result"),
    [
        ((2, 6), [0], (8, 6)),
        ((3, 2), [1], (3, 8)),
        ((2, 3, 2), [0, 2], (4, 3, 4)),
        ((2, 3, 4), [0, 2], (8, 3, 4)),
    ],
)
def test_gather(shape: Shape, dims: list[int], result: Shape) -> None:
    delivery = (
        f"%r = ktdp.inter_tile_gather(%fut) consumer_tiles_per_group = {STRIDED}, "
        f"gather_dimensions = {dims} : FUTURE -> {tensor(result)}"
    )
    y = run(kernel(delivery, shape, result, STRIDED, TWO, EVERYONE), shape, result)
    tiles = sent(shape, STRIDED, 2)
    for core in range(CORES):
        parts = [flat(tiles[other], dims) for other in range(core % 2, CORES, 2)]
        assert np.array_equal(y[core], unflat(np.concatenate(parts), dims, result))


@pytest.mark.parametrize(
    ("shape", "split", "concat", "result"),
    [
        ((2, 8), [1], [0], (8, 2)),
        ((8, 2), [0], [1], (2, 8)),
        ((8, 3), [0], [0], (8, 3)),
        ((2, 8, 3), [0, 1], [2], (1, 4, 12)),
        ((2, 3, 2), [0, 2], [0, 2], (2, 3, 2)),
    ],
)
def test_all_to_all(shape: Shape, split: list[int], concat: list[int], result: Shape) -> None:
    delivery = (
        f"%r = ktdp.inter_tile_all_to_all(%fut) consumer_tiles_per_group = {HALVES}, "
        f"split_dimensions = {split}, concat_dimensions = {concat} : FUTURE -> {tensor(result)}"
    )
    y = run(kernel(delivery, shape, result, HALVES, TWO, EVERYONE), shape, result)
    tiles = sent(shape, HALVES, 2)
    for core in range(CORES):
        pieces = []
        for k in range(4):
            part = slice_of(tiles[core // 4 * 4 + k], split, 4, core % 4)
            if split != concat:
                one = tuple(result[d] if d in split else shape[d] for d in range(len(shape)))
                part = flat(unflat(part, split, one), concat)
            pieces.append(part)
        assert np.array_equal(y[core], unflat(np.concatenate(pieces), concat, result))


def test_a_fold_of_two_tensors_in_a_loop() -> None:
    """Values and their cores, folded to the greatest value and its core, twice."""
    values, cores = "tensor<2x32xf16>", "tensor<2x32xi32>"
    future = f"<({values}, {cores}), groups = {ONE}>"
    text = (
        "func.func @kernel(%x: index, %y: index) attributes {grid = [4, 2]} {\n"
        "%i, %j = ktdp.get_compute_tile_id : index, index\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        "%c2 = arith.constant 2 : index\n"
        "%c4 = arith.constant 4 : index\n%up = arith.muli %j, %c4 : index\n"
        "%core = arith.addi %i, %up : index\n"
        + view("x", (2, 32))
        + view("y", (2, 32))
        + "%own = ktdp.load %xt : <1x2x32xindex> -> tensor<1x2x32xf16>\n"
        f"%a = tensor.collapse_shape %own [[0, 1], [2]] : tensor<1x2x32xf16> into {values}\n"
        "%n = arith.index_cast %core : index to i32\n"
        f"%c = tensor.splat %n : {cores}\n"
        f"%low = arith.constant dense<-100.0> : {values}\n"
        f"%none = arith.constant dense<-1> : {cores}\n"
        f"%d = scf.for %k = %c0 to %c2 step %c1 iter_args(%t = %a) -> ({values}) {{\n"
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {ALL} -> {future} {{\n"
        f"^bb0(%g: index):\nktdp.yield_partial %t, %c : {values}, {cores}\n}}\n"
        f"%v, %w = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {ALL}, "
        f"identity(%low, %none : {values}, {cores}) : {future} -> {values}, {cores} {{\n"
        f"^bb0(%la: {values}, %lb: {cores}, %ra: {values}, %rb: {cores}):\n"
        f"%more = arith.cmpf ogt, %ra, %la : {values}\n"
        f"%va = arith.select %more, %ra, %la : tensor<2x32xi1>, {values}\n"
        f"%vb = arith.select %more, %rb, %lb : tensor<2x32xi1>, {cores}\n"
        f"ktdp.yield_reduced %va, %vb : {values}, {cores}\n}}\n"
        f"%wf = arith.sitofp %w : {cores} to {values}\n"
        f"%s = arith.subf %v, %t : {values}\n%u = arith.addf %s, %wf : {values}\n"
        f"scf.yield %u : {values}\n}}\n"
        f"%e = tensor.expand_shape %d [[0, 1], [2]] output_shape [1, 2, 32] : {values} into "
        "tensor<1x2x32xf16>\n"
        "ktdp.store %e, %yt : tensor<1x2x32xf16>, <1x2x32xindex>\nreturn\n}\n"
    )
    y = run(text, (2, 32), (2, 32))
    tiles = half(CORES, 2, 32).numpy()
    for _ in range(2):
        tiles = (tiles.max(0) - tiles) + tiles.argmax(0).astype(np.float16)
    assert np.array_equal(y, tiles)


def test_a_kernel_is_lowered_for_the_grid_that_it_runs_on() -> None:
    """The text says [4, 2]; groups of four are those of the grid at the launch."""
    shape = (2, 32)
    text = tensor(shape)
    delivery = (
        f"%id = arith.constant dense<0.5> : {text}\n"
        f"%r = ktdp.inter_tile_reduce(%fut) consumer_tiles_per_group = {HALVES}, "
        f"identity(%id : {text}) : FUTURE -> {text} {COMBINER.format(text)}"
    )
    source = kernel(delivery, shape, shape, HALVES, ONE, EVERYONE)
    module = ir.Module.parse(source, ir.Context()).operation
    arguments = {"x": half(CORES, *shape), "y": half(CORES, *shape)}
    names = argument_names(source)
    left = launch(
        module, None, arguments, names=names, level="sdf", lower=lower, grid=[4, 1]
    ).arrays
    tiles = sent(shape, HALVES, 1)
    y = np.asarray(left["y"])
    for core in range(4):
        assert np.array_equal(y[core], folded([tiles[other] for other in range(4)]))
    assert np.array_equal(y[4:], half(CORES, *shape).numpy()[4:])
    assert "grid = [4, 2]" in str(module)
