"""Tiles that live at a time, against the scratchpad of a core."""

from __future__ import annotations

import re
from typing import Any

import pytest
from kernel_text import run

from ktir.errors import MachineError

CAPACITY = 2 << 20
QUARTER = 262144  # f16 elements of a quarter of a scratchpad


def text(body: str, elements: int = QUARTER, arguments: str = "%n: index, %f: f16") -> str:
    tile = f"tensor<{elements}xf16>"
    source = (
        f"func.func @k({arguments}) {{\n%c0 = arith.constant 0 : index\n"
        "%c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : index\n"
        f"{body}return\n}}"
    )
    return re.sub(r"\bT\b", tile, source)


def fits(body: str, elements: int = QUARTER, n: int = 1, **options: Any) -> None:
    run(text(body, elements), args=[n, 1.0], check="full", **options)


def needs(body: str, total: int, op: str, known: bool = True, n: int = 1) -> None:
    """The op that does not fit, and the bytes it needs; `known` from the types."""
    for check in ("bounds", "full") if known else ("full",):
        pattern = f"'{op}' .*: {total} bytes live, {CAPACITY} bytes there"
        with pytest.raises(MachineError, match=pattern):
            run(text(body), args=[n, 1.0], check=check)
    run(text(body), args=[n, 1.0], check="off" if known else "bounds")


def splats(*names: str) -> str:
    return "".join(f"%{name} = tensor.splat %f : T\n" for name in names)


def use(*names: str) -> str:
    return "".join(f"%u{name} = tensor.extract %{name}[%c0] : T\n" for name in names)


def test_four_quarters_fit_and_five_do_not() -> None:
    fits(splats("a", "b", "c", "d") + use("a", "b", "c", "d"))
    five = splats("a", "b", "c", "d", "e") + use("a", "b", "c", "d", "e")
    needs(five, 5 * CAPACITY // 4, "tensor.splat")


def test_what_is_used_no_more_makes_room() -> None:
    fits(splats("a", "b", "c") + use("a", "b", "c") + splats("d", "e", "g", "h") + use("d", "h"))


def test_results_take_the_place_of_operands() -> None:
    sums = "%s = arith.addf %a, %b : T\n%t = math.exp %s : T\n"
    fits(splats("a", "b", "c", "d") + sums + use("c", "d", "t"))
    kept = sums + use("a", "b", "c", "d", "t")
    needs(splats("a", "b", "c", "d") + kept, 5 * CAPACITY // 4, "arith.addf")


def test_reshapes_are_the_same_tile() -> None:
    half = f"tensor<2x{QUARTER // 2}xf16>"
    body = splats("a", "b", "c", "d") + (
        f"%w = tensor.expand_shape %a [[0, 1]] output_shape [2, {QUARTER // 2}] : T into {half}\n"
        f"%v = tensor.collapse_shape %w [[0, 1]] : {half} into T\n"
    )
    fits(body + use("b", "c", "d", "v"))
    late = body + "%s = arith.addf %b, %c : T\n" + use("a", "b", "c", "d", "v", "s")
    needs(late, 5 * CAPACITY // 4, "arith.addf")


def test_slices_are_tiles_of_their_own() -> None:
    half = f"tensor<{QUARTER // 2}xf16>"
    cut = f"%h = tensor.extract_slice %a[0] [{QUARTER // 2}] [1] : T to {half}\n"
    read = f"%uh = tensor.extract %h[%c0] : {half}\n"
    fits(splats("a", "b", "c") + cut + read + use("a", "b", "c"))
    four = splats("a", "b", "c", "d") + cut + read + use("a", "b", "c", "d")
    needs(four, 9 * CAPACITY // 8, "tensor.extract_slice")


def test_outputs_are_computed_in_place() -> None:
    fill = "%o = tensor.empty() : T\n%a = linalg.fill ins(%f : f16) outs(%o : T) -> T\n"
    add = "%s = linalg.add ins(%b, %c : T, T) outs(%a : T) -> T\n"
    fits(fill + splats("b", "c", "d") + add + use("b", "c", "d", "s"))
    needs(
        fill + splats("b", "c", "d") + add + use("a", "b", "c", "d", "s"),
        5 * CAPACITY // 4,
        "linalg.add",
    )


LOOP = "%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a) -> (T) {\n"


def test_what_a_loop_carries_counts_once() -> None:
    step = LOOP + "%y = arith.addf %x, %b : T\nscf.yield %y : T\n}\n"
    fits(splats("a", "b", "c", "d") + step + use("b", "c", "d", "r"))
    # The initial value is needed afterwards, so that it and what the loop carries are two.
    needs(
        splats("a", "b", "c", "d") + step + use("a", "b", "c", "d", "r"),
        5 * CAPACITY // 4,
        "arith.addf",
    )


def test_what_lives_around_a_loop_counts_inside() -> None:
    inside = LOOP + splats("y") + "%z = arith.addf %x, %y : T\nscf.yield %z : T\n}\n"
    fits(splats("a", "b", "c") + inside + use("b", "c", "r"))
    needs(
        splats("a", "b", "c", "d") + inside + use("b", "c", "d", "r"),
        5 * CAPACITY // 4,
        "tensor.splat",
    )


def test_branches_count_one_at_a_time() -> None:
    arm = splats("p", "q") + use("p", "q")
    body = (
        splats("a", "b")
        + "%t = arith.cmpi eq, %c0, %n : index\nscf.if %t {\n"
        + arm
        + "} else {\n"
        + arm
        + "}\n"
        + use("a", "b")
    )
    fits(body)
    needs(splats("c") + body + use("c"), 5 * CAPACITY // 4, "tensor.splat")


def test_sizes_of_a_launch() -> None:
    body = "%s = tensor.splat %f[%n] : tensor<?xf16>\n%u = tensor.extract %s[%c0] : tensor<?xf16>\n"
    fits(body, n=CAPACITY // 2)
    needs(body, CAPACITY + 2, "tensor.splat", known=False, n=CAPACITY // 2 + 1)


def test_a_product_is_not_in_place() -> None:
    size = 512
    square = f"tensor<{size}x{size}xf16>"
    body = f"%a = tensor.splat %f : {square}\n%b = tensor.splat %f : {square}\n" + (
        f"%o = tensor.empty() : {square}\n%z = linalg.fill ins(%f : f16) outs(%o : {square}) -> "
        f"{square}\n%m = linalg.matmul ins(%a, %b : {square}, {square}) outs(%z : {square}) -> "
        f"{square}\n%u = tensor.extract %m[%c0, %c0] : {square}\n"
    )
    fits(body)
    more = splats("p", "q") + body + use("p", "q")
    needs(more, 5 * CAPACITY // 4, "linalg.fill")
