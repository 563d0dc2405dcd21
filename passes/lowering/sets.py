"""Integer sets: their constraints, and their points where these can be listed.

Owns the reading of `affine_set` attributes and the listing of the points of a set whose symbols are
known. Sets that are boxes, whose bounds may be values of the kernel, are read by `boxes`.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ktir.mlir import ir
from ktir.passes.lowering.affine import dims_of, sides, terms

_SET = re.compile(r"affine_set<\((.*?)\)(?:\[(.*?)\])? : \((.*)\)>")
_RELATION = re.compile(r" (>=|==) 0(?:, |$)")

MOST_POINTS = 1 << 26
"""Points of the bounding box of a set that are tested one by one."""

Coordinates = Sequence[Any]
"""One entry a dimension: an int, or an array of all that is asked for."""


class SetError(Exception):
    """A set cannot be read or listed; the text says why."""


@dataclasses.dataclass(frozen=True)
class Constraint:
    """`expr >= 0`, or with `equal` `expr == 0`."""

    expr: ir.AffineExpr
    equal: bool

    def __str__(self) -> str:
        return f"{self.expr} {'==' if self.equal else '>='} 0"


@dataclasses.dataclass(frozen=True)
class IntegerSet:
    """The points of `rank` dimensions that satisfy all constraints, given `symbols` values."""

    rank: int
    symbols: int
    constraints: tuple[Constraint, ...]


def read_set(attribute: ir.Attribute) -> IntegerSet:
    """The set of an `affine_set` attribute.

    The bindings of MLIR 22 do not give out the set inside the attribute, so its constraints are
    read from its printed form, as the results of a map. Raises SetError if it has another form.
    """
    match = _SET.fullmatch(str(attribute))
    if match is None:
        raise SetError("it is not in the form that MLIR prints")
    dims, symbols, constraints = match.groups()
    relations = _RELATION.findall(constraints)
    results = ", ".join(_RELATION.split(constraints)[:-1:2])
    source = f"affine_map<({dims})[{symbols or ''}] -> ({results})>"
    map_ = ir.AffineMapAttr(ir.Attribute.parse(source, attribute.context)).value
    found = [
        Constraint(expr, relation == "==")
        for expr, relation in zip(map_.results, relations, strict=True)
    ]
    return IntegerSet(map_.n_dims, map_.n_symbols, tuple(found))


def evaluate(expr: ir.AffineExpr, dims: Coordinates, symbols: Sequence[int] = ()) -> Any:
    """The value of an expression. Divisions round to minus infinity."""
    if isinstance(expr, ir.AffineConstantExpr):
        return expr.value
    if isinstance(expr, ir.AffineDimExpr):
        return dims[expr.position]
    if isinstance(expr, ir.AffineSymbolExpr):
        return symbols[expr.position]
    a, b = (evaluate(side, dims, symbols) for side in sides(expr))
    if isinstance(expr, ir.AffineAddExpr):
        return a + b
    if isinstance(expr, ir.AffineMulExpr):
        return a * b
    if isinstance(expr, ir.AffineModExpr):
        return a % b
    return -(-a // b) if isinstance(expr, ir.AffineCeilDivExpr) else a // b


def contains(
    constraints: Sequence[Constraint], dims: Coordinates, symbols: Sequence[int] = ()
) -> Any:
    """Where all constraints hold."""
    inside: Any = True
    for constraint in constraints:
        value = evaluate(constraint.expr, dims, symbols)
        inside = inside & (value == 0 if constraint.equal else value >= 0)
    return inside


def points_of(set_: IntegerSet, symbols: Sequence[int] = ()) -> np.ndarray:
    """The points of a set in lexicographic order, [points, rank].

    Raises SetError for a set without bounds, or with too many points to test.
    """
    low, high = _bounding_box(set_, symbols)
    counts = [max(b - a + 1, 0) for a, b in zip(low, high, strict=True)]
    if math.prod(counts) > MOST_POINTS:
        raise SetError(
            f"its bounding box has {math.prod(counts)} points; at most {MOST_POINTS} are tested"
        )
    axes = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
    grid = np.meshgrid(*axes, indexing="ij", sparse=True)
    inside = np.broadcast_to(contains(set_.constraints, grid, symbols), counts)
    return np.argwhere(inside) + np.array(low, dtype=np.int64)


def growth_with(set_: IntegerSet, symbol: int) -> int:
    """1 if a set only gains points as a symbol grows, -1 if it only loses some, 0 if neither."""
    signs = {_growth(constraint, symbol) for constraint in set_.constraints} - {None}
    return signs.pop() or 0 if len(signs) == 1 else 0


def _growth(constraint: Constraint, symbol: int) -> int | None:
    """How a constraint changes with a symbol; None if it does not depend on it."""
    factor = 0
    for term in terms(constraint.expr):
        if not _mentions(term, symbol):
            continue
        inner, times_ = _times(term)
        if not isinstance(inner, ir.AffineSymbolExpr) or constraint.equal:
            return 0
        factor += times_
    if factor == 0:
        return None
    return 1 if factor > 0 else -1


def _mentions(expr: ir.AffineExpr, symbol: int) -> bool:
    if isinstance(expr, ir.AffineSymbolExpr):
        return bool(expr.position == symbol)
    return isinstance(expr, ir.AffineBinaryExpr) and any(
        _mentions(side, symbol) for side in sides(expr)
    )


def _times(term: ir.AffineExpr) -> tuple[ir.AffineExpr, int]:
    """A term as an expression times a constant."""
    if isinstance(term, ir.AffineMulExpr) and isinstance(term.rhs, ir.AffineConstantExpr):
        return term.lhs, int(term.rhs.value)
    return term, 1


def sort_points(points: np.ndarray, order: ir.AffineMap) -> np.ndarray:
    """`points`, in lexicographic order, in the lexicographic order of the results of `order`.

    Points with equal results keep their order.
    """
    columns = list(points.T)
    keys = [np.broadcast_to(evaluate(e, columns), len(points)) for e in order.results]
    return points[np.lexsort(keys[::-1])] if keys else points


def _bounding_box(set_: IntegerSet, symbols: Sequence[int]) -> tuple[list[int], list[int]]:
    """An interval a dimension that holds all points, both ends included."""
    low: list[int | None] = [None] * set_.rank
    high: list[int | None] = [None] * set_.rank
    forms = [form for c in set_.constraints for form in _linear_forms(c, set_.rank, symbols)]
    # Each round carries a bound over at least one more dimension.
    for _ in range(set_.rank + 1):
        for factors, rest in forms:
            _tighten(factors, rest, low, high)
    for dim in range(set_.rank):
        if low[dim] is None or high[dim] is None:
            raise SetError(f"it has infinitely many points: d{dim} is not bounded")
    return [bound or 0 for bound in low], [bound or 0 for bound in high]


_Form = tuple[dict[int, int], int]
"""`sum(factor * dimension) + rest >= 0`."""


def _linear_forms(constraint: Constraint, rank: int, symbols: Sequence[int]) -> list[_Form]:
    """What a constraint says as linear inequalities; nothing if it is not linear."""
    factors: dict[int, int] = {}
    rest = 0
    zeros = [0] * rank
    for term in terms(constraint.expr):
        dims = dims_of(term)
        if not dims:
            rest += evaluate(term, zeros, symbols)
            continue
        factor = _factor(term, symbols)
        if factor is None or len(dims) > 1:
            return []
        (dim,) = dims
        factors[dim] = factors.get(dim, 0) + factor
    factors = {dim: factor for dim, factor in factors.items() if factor}
    negative = {dim: -factor for dim, factor in factors.items()}
    return [(factors, rest), (negative, -rest)] if constraint.equal else [(factors, rest)]


def _factor(term: ir.AffineExpr, symbols: Sequence[int]) -> int | None:
    """What a dimension is multiplied with; None if the term is no product with a dimension."""
    if isinstance(term, ir.AffineDimExpr):
        return 1
    if not isinstance(term, ir.AffineMulExpr):
        return None
    if dims_of(term.rhs):
        return None
    inner = _factor(term.lhs, symbols)
    return None if inner is None else inner * int(evaluate(term.rhs, (), symbols))


def _tighten(
    factors: dict[int, int], rest: int, low: list[int | None], high: list[int | None]
) -> None:
    """Applies `sum(factor * dimension) + rest >= 0` to the bounds of every dimension in it."""
    for dim, factor in factors.items():
        most: int | None = rest
        for other, weight in factors.items():
            if other == dim or most is None:
                continue
            end = high[other] if weight > 0 else low[other]
            most = None if end is None else most + weight * end
        if most is None:
            continue
        if factor > 0:
            bound, current = -(most // factor), low[dim]
            low[dim] = bound if current is None else max(bound, current)
        else:
            bound, current = most // -factor, high[dim]
            high[dim] = bound if current is None else min(bound, current)
