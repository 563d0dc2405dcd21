"""Check "full": where views, arrays and parts may lie, how far a core reaches, and many cores."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from checked_text import ID, LEVELS, NUMBERS, both, numbers, parts, row, scratchpad
from kernel_text import run
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.errors import BoundsError, KtirError, MachineError
from ktir.target import load_target

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
