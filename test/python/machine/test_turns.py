"""Exchanges of cores that do not run in step, deadlocks, and the order that deliveries give."""

from __future__ import annotations

import numpy as np
import pytest
from exchange_text import (
    TILE,
    TWO,
    deliver,
    exchange,
    finish,
    produce,
    start,
    x_of,
)
from kernel_text import run
from ktdp_text import box, identity, kernel, store, tile, view

from ktir.errors import MachineError


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
