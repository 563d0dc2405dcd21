"""Ranges of results hold every result: all pairs of small operands are tried."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from ktir.intervals import RULES, of_op

EXACT: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "rem": lambda a, b: a % b,
    "min": min,
    "max": max,
}

ENDS = [ends for ends in itertools.product(range(-4, 6), repeat=2) if ends[0] <= ends[1]]


@pytest.mark.parametrize("name", RULES)
def test_a_range_holds_all_results(name: str) -> None:
    """And its ends occur, but for remainders, whose range may be too wide."""
    divides = name in ("floordiv", "ceildiv", "rem")
    for a, b in itertools.product(ENDS, repeat=2):
        found = RULES[name](a, b)
        if divides and b[0] <= 0:
            assert found is None
            continue
        assert found is not None
        pairs = itertools.product(range(a[0], a[1] + 1), range(b[0], b[1] + 1))
        results = [EXACT[name](x, y) for x, y in pairs]
        assert found[0] <= min(results)
        assert max(results) <= found[1]
        if name != "rem":
            assert found == (min(results), max(results))


@pytest.mark.parametrize(
    ("op", "operands", "expected"),
    [
        ("arith.divsi", [(-3, 8), (2, 2)], None),
        ("arith.divsi", [(0, 8), (2, 2)], (0, 4)),
        ("arith.floordivsi", [(-3, 8), (2, 2)], (-2, 4)),
        ("arith.minui", [(-1, 8), (2, 2)], None),
        ("arith.index_cast", [(-1, 8)], (-1, 8)),
        ("arith.extui", [(-1, 8)], None),
        ("arith.trunci", [(0, 8)], None),
        ("arith.xori", [(0, 8), (1, 1)], None),
    ],
)
def test_ops_that_depend_on_signs(
    op: str, operands: list[tuple[int, int]], expected: tuple[int, int] | None
) -> None:
    assert of_op(op, *operands) == expected
