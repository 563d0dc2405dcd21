"""Views of scratchpads whose address or size only the launch knows: both levels beside numpy, and
the fault where they reach into the program's own buffers."""

from __future__ import annotations

import numpy as np
import pytest
from ktdp_text import box, identity
from sdf_kernels import half
from test_lower_memory import copy, kernel, tile, view
from test_lower_sets import assert_fault
from test_lower_to_sdf import assert_same_at_both_levels, lowered

LX = "spyre_memory_space<LX>"


def through(address: str, size: str, type_: str) -> str:
    """A kernel that copies x to y, 16 rows of 8, through a scratchpad of %n rows at %at."""
    rows = "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 7 >= 0)>"
    body = view(
        "lv", address, f"{size}, 8", "8, 1", rows if "?" in type_ else box(16, 8), type_, LX
    )
    for n in "xy":
        body += view(f"{n}v", f"%{n}", "16, 8", "8, 1", box(16, 8), "16x8")
        body += tile(f"{n}t", f"{n}v", "0, 0", box(16, 8), identity(2), "16x8", "16x8")
    body += tile("lt", "lv", "0, 0", box(16, 8), identity(2), type_, "16x8")
    body += copy("xt", "lt", "16x8") + copy("lt", "yt", "16x8", "e")
    return kernel(body, "%x: index, %y: index, %at: index, %n: index", "[2]")


@pytest.mark.parametrize("at", [0, 64, 4096, 1 << 19])
def test_an_address_that_is_an_argument(at: int) -> None:
    text = through("%at", "16", "16x8")
    left = assert_same_at_both_levels(
        text, {"x": half(16, 8), "y": half(16, 8) + 1, "at": at, "n": 16}
    )
    assert np.array_equal(np.asarray(left["y"]), half(16, 8).numpy())


@pytest.mark.parametrize("rows", [5, 16, 4000])
def test_a_size_that_is_an_argument(rows: int) -> None:
    text = through("%c2", "%n", "?x8").replace("%c2,", "%c64,", 1)
    text = text.replace("%c2 = ", "%c64 = arith.constant 64 : index\n%c2 = ", 1)
    left = assert_same_at_both_levels(
        text, {"x": half(16, 8), "y": half(16, 8) + 1, "at": 0, "n": rows}
    )
    expected = half(16, 8).numpy().copy()
    expected[rows:] = 0
    assert np.array_equal(np.asarray(left["y"]), expected)


def test_a_view_that_reaches_into_the_buffers() -> None:
    """A scratchpad has 1048576 elements of f16; the last ones are buffers of the program."""
    text = through("%at", "16", "16x8")
    end = 1 << 20
    for at in (end - 64, end - 128):
        arguments = {"x": half(16, 8), "y": half(16, 8), "at": at, "n": 16}
        assert_fault(text, arguments, "own buffers|scratchpad", "sdf")
    # What views of known addresses take is kept free all the same.
    body = view("kv", "%c2", "64", "1", box(64), "64", LX).replace("%c2,", "%end,")
    known = f"%end = arith.constant {end - 64} : index\n" + body
    program = lowered(
        text.replace("%c0 = ", known + "%c0 = ", 1).replace(
            "return\n",
            (
                tile("kt", "kv", "0", box(64), identity(1), "64", "64")
                + "%z = arith.constant dense<0.0> : tensor<64xf16>\n"
                + "ktdp.store %z, %kt : tensor<64xf16>, <64xindex>\nreturn\n"
            ),
            1,
        )
    )
    assert f"#sdf.buffer<{2 * end - 128}," not in program
