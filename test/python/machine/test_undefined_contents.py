"""Check "full": what a kernel leaves must not depend on contents that nobody defined."""

from __future__ import annotations

import numpy as np
import pytest
from checked_text import both, exchange, numbers, sums
from ktdp_text import store


def test_results_on_cores_that_receive_nothing() -> None:
    args = [numbers(16), numbers(16)]
    keep = store("twice", "out", "8")
    both(exchange(f"scf.if %is_first {{\n{keep}}}\n"), args, None)
    chosen = "%v = arith.select %is_first, %twice, %d : tensor<8xf16>\n"
    both(exchange(chosen + store("v", "out", "8")), args, None)
    pattern = (
        r"core 1 writes .* at coordinates \[8\], .* a value that depends on "
        r"(what 'ktdp.inter_tile_reduce' at .* does not receive|bytes .* of a scratchpad), which no"
    )
    both(exchange(keep), args, pattern)
    # What a branch depends on is seen in what it does.
    element = "%e = tensor.extract %twice[%c0] : tensor<8xf16>\n%low = arith.constant 4.0e4 : f16\n"
    test = "%is_small = arith.cmpf olt, %e, %low : f16\n"
    branch = element + test + "scf.if %is_small {\n" + store("d", "out", "8") + "}\n"
    changed = [args[0], np.zeros(16, np.float16)]
    both(exchange(branch), changed, r"depends on (what 'ktdp.inter_tile_reduce'|bytes)")


def insert(rows: int) -> str:
    """The first rows of %e replaced."""
    return (
        f"%part = tensor.extract_slice %d[0, 0] [{rows}, 2] [1, 1] : tensor<2x2xf16> to "
        f"tensor<{rows}x2xf16>\n%o = tensor.insert_slice %part into %e[0, 0] [{rows}, 2] [1, 1] : "
        f"tensor<{rows}x2xf16> into tensor<2x2xf16>\n"
    )


@pytest.mark.parametrize(
    ("start", "row"),
    [
        ("%o = linalg.fill ins(%z : f16) outs(%e : tensor<2x2xf16>) -> tensor<2x2xf16>\n", None),
        ("%o = tensor.insert %z into %e[%c0, %c1] : tensor<2x2xf16>\n", 0),
        ("%o = tensor.cast %e : tensor<2x2xf16> to tensor<2x2xf16>\n", 0),
        (insert(1), 1),
        (insert(2), None),
    ],
    ids=["filled", "one element", "nothing", "half", "all"],
)
def test_tensors_that_nobody_filled(start: str, row: int | None) -> None:
    args = [numbers(2, 2), numbers(2, 2)]
    fault = rf"writes .* at coordinates \[{row}, 0\], .* depends on what 'tensor.empty' at .*, whi"
    both(sums(start), args, None if row is None else fault)


def test_fills_that_repeat_what_is_not_read() -> None:
    """A map and a body that ignores its output write over whatever was there."""
    maps = "[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>]"
    generic = (
        f'%o = linalg.generic {{indexing_maps = {maps}, iterator_types = ["parallel", '
        '"parallel"]} ins(%d : tensor<2x2xf16>) outs(%e : tensor<2x2xf16>) {\n'
        "^bb0(%p: f16, %q: f16):\nlinalg.yield %p : f16\n} -> tensor<2x2xf16>\n"
    )
    both(sums(generic), [numbers(2, 2), numbers(2, 2)], None)
    reads = generic.replace("linalg.yield %p", "%t = arith.addf %p, %q : f16\nlinalg.yield %t")
    both(sums(reads), [numbers(2, 2), numbers(2, 2)], r"depends on what 'tensor.empty' at")
