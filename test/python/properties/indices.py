"""Random arithmetic on indices, with the range that each result stays in."""

from __future__ import annotations

from collections.abc import Callable

from .kernel import Builder, Index, Scope


def index(builder: Builder, scope: Scope) -> None:
    """A new index in scope, computed from one or two others."""
    fitting = [i for i in scope.indices if i.low >= 0 and i.high <= 8]
    if not fitting:
        return
    a, b = builder.pick(fitting), builder.pick(fitting)
    number = builder.number(1, 3)
    made = {
        "add": (f"arith.addi {a.name}, {b.name} : index", a.low + b.low, a.high + b.high),
        "index add": (f"index.add {a.name}, {b.name}", a.low + b.low, a.high + b.high),
        "greater": (f"arith.maxsi {a.name}, {b.name} : index", *_both(a, b, max)),
        "index less": (f"index.mins {a.name}, {b.name}", *_both(a, b, min)),
        "unsigned less": (f"arith.minui {a.name}, {b.name} : index", *_both(a, b, min)),
        "affine": (
            f"affine.apply affine_map<(d0) -> (d0 * {number} + 1)>({a.name})",
            a.low * number + 1,
            a.high * number + 1,
        ),
        "affine quotient": (
            f"affine.apply affine_map<(d0)[s0] -> ((d0 + s0) floordiv {number + 1})>"
            f"({a.name})[{b.name}]",
            (a.low + b.low) // (number + 1),
            (a.high + b.high) // (number + 1),
        ),
        "affine least": (
            f"affine.min affine_map<(d0) -> (d0, {number})>({a.name})",
            min(a.low, number),
            min(a.high, number),
        ),
        "affine greatest": (
            f"affine.max affine_map<(d0) -> (d0, {number})>({a.name})",
            max(a.low, number),
            max(a.high, number),
        ),
    }
    text, low, high = made[builder.pick(sorted(made))]
    scope.indices.append(Index(builder.define(text, "k"), low, high))


def _both(a: Index, b: Index, choose: Callable[[int, int], int]) -> tuple[int, int]:
    return choose(a.low, b.low), choose(a.high, b.high)
