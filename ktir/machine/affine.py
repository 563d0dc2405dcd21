"""Affine expressions and maps, decoded once into functions on ints and tensors.

Integer sets, which are made of them, are in `sets`.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ktir.errors import UnsupportedError
from ktir.mlir import ir

Linear = tuple[dict[int, int], int]
"""A linear expression: coefficients by dimension, and the constant."""


class Expression(NamedTuple):
    """An affine expression over dimensions and symbols.

    `evaluate` takes the values of all dimensions, then all symbols; ints and int64 tensors mix.
    Division and modulo round to minus infinity. `dims` are the dimensions it depends on.
    """

    evaluate: Callable[[Sequence[Any]], Any]
    dims: frozenset[int]
    linear: Callable[[Sequence[int]], Linear | None]
    """Itself, given the symbols' values; None if it is not linear in dimensions."""


_DEEPEST = 200
"""Operations that may be nested in an expression, whose evaluation recurses."""


def decode_expression(expr: Any, rank: int, depth: int = 0) -> Expression:
    """Decodes `expr`; its dimensions are numbered from 0, its symbols from `rank` on in the
    values. Raises UnsupportedError for one nested too deep; `depth` is where it stands in another.
    """
    if depth > _DEEPEST:
        raise UnsupportedError(f"an affine expression of more than {_DEEPEST} nested operations")
    if isinstance(expr, ir.AffineConstantExpr):
        value = expr.value
        return Expression(lambda _: value, frozenset(), lambda _: ({}, value))
    if isinstance(expr, ir.AffineDimExpr):
        dim = expr.position
        return Expression(operator.itemgetter(dim), frozenset({dim}), lambda _: ({dim: 1}, 0))
    if isinstance(expr, ir.AffineSymbolExpr):
        symbol = expr.position
        pick = operator.itemgetter(rank + symbol)
        return Expression(pick, frozenset(), lambda symbols: ({}, symbols[symbol]))
    if type(expr) in _BINARY:
        left = decode_expression(expr.lhs, rank, depth + 1)
        right = decode_expression(expr.rhs, rank, depth + 1)
        return _binary(left, right, *_BINARY[type(expr)])
    raise UnsupportedError(f"affine expression {expr} is of an unknown kind")


def _binary(left: Expression, right: Expression, combine: Any, linear: Any) -> Expression:
    evaluate_left, evaluate_right = left.evaluate, right.evaluate

    def as_linear(symbols: Sequence[int]) -> Linear | None:
        a, b = left.linear(symbols), right.linear(symbols)
        return None if a is None or b is None else linear(a, b)

    return Expression(
        lambda values: combine(evaluate_left(values), evaluate_right(values)),
        left.dims | right.dims,
        as_linear,
    )


def _add(a: Linear, b: Linear) -> Linear:
    coefficients = dict(a[0])
    for dim, factor in b[0].items():
        coefficients[dim] = coefficients.get(dim, 0) + factor
    return {dim: factor for dim, factor in coefficients.items() if factor}, a[1] + b[1]


def _multiply(a: Linear, b: Linear) -> Linear | None:
    if a[0] and b[0]:
        return None
    terms, factor = (a, b[1]) if a[0] else (b, a[1])
    coefficients = {dim: value * factor for dim, value in terms[0].items() if value * factor}
    return coefficients, terms[1] * factor


def _constant(combine: Callable[[int, int], int]) -> Callable[[Linear, Linear], Linear | None]:
    return lambda a, b: None if a[0] or b[0] else ({}, combine(a[1], b[1]))


def ceildiv(a: Any, b: Any) -> Any:
    """The quotient of ints or tensors, rounded to plus infinity."""
    return -(-a // b)


_BINARY: dict[Any, tuple[Any, Any]] = {
    ir.AffineAddExpr: (operator.add, _add),
    ir.AffineMulExpr: (operator.mul, _multiply),
    ir.AffineModExpr: (operator.mod, _constant(operator.mod)),
    ir.AffineFloorDivExpr: (operator.floordiv, _constant(operator.floordiv)),
    ir.AffineCeilDivExpr: (ceildiv, _constant(ceildiv)),
}


@dataclasses.dataclass(frozen=True)
class AffineMap:
    """An affine map: `rank` dimensions, then symbols, to one value a result."""

    rank: int
    results: tuple[Expression, ...]
    permutation: tuple[int, ...] | None
    """The dimension that each result is, if the results are a permutation of the dimensions."""

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """The results, given the dimensions' and then the symbols' values."""
        return [result.evaluate(values) for result in self.results]


def _position(expr: Any) -> int:
    return int(expr.position)


def decode_map(attribute: ir.Attribute) -> AffineMap:
    """Decodes an affine map attribute."""
    source = ir.AffineMapAttr(attribute).value
    rank = source.n_dims
    permutation = None
    if source.is_permutation:
        permutation = tuple(_position(result) for result in source.results)
    results = tuple(decode_expression(result, rank) for result in source.results)
    return AffineMap(rank, results, permutation)
