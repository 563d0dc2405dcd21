"""Arithmetic of ranges: where the result of an index op lies, given where its operands lie.

Owns the rules, by what an op computes, and which ops of `arith` compute it. Who knows the range of
a value, and of what, is for those who ask.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

Range = tuple[int, int]
"""The least and the greatest value."""

Rule = Callable[..., Range | None]
"""The range of a result for those of the operands; None if there is no bound."""


def _add(a: Range, b: Range) -> Range:
    return a[0] + b[0], a[1] + b[1]


def _sub(a: Range, b: Range) -> Range:
    return a[0] - b[1], a[1] - b[0]


def _mul(a: Range, b: Range) -> Range:
    products = [x * y for x in a for y in b]
    return min(products), max(products)


def _floordiv(a: Range, b: Range) -> Range | None:
    if b[0] <= 0:
        return None
    # Monotone in each operand, so that the ends come from ends.
    quotients = [x // y for x in a for y in b]
    return min(quotients), max(quotients)


def _ceildiv(a: Range, b: Range) -> Range | None:
    opposite = _floordiv((-a[1], -a[0]), b)
    return None if opposite is None else (-opposite[1], -opposite[0])


def _rem(a: Range, b: Range) -> Range | None:
    """The remainder of the division that rounds to minus infinity."""
    if b[0] <= 0:
        return None
    if b[0] == b[1] and a[0] // b[0] == a[1] // b[0]:
        return a[0] % b[0], a[1] % b[0]
    return 0, min(a[1], b[1] - 1) if a[0] >= 0 else b[1] - 1


def _min(a: Range, b: Range) -> Range:
    return min(a[0], b[0]), min(a[1], b[1])


def _max(a: Range, b: Range) -> Range:
    return max(a[0], b[0]), max(a[1], b[1])


RULES: Mapping[str, Rule] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "floordiv": _floordiv,
    "ceildiv": _ceildiv,
    "rem": _rem,
    "min": _min,
    "max": _max,
}
"""Rules by what is computed; quotients round to minus or plus infinity, for any sign."""

ARITH: Mapping[str, str] = {
    "arith.addi": "add",
    "arith.subi": "sub",
    "arith.muli": "mul",
    "arith.floordivsi": "floordiv",
    "arith.divsi": "floordiv",
    "arith.divui": "floordiv",
    "arith.ceildivsi": "ceildiv",
    "arith.ceildivui": "ceildiv",
    "arith.remsi": "rem",
    "arith.remui": "rem",
    "arith.minsi": "min",
    "arith.minui": "min",
    "arith.maxsi": "max",
    "arith.maxui": "max",
}
"""What ops compute of operands from 0 on; for others see `FOR_NATURALS`."""

FOR_NATURALS = frozenset(
    f"arith.{name}" for name in ("divsi", "divui", "ceildivui", "remsi", "remui", "minui", "maxui")
)
"""Ops that round to zero or are unsigned: `ARITH` holds only where no operand is negative."""

CASTS = frozenset(
    f"arith.{name}" for name in ("index_cast", "index_castui", "extsi", "extui", "trunci")
)
"""Ops of one operand that keep a value which is not negative and fits the result."""


def of_op(name: str, *operands: Range) -> Range | None:
    """The range of the result of an op of `arith` on integers that do not overflow; None if nothing
    is known."""
    natural = all(low >= 0 for low, _ in operands)
    if name in ("arith.index_cast", "arith.extsi") or (name == "arith.extui" and natural):
        return operands[0]
    if name not in ARITH or (name in FOR_NATURALS and not natural):
        return None
    return RULES[ARITH[name]](*operands)
