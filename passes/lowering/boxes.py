"""Integer sets as boxes: an interval a dimension, whose ends may depend on the set's symbols.

Owns the bounds that follow from each constraint on one dimension, and says which constraints are
left: those that relate dimensions or are not linear.
"""

from __future__ import annotations

import dataclasses

from ktir.mlir import ir
from ktir.passes.lowering.affine import add, constant, constant_value, dims_of, scale, terms
from ktir.passes.lowering.sets import Constraint, IntegerSet


@dataclasses.dataclass(frozen=True)
class Interval:
    """The bounds of one dimension, both included: expressions of the set's symbols.

    The greatest of `lower` and the least of `upper` count; an empty tuple means no bound.
    """

    lower: tuple[ir.AffineExpr, ...]
    upper: tuple[ir.AffineExpr, ...]


@dataclasses.dataclass(frozen=True)
class Box:
    """A box, and the constraints of its set that it does not express."""

    intervals: tuple[Interval, ...]
    rest: tuple[Constraint, ...]


def box_of(set_: IntegerSet) -> Box:
    """The box around a set that its constraints on single dimensions make."""
    lower: list[list[ir.AffineExpr]] = [[] for _ in range(set_.rank)]
    upper: list[list[ir.AffineExpr]] = [[] for _ in range(set_.rank)]
    rest = tuple(c for c in set_.constraints if not _bound(c, lower, upper))
    intervals = [Interval(tuple(low), tuple(high)) for low, high in zip(lower, upper, strict=True)]
    return Box(tuple(intervals), rest)


def _bound(
    constraint: Constraint, lower: list[list[ir.AffineExpr]], upper: list[list[ir.AffineExpr]]
) -> bool:
    """Adds what a constraint says of its dimension; False if it is no bound of one dimension."""
    expr = constraint.expr
    dims = dims_of(expr)
    if not dims:
        value = constant_value(expr)
        return value is not None and (value == 0 if constraint.equal else value >= 0)
    if len(dims) > 1:
        return False
    (dim,) = dims
    form = _linear(expr)
    if form is None:
        return False
    factor, rest = form
    opposite = scale(rest, -1) if factor > 0 else rest
    low = high = None
    if constraint.equal or factor > 0:
        low = _quotient(opposite, abs(factor), round_up=True)
    if constraint.equal or factor < 0:
        high = _quotient(opposite, abs(factor), round_up=False)
    if (low is None and (constraint.equal or factor > 0)) or (
        high is None and (constraint.equal or factor < 0)
    ):
        return False
    lower[dim] += [] if low is None else [low]
    upper[dim] += [] if high is None else [high]
    return True


def _linear(expr: ir.AffineExpr) -> tuple[int, ir.AffineExpr] | None:
    """The factor of the one dimension in `expr`, and what else is added; None if not linear."""
    factor, rest = 0, constant(0)
    for term in terms(expr):
        if not dims_of(term):
            rest = add(rest, term)
        elif isinstance(term, ir.AffineDimExpr):
            factor += 1
        elif isinstance(term, ir.AffineMulExpr) and isinstance(term.lhs, ir.AffineDimExpr):
            value = constant_value(term.rhs)
            if value is None:
                return None
            factor += value
        else:
            return None
    return (factor, rest) if factor else None


def _quotient(bound: ir.AffineExpr, divisor: int, *, round_up: bool) -> ir.AffineExpr | None:
    """`bound / divisor`, rounded into the interval that it bounds."""
    if divisor == 1:
        return bound
    if round_up:
        return ir.AffineExpr.get_ceil_div(bound, constant(divisor)).maybe_downcast()
    return ir.AffineExpr.get_floor_div(bound, constant(divisor)).maybe_downcast()
