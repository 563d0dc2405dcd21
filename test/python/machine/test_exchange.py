"""Tiles that travel from core to core: the inter-tile family against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from kernel_text import run
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.errors import MachineError, VerifyError
from ktir.machine.access import IntegerSet, decode_set
from ktir.machine.exchange import Deliveries, Producers
from ktir.machine.kernel import Result
from ktir.mlir import ir

CORES = 8
FOURS = "affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>"
STRIDED = "affine_set<(i)[g] : ((i - g) mod 2 == 0)>"
FIRSTS = "affine_set<(i)[g] : (i - 4 * g == 0)>"
LASTS = "affine_set<(i)[g] : (i - 4 * g - 2 >= 0, -i + 4 * g + 3 >= 0)>"
TWO = "affine_set<(g) : (g >= 0, -g + 1 >= 0)>"
TILE = "tensor<4x8xf32>"

Array = npt.NDArray[Any]


def start(cores: int = CORES) -> str:
    """%d: rows 4 id .. 4 id + 3 of the input."""
    whole = f"{4 * cores}x8xf32"
    return (
        "%id = ktdp.get_compute_tile_id : index\n%c1 = arith.constant 1 : index\n"
        "%c4 = arith.constant 4 : index\n%row = arith.muli %id, %c4 : index\n"
        + view("in", "%x", f"{4 * cores}, 8", "8, 1", box(4 * cores, 8), whole)
        + tile("from", "%in[%row, %c0]", whole, box(4, 8), identity(2), "4x8")
        + load("d", "from", "4x8", "f32")
    )


def finish(shape: str, cores: int = CORES, value: str = "r") -> str:
    """Writes %r of each core to its place in the output [cores, *shape]."""
    sizes = [int(size) for size in shape.split("x")]
    strides = [int(np.prod(sizes[i:])) for i in range(len(sizes) + 1)]
    place = "%id, " + ", ".join(["%c0"] * len(sizes))
    whole = f"{cores}x{shape}xf32"
    return (
        f"%w = tensor.expand_shape %{value} [[0, 1], [2]] output_shape [1, "
        f"{', '.join(map(str, sizes))}] : tensor<{shape}xf32> into tensor<1x{shape}xf32>\n"
        + view(
            "out",
            "%y",
            ", ".join(map(str, [cores, *sizes])),
            ", ".join(map(str, strides)),
            box(cores, *sizes),
            whole,
        )
        + tile(
            "to", f"%out[{place}]", whole, box(1, *sizes), identity(len(sizes) + 1), f"1x{shape}"
        )
        + store("w", "to", f"1x{shape}", "f32")
    )


def produce(who: str = FOURS, groups: str = TWO, value: str = "%d") -> str:
    return (
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {who} -> <({TILE}), "
        f"groups = {groups}> {{\n^bb0(%gid: index):\n  ktdp.yield_partial {value} : {TILE}\n}}\n"
    )


def deliver(
    op: str, who: str, clauses: str, shape: str, groups: str = TWO, region: str = ""
) -> str:
    return (
        f"%r = ktdp.inter_tile_{op}(%f) consumer_tiles_per_group = {who}{clauses} : <({TILE}), "
        f"groups = {groups}> -> tensor<{shape}xf32>{region}\n"
    )


SUM = (
    " {\n^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):\n"
    "  %s = arith.addf %a, %b : tensor<4x8xf32>\n  ktdp.yield_reduced %s : tensor<4x8xf32>\n}"
)
ZERO = "%zero = arith.constant dense<0.0> : tensor<4x8xf32>\n"


def x_of(cores: int = CORES) -> Array:
    return np.random.default_rng(0).integers(-50, 50, (cores, 4, 8)).astype(np.float32)


def exchange(
    body: str, shape: tuple[int, ...], cores: int = CORES, **options: Any
) -> tuple[Array, Result]:
    text = kernel(body, grid=f"[{cores}]")
    result = run(text, args=[x_of(cores), np.zeros((cores, *shape), np.float32)], **options)
    return result.arrays["y"], result


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


def loops_out_of_step(trips: str) -> str:
    """Cores 0 and 1 exchange tiles in iterations that differ: core 0 in the first two of four, core
    1 in the last two. %acc counts up, so that each publication differs."""
    both = "affine_set<(i)[g] : (i >= 0, -i + 1 >= 0, g == 0)>"
    one = "affine_set<(g) : (g == 0)>"
    other = ", producer_dependency_per_consumer = affine_set<(p)[c] : (p + c - 1 == 0)>"
    return (
        start(2)
        + "%c2 = arith.constant 2 : index\n%one = arith.constant dense<1.0> : tensor<4x8xf32>\n"
        + f"%low = arith.muli %id, %c2 : index\n%high = arith.addi %low, {trips} : index\n"
        + f"%r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %d) -> ({TILE}) {{\n"
        + "  %begun = arith.cmpi sge, %i, %low : index\n"
        + "  %left = arith.cmpi slt, %i, %high : index\n"
        + "  %mine = arith.andi %begun, %left : i1\n"
        + f"  %next = scf.if %mine -> ({TILE}) {{\n"
        + produce(both, one, value="%acc")
        + deliver("consume", both, other, "4x8", one).replace("%r", "%got")
        + f"    %more = arith.addf %got, %one : {TILE}\n    scf.yield %more : {TILE}\n"
        + f"  }} else {{\n    scf.yield %acc : {TILE}\n  }}\n  scf.yield %next : {TILE}\n}}\n"
        + finish("4x8", 2)
    )


@pytest.mark.parametrize("check", ["bounds", "full"])
def test_the_nth_delivery_takes_the_nth_publication(check: str) -> None:
    found, _ = exchange(loops_out_of_step("%c2"), (4, 8), 2, check=check)
    # Two exchanges of both cores, whichever iterations they are in.
    np.testing.assert_array_equal(found, x_of(2) + 2)


def test_deadlock_where_trip_counts_differ() -> None:
    fewer = loops_out_of_step("%trips").replace(
        "%low =", "%trips = arith.subi %c2, %id : index\n%low ="
    )
    with pytest.raises(
        MachineError,
        match=r"'ktdp.inter_tile_consume' at .*deadlock: core 0 in .* for core 1 to publish wait; "
        r"core 1 ended; every source",
    ):
        exchange(fewer, (4, 8), 2)


def test_deadlock_where_a_source_takes_another_way() -> None:
    body = (
        start()
        + "%first = arith.cmpi ult, %id, %c4 : index\n"
        + f"%r = scf.if %first -> ({TILE}) {{\n"
        + produce("affine_set<(i)[g] : (i - 4 == 0)>")
        .replace(TWO, "affine_set<(g) : (g == 0)>")
        .replace("%f =", "%f0 =")
        + deliver("consume", "affine_set<(i)[g] : (i >= 0, -i + 7 >= 0)>", "", "4x8")
        .replace(TWO, "affine_set<(g) : (g == 0)>")
        .replace("(%f)", "(%f0)")
        .replace("%r", "%got")
        + f"scf.yield %got : {TILE}\n}} else {{\nscf.yield %d : {TILE}\n}}\n"
        + finish("4x8")
    )
    with pytest.raises(MachineError, match=r"deadlock: cores 0, 1, 2, 3 in .* for core 4 .* wait"):
        exchange(body, (4, 8))


def test_memory_is_as_before_when_a_launch_begins_again() -> None:
    # Every exchange is followed by x += 1 in memory, which must not happen twice.
    body = loops_out_of_step("%c2")
    add = (
        "  %e0 = ktdp.load %from : !ktdp.access_tile<4x8xindex> -> tensor<4x8xf32>\n"
        f"  %e1 = arith.addf %e0, %one : {TILE}\n" + store("e1", "from", "4x8", "f32")
    )
    at = body.index("  %begun")
    text = kernel(body[:at] + add + body[at:], grid="[2]")
    result = run(text, args=[x_of(2), np.zeros((2, 4, 8), np.float32)]).arrays
    np.testing.assert_array_equal(result["x"], x_of(2) + 4)
    np.testing.assert_array_equal(result["y"], x_of(2) + 2)


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


def test_delivery_orders_accesses_of_memory() -> None:
    """Core 0 writes row 0 of memory and publishes; core 1 takes delivery and reads the row."""
    clauses = ", producer_dependency_per_consumer = affine_set<(p)[c] : (p == 0)>"
    both = "affine_set<(i)[g] : (i >= 0, -i + 1 >= 0, g == 0)>"
    first = "affine_set<(i)[g] : (i == 0)>"
    one = "affine_set<(g) : (g == 0)>"
    shared = "8x8xf32"
    publish = produce(first, one) + deliver("consume", both, clauses, "4x8", one)
    write = (
        "%zeroth = arith.cmpi eq, %id, %c0 : index\nscf.if %zeroth {\n"
        + store("d", "there", "4x8", "f32")
        + "}\n"
    )
    read = "%back = ktdp.load %there : !ktdp.access_tile<4x8xindex> -> tensor<4x8xf32>\n"
    head = (
        start(2)
        + view("mem", "%z", "8, 8", "8, 1", box(8, 8), shared)
        + tile("there", "%mem[%c0, %c0]", shared, box(4, 8), identity(2), "4x8")
    )
    for order, legal in ((write + publish + read, True), (publish + write + read, False)):
        text = kernel(
            head + order + finish("4x8", 2, "back"),
            arguments="%x: index, %y: index, %z: index",
            grid="[2]",
        )
        args = [x_of(2), np.zeros((2, 4, 8), np.float32), np.zeros((8, 8), np.float32)]
        if legal:
            found = run(text, args=args, check="full").arrays["y"]
            np.testing.assert_array_equal(found, x_of(2)[[0, 0]])
        else:
            with pytest.raises(MachineError, match=r"core 1 reads .*, which core 0 writes"):
                run(text, args=args, check="full")
