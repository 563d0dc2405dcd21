"""Integer sets that are boxes: an interval a dimension.

Owns the reading of `affine_set` attributes. The transfers of `sdf` move boxes only, so any other
set ends here, with the reason.
"""

from __future__ import annotations

import dataclasses
import re

from ktir.mlir import ir
from ktir.passes.lowering.affine import add, constant, constant_value, dims_of, scale, terms

_SET = re.compile(r"affine_set<\((.*?)\)(?:\[(.*?)\])? : \((.*)\)>")
_RELATION = re.compile(r" (>=|==) 0(?:, |$)")


class NotABoxError(Exception):
    """A set is not a box; the text says which constraint is in the way."""


@dataclasses.dataclass(frozen=True)
class Interval:
    """The bounds of one dimension, both included: expressions of the set's symbols.

    The greatest of `lower` and the least of `upper` count; an empty tuple means no bound.
    """

    lower: tuple[ir.AffineExpr, ...]
    upper: tuple[ir.AffineExpr, ...]

    def constant_lower(self) -> int | None:
        """The lower bound if there is one and it is a constant."""
        values = [constant_value(bound) for bound in self.lower]
        known = [value for value in values if value is not None]
        return max(known) if known and len(known) == len(values) else None


def box_of(integer_set: ir.Attribute) -> list[Interval]:
    """The intervals of an `affine_set` attribute, one a dimension.

    Raises NotABoxError. The bindings of MLIR 22 do not give out the set inside the attribute, so
    its constraints are read from its printed form, as the results of a map.
    """
    match = _SET.fullmatch(str(integer_set))
    if match is None:
        raise NotABoxError("it is not in the form that MLIR prints")
    dims, symbols, constraints = match.groups()
    relations = _RELATION.findall(constraints)
    results = ", ".join(_RELATION.split(constraints)[:-1:2])
    source = f"affine_map<({dims})[{symbols or ''}] -> ({results})>"
    map_ = ir.AffineMapAttr(ir.Attribute.parse(source, integer_set.context)).value
    lower: list[list[ir.AffineExpr]] = [[] for _ in range(map_.n_dims)]
    upper: list[list[ir.AffineExpr]] = [[] for _ in range(map_.n_dims)]
    for expr, relation in zip(map_.results, relations, strict=True):
        _bound(expr, relation, lower, upper)
    return [Interval(tuple(low), tuple(high)) for low, high in zip(lower, upper, strict=True)]


def _bound(
    expr: ir.AffineExpr,
    relation: str,
    lower: list[list[ir.AffineExpr]],
    upper: list[list[ir.AffineExpr]],
) -> None:
    """Adds what the constraint `expr >= 0` or `expr == 0` says of its dimension."""
    dims = dims_of(expr)
    if not dims:
        _require_true(expr, relation)
        return
    if len(dims) > 1:
        names = " and ".join(f"d{dim}" for dim in sorted(dims))
        raise NotABoxError(f"the constraint {expr} {relation} 0 relates {names}")
    (dim,) = dims
    factor, rest = _linear(expr, dim)
    if relation == "==" or factor > 0:
        lower[dim].append(
            _quotient(scale(rest, -1) if factor > 0 else rest, abs(factor), True, expr)
        )
    if relation == "==" or factor < 0:
        upper[dim].append(
            _quotient(scale(rest, -1) if factor > 0 else rest, abs(factor), False, expr)
        )


def _require_true(expr: ir.AffineExpr, relation: str) -> None:
    value = constant_value(expr)
    if value is None or (value < 0 if relation == ">=" else value != 0):
        raise NotABoxError(f"the constraint {expr} {relation} 0 bounds no dimension")


def _linear(expr: ir.AffineExpr, dim: int) -> tuple[int, ir.AffineExpr]:
    """The factor of `dim` in `expr`, and what else is added."""
    factor, rest = 0, constant(0)
    for term in terms(expr):
        if not dims_of(term):
            rest = add(rest, term)
        elif isinstance(term, ir.AffineDimExpr):
            factor += 1
        elif isinstance(term, ir.AffineMulExpr) and isinstance(term.lhs, ir.AffineDimExpr):
            factor += constant_value(term.rhs) or 0
        else:
            raise NotABoxError(f"{expr} is not linear in d{dim}")
    if factor == 0:
        raise NotABoxError(f"{expr} does not bound d{dim}")
    return factor, rest


def _quotient(
    bound: ir.AffineExpr, divisor: int, round_up: bool, expr: ir.AffineExpr
) -> ir.AffineExpr:
    """`bound / divisor`, rounded into the interval that it bounds."""
    if divisor == 1:
        return bound
    value = constant_value(bound)
    if value is None:
        raise NotABoxError(f"{expr} multiplies a dimension that a symbol bounds")
    return constant(-(-value // divisor) if round_up else value // divisor)
