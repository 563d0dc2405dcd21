"""Tiles that travel from core to core: the inter-tile family against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from exchange_text import (
    FIRSTS,
    FOURS,
    LASTS,
    STRIDED,
    SUM,
    TILE,
    TWO,
    ZERO,
    Array,
    deliver,
    exchange,
    finish,
    produce,
    start,
    x_of,
)

from ktir.errors import VerifyError
from ktir.machine.exchange import Deliveries, Producers
from ktir.machine.sets import IntegerSet, decode_set
from ktir.mlir import ir


def test_broadcast_in_groups() -> None:
    body = start() + produce(FIRSTS) + deliver("consume", FOURS, "", "4x8") + finish("4x8")
    found, result = exchange(body, (4, 8), check="full")
    np.testing.assert_array_equal(found, x_of()[[0, 0, 0, 0, 4, 4, 4, 4]])
    # Six cores receive a tile of 4 rows, each of which is a whole stick of a scratchpad.
    assert result.profile.ring_bytes == 6 * 4 * 128
    assert result.profile.as_dict()["kernels"][0]["ring_bytes"] == 6 * 4 * 128


def test_one_for_all_is_held_once() -> None:
    all_, one = "affine_set<(i)[g] : (i >= 0, -i + 7 >= 0, g == 0)>", "affine_set<(g) : (g == 0)>"
    first = "affine_set<(i)[g] : (i == 3)>"
    body = start() + produce(first, one) + deliver("consume", all_, "", "4x8", one) + finish("4x8")
    found, _ = exchange(body, (4, 8))
    np.testing.assert_array_equal(found, x_of()[[3] * 8])


def test_routing_to_a_mirrored_partner() -> None:
    pair = ", producer_dependency_per_consumer = affine_set<(p)[c, g] : (p + c - 8 * g - 3 == 0)>"
    body = start() + produce() + deliver("consume", FOURS, pair, "4x8") + finish("4x8")
    found, _ = exchange(body, (4, 8), check="full")
    np.testing.assert_array_equal(found, x_of()[[3, 2, 1, 0, 7, 6, 5, 4]])


@pytest.mark.parametrize(
    ("who", "groups"),
    [(FOURS, [[0, 1, 2, 3], [4, 5, 6, 7]]), (STRIDED, [[0, 2, 4, 6], [1, 3, 5, 7]])],
)
def test_sums_of_groups(who: str, groups: list[list[int]]) -> None:
    clauses = f", identity(%zero : {TILE})"
    body = start() + ZERO + produce(who) + deliver("reduce", who, clauses, "4x8", region=SUM)
    found, _ = exchange(body + finish("4x8"), (4, 8), check="full")
    for group in groups:
        np.testing.assert_array_equal(found[group], x_of()[group].sum(0)[None].repeat(4, 0))


def test_a_fold_starts_at_the_identity_and_ascends() -> None:
    # %a - %b is no legal combiner, but shows the order: ((1 - x0) - x1) - x2 ..
    region = SUM.replace("addf", "subf")
    one = "%one = arith.constant dense<1.0> : tensor<4x8xf32>\n"
    clauses = f", identity(%one : {TILE})"
    body = start() + one + produce() + deliver("reduce", FOURS, clauses, "4x8", region=region)
    found, _ = exchange(body + finish("4x8"), (4, 8))
    np.testing.assert_array_equal(found[5], 1 - x_of()[4:].sum(0))


def test_folds_of_some_sources_each() -> None:
    # Core c of a group waits for the producers up to itself: 1, 2, 3, 4 of them.
    upto = (
        ", producer_dependency_per_consumer = affine_set<(p)[c, g] : (p - 4 * g >= 0, c - p >= 0)>"
    )
    clauses = f"{upto}, identity(%zero : {TILE})"
    body = start() + ZERO + produce() + deliver("reduce", FOURS, clauses, "4x8", region=SUM)
    found, _ = exchange(body + finish("4x8"), (4, 8), check="full")
    np.testing.assert_array_equal(found, x_of().reshape(2, 4, 4, 8).cumsum(1).reshape(8, 4, 8))


def test_combiners_that_differ_by_core() -> None:
    region = (
        " {\n^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):\n"
        "  %b2 = arith.mulf %b, %own : tensor<4x8xf32>\n"
        "  %s = arith.addf %a, %b2 : tensor<4x8xf32>\n  ktdp.yield_reduced %s : tensor<4x8xf32>\n}"
    )
    scale = (
        "%i = arith.index_cast %id : index to i32\n%s0 = arith.sitofp %i : i32 to f32\n"
        "%own = tensor.splat %s0 : tensor<4x8xf32>\n"
    )
    clauses = f", identity(%zero : {TILE})"
    body = (
        start() + ZERO + scale + produce() + deliver("reduce", FOURS, clauses, "4x8", region=region)
    )
    found, _ = exchange(body + finish("4x8"), (4, 8))
    sums = x_of().reshape(2, 4, 4, 8).sum(1).repeat(4, 0)
    np.testing.assert_array_equal(found, sums * np.arange(8)[:, None, None])


def test_results_are_undefined_on_other_cores() -> None:
    clauses = f", identity(%zero : {TILE})"
    body = start() + ZERO + produce() + deliver("reduce", FIRSTS, clauses, "4x8", region=SUM)
    found, _ = exchange(body + finish("4x8"), (4, 8))
    np.testing.assert_array_equal(found[4], x_of()[4:].sum(0))
    assert np.isnan(found[[1, 2, 3, 5, 6, 7]]).all()


def test_two_roles() -> None:
    """The largest element of each place, and the core that has it."""
    both = f"{TILE}, tensor<4x8xi32>"
    body = (
        start()
        + "%i = arith.index_cast %id : index to i32\n%n = tensor.splat %i : tensor<4x8xi32>\n"
        + "%low = arith.constant dense<-1000.0> : tensor<4x8xf32>\n"
        + "%none = arith.constant dense<-1> : tensor<4x8xi32>\n"
        + f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {FOURS} -> <({both}), "
        + f"groups = {TWO}> {{\n^bb0(%gid: index):\n  ktdp.yield_partial %d, %n : {both}\n}}\n"
        + f"%m, %at = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {FOURS}, "
        + f"identity(%low, %none : {both}) : <({both}), groups = {TWO}> -> {both}"
        + " {\n^bb0(%a: tensor<4x8xf32>, %an: tensor<4x8xi32>, %b: tensor<4x8xf32>, "
        + "%bn: tensor<4x8xi32>):\n"
        + "  %more = arith.cmpf ogt, %b, %a : tensor<4x8xf32>\n"
        + "  %v = arith.select %more, %b, %a : tensor<4x8xi1>, tensor<4x8xf32>\n"
        + "  %w = arith.select %more, %bn, %an : tensor<4x8xi1>, tensor<4x8xi32>\n"
        + f"  ktdp.yield_reduced %v, %w : {both}\n}}\n"
        + "%r = arith.sitofp %at : tensor<4x8xi32> to tensor<4x8xf32>\n"
        + finish("4x8").replace("%w", "%wide")
    )
    found, _ = exchange(body, (4, 8))
    for base in (0, 4):
        best = base + x_of()[base : base + 4].argmax(0)
        np.testing.assert_array_equal(found[base : base + 4], best[None].repeat(4, 0))


@pytest.mark.parametrize(
    ("dims", "shape"), [([0], (16, 8)), ([1], (4, 32)), ([0, 1], (16, 8)), ([0, 1], (8, 16))]
)
def test_tiles_joined(dims: list[int], shape: tuple[int, ...]) -> None:
    text = "x".join(map(str, shape))
    clauses = f", gather_dimensions = {dims}"
    body = start() + produce() + deliver("gather", FOURS, clauses, text) + finish(text)
    found, _ = exchange(body, shape, check="full")
    for base in (0, 4):
        parts = x_of()[base : base + 4]
        whole = parts.reshape(shape) if 0 in dims else np.concatenate(list(parts), axis=1)
        np.testing.assert_array_equal(found[base : base + 4], whole[None].repeat(4, 0))


def test_segments_joined() -> None:
    # The first two cores of a group get its first two tiles, the others its last two.
    half = "affine_set<(p)[c, g] : (p floordiv 2 - c floordiv 2 == 0)>"
    clauses = f", gather_dimensions = [0], producer_dependency_per_consumer = {half}"
    body = start() + produce() + deliver("gather", FOURS, clauses, "8x8") + finish("8x8")
    found, _ = exchange(body, (8, 8))
    np.testing.assert_array_equal(found, x_of().reshape(4, 8, 8).repeat(2, 0))


def flat_split(x: Array, dims: list[int], count: int, shape: tuple[int, ...]) -> list[Array]:
    """The slices of one tile along dimensions, in numpy."""
    if dims == [0]:
        return np.split(x, count, 0)
    if dims == [1]:
        return np.split(x, count, 1)
    return [part.reshape(shape) for part in np.split(x.reshape(-1), count)]


@pytest.mark.parametrize(
    ("dims", "shape"), [([0], (1, 8)), ([1], (4, 2)), ([0, 1], (1, 8)), ([0, 1], (2, 4))]
)
@pytest.mark.parametrize("op", ["scatter", "reduce_scatter"])
def test_slices(op: str, dims: list[int], shape: tuple[int, ...]) -> None:
    text = "x".join(map(str, shape))
    clauses, region, zero = f", scatter_dimensions = {dims}", "", ""
    if op == "reduce_scatter":
        clauses, region, zero = f"{clauses}, identity(%zero : {TILE})", SUM, ZERO
    who = FIRSTS if op == "scatter" else FOURS
    body = start() + zero + produce(who) + deliver(op, FOURS, clauses, text, region=region)
    found, _ = exchange(body + finish(text), shape, check="full")
    for base in (0, 4):
        whole = x_of()[base] if op == "scatter" else x_of()[base : base + 4].sum(0)
        expected = flat_split(whole, dims, 4, shape)
        np.testing.assert_array_equal(found[base : base + 4], np.stack(expected))


def test_consumers_that_do_not_produce_get_slices() -> None:
    clauses = ", scatter_dimensions = [0]"
    body = start() + produce(FIRSTS) + deliver("scatter", LASTS, clauses, "2x8") + finish("2x8")
    found, _ = exchange(body, (2, 8))
    for base in (0, 4):
        np.testing.assert_array_equal(found[base + 2 : base + 4], x_of()[base].reshape(2, 2, 8))


@pytest.mark.parametrize(
    ("split", "concat", "shape"), [([0], [1], (1, 32)), ([1], [0], (16, 2)), ([0], [0], (4, 8))]
)
def test_all_to_all(split: list[int], concat: list[int], shape: tuple[int, ...]) -> None:
    text = "x".join(map(str, shape))
    clauses = f", split_dimensions = {split}, concat_dimensions = {concat}"
    body = start() + produce() + deliver("all_to_all", FOURS, clauses, text) + finish(text)
    found, _ = exchange(body, shape, check="full")
    for base in (0, 4):
        parts = [np.split(x, 4, split[0]) for x in x_of()[base : base + 4]]
        for place in range(4):
            expected = np.concatenate([part[place] for part in parts], axis=concat[0])
            np.testing.assert_array_equal(found[base + place], expected)


def test_all_to_all_over_two_dimensions() -> None:
    clauses = ", split_dimensions = [0, 1], concat_dimensions = [0, 1]"
    body = start() + produce() + deliver("all_to_all", FOURS, clauses, "4x8") + finish("4x8")
    found, _ = exchange(body, (4, 8))
    for base in (0, 4):
        chunks = x_of()[base : base + 4].reshape(4, 4, 8)
        expected = chunks.transpose(1, 0, 2).reshape(4, 4, 8)
        np.testing.assert_array_equal(found[base : base + 4], expected)


def test_the_region_runs_on_producers_only_and_knows_its_group() -> None:
    body = (
        start()
        + f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {FIRSTS} -> <({TILE}), "
        + f"groups = {TWO}> {{\n^bb0(%gid: index):\n"
        + "  %n = arith.index_cast %gid : index to i32\n  %v = arith.sitofp %n : i32 to f32\n"
        + f"  %t = tensor.splat %v : {TILE}\n  %e = arith.addf %t, %d : {TILE}\n"
        + f"  ktdp.yield_partial %e : {TILE}\n}}\n"
        + deliver("consume", FOURS, "", "4x8")
        + finish("4x8")
    )
    found, _ = exchange(body, (4, 8))
    np.testing.assert_array_equal(found[:4], x_of()[[0] * 4])
    np.testing.assert_array_equal(found[4:], x_of()[[4] * 4] + 1)


def test_in_a_loop_each_delivery_takes_the_present_publication() -> None:
    clauses = f", identity(%zero : {TILE})"
    inner = produce(value="%acc") + deliver("reduce", FOURS, clauses, "4x8", region=SUM)
    body = (
        start()
        + ZERO
        + "%c3 = arith.constant 3 : index\n"
        + f"%total = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %d) -> ({TILE}) {{\n"
        + inner
        + f"scf.yield %r : {TILE}\n}}\n"
        + finish("4x8", value="total")
    )
    found, _ = exchange(body, (4, 8), check="full")
    sums = x_of().reshape(2, 4, 4, 8).sum(1).repeat(4, 0)
    np.testing.assert_array_equal(found, sums * 16)


def sets(*texts: str) -> list[IntegerSet]:
    with ir.Context():
        return [decode_set(ir.Attribute.parse(text)) for text in texts]


def test_a_core_belongs_to_one_group() -> None:
    meeting = "affine_set<(i)[g] : (i - g >= 0, -i + g + 1 >= 0)>"
    producers, groups = sets(meeting, TWO)
    with pytest.raises(VerifyError, match="core 1 produces in groups 0 and 1"):
        Producers.of(producers, groups, 8)
    producers, consumers, groups = sets(FOURS, meeting, TWO)
    with pytest.raises(VerifyError, match="core 1 consumes in groups 0 and 1"):
        Deliveries.of(producers, consumers, None, groups, 8)


def test_sources_produce_in_the_group() -> None:
    producers, consumers, dependency, groups = sets(
        FIRSTS, FOURS, "affine_set<(p)[c, g] : (p - c == 0)>", TWO
    )
    with pytest.raises(VerifyError, match=r"core 1 depends on core 1, .* group 0; .* \[0\] \(R3\)"):
        Deliveries.of(producers, consumers, dependency, groups, 8)


def test_groups_without_end_are_those_of_the_grid() -> None:
    producers, groups = sets(FOURS, "affine_set<(g) : (g >= 0)>")
    assert Producers.of(producers, groups, 8).groups.tolist() == [0] * 4 + [1] * 4
