"""Integer sets and affine maps, decoded once: which coordinates a tile names, and in what order.

Owns affine expressions as functions on ints and tensors (`Expression`), integer sets (`IntegerSet`)
and, once their symbols have values, their points (`BoundSet`): as a grid of arithmetic progressions
where the set is one, else as a list. Where the coordinates lie in memory is up to `transfer`; what
a view or a tile is, to `ktdp_ops`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.mlir import ir

_MAX_GRID = 1 << 26
"""Points of the bounding box of a set that is not a grid; each is tested once."""

_SET = re.compile(
    r"affine_set<\((?P<dims>[^)]*)\)(\[(?P<symbols>[^]]*)\])? : \((?P<constraints>.*)\)>"
)


@dataclasses.dataclass(frozen=True)
class Expression:
    """An affine expression over dimensions and symbols.

    `evaluate` takes the values of all dimensions, then all symbols; ints and int64 tensors mix.
    Division and modulo round to minus infinity. `dims` are the dimensions it depends on.
    """

    evaluate: Callable[[Sequence[Any]], Any]
    dims: frozenset[int]
    linear: Callable[[Sequence[int]], tuple[dict[int, int], int] | None]
    """Coefficients by dimension and the constant, given the symbols' values; None if not linear in
    dimensions."""


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

    def as_linear(symbols: Sequence[int]) -> tuple[dict[int, int], int] | None:
        a, b = left.linear(symbols), right.linear(symbols)
        return None if a is None or b is None else linear(a, b)

    return Expression(
        lambda values: combine(evaluate_left(values), evaluate_right(values)),
        left.dims | right.dims,
        as_linear,
    )


_Linear = tuple[dict[int, int], int]


def _add(a: _Linear, b: _Linear) -> _Linear:
    coefficients = dict(a[0])
    for dim, factor in b[0].items():
        coefficients[dim] = coefficients.get(dim, 0) + factor
    return {dim: factor for dim, factor in coefficients.items() if factor}, a[1] + b[1]


def _multiply(a: _Linear, b: _Linear) -> _Linear | None:
    if a[0] and b[0]:
        return None
    terms, factor = (a, b[1]) if a[0] else (b, a[1])
    coefficients = {dim: value * factor for dim, value in terms[0].items() if value * factor}
    return coefficients, terms[1] * factor


def _constant(combine: Callable[[int, int], int]) -> Callable[[_Linear, _Linear], _Linear | None]:
    return lambda a, b: None if a[0] or b[0] else ({}, combine(a[1], b[1]))


def _ceildiv(a: Any, b: Any) -> Any:
    return -(-a // b)


_BINARY: dict[Any, tuple[Any, Any]] = {
    ir.AffineAddExpr: (operator.add, _add),
    ir.AffineMulExpr: (operator.mul, _multiply),
    ir.AffineModExpr: (operator.mod, _constant(operator.mod)),
    ir.AffineFloorDivExpr: (operator.floordiv, _constant(operator.floordiv)),
    ir.AffineCeilDivExpr: (_ceildiv, _constant(_ceildiv)),
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


def decode_map(attribute: ir.Attribute) -> AffineMap:
    """Decodes an affine map attribute."""
    return _map(ir.AffineMapAttr(attribute).value)


def _position(expr: Any) -> int:
    return int(expr.position)


def _map(source: ir.AffineMap) -> AffineMap:
    rank = source.n_dims
    permutation = None
    if source.is_permutation:
        permutation = tuple(_position(result) for result in source.results)
    results = tuple(decode_expression(result, rank) for result in source.results)
    return AffineMap(rank, results, permutation)


@dataclasses.dataclass(frozen=True)
class Axis:
    """The coordinates `start + step * i` for i in [0, count) of one dimension."""

    start: int
    step: int
    count: int


@dataclasses.dataclass(frozen=True)
class _Constraint:
    expression: Expression
    equal: bool


class IntegerSet:
    """An integer set whose symbols have no values yet."""

    def __init__(
        self, rank: int, symbols: int, constraints: Sequence[_Constraint], text: str
    ) -> None:
        self.rank = rank
        self.symbols = symbols
        self.text = text
        self._constraints = tuple(constraints)
        self._bound: dict[tuple[int, ...], BoundSet] = {}

    def bind(self, symbols: Sequence[int] = ()) -> BoundSet:
        """The set for these values of its symbols; computed once for each."""
        key = tuple(symbols)
        found = self._bound.get(key)
        if found is None:
            found = self._bound[key] = BoundSet(self.rank, key, self._constraints, self.text)
        return found

    def contains(self, values: Sequence[Any]) -> Any:
        """True where the point is in the set; coordinates and then symbols, ints or tensors that
        broadcast."""
        inside: Any = True
        for constraint in self._constraints:
            value = constraint.expression.evaluate(values)
            inside = inside & (value == 0 if constraint.equal else value >= 0)
        return inside


def decode_set(attribute: ir.Attribute) -> IntegerSet:
    """Decodes an integer set attribute.

    The bindings of MLIR 22 do not give out the set inside the attribute, but its printed form is
    canonical: one expression a constraint, compared with 0. So the expressions are read as the
    results of a map.
    """
    text = str(attribute)
    match = _SET.fullmatch(text)
    if match is None:
        raise UnsupportedError(f"integer set {text} is not in the form that MLIR prints")
    parts = _split(match["constraints"])
    symbols = match["symbols"] or ""
    expressions = ", ".join(part[: -len(" == 0")] for part in parts)
    source = f"affine_map<({match['dims']})[{symbols}] -> ({expressions})>"
    decoded = _map(ir.AffineMapAttr(ir.Attribute.parse(source, attribute.context)).value)
    constraints = [
        _Constraint(expression, part.endswith(" == 0"))
        for expression, part in zip(decoded.results, parts, strict=True)
    ]
    return IntegerSet(decoded.rank, len(symbols.split(",")) if symbols else 0, constraints, text)


def _split(text: str) -> list[str]:
    """Splits at the commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()] if text.strip() else parts


class BoundSet:
    """The points of an integer set with known symbols.

    `low`, `high`: an inclusive interval a dimension that holds all points, or None where no
    constraint bounds it.
    `is_box`: those intervals are the whole set. `axes`: the set as a grid of arithmetic
    progressions, or None.
    """

    def __init__(
        self, rank: int, symbols: tuple[int, ...], constraints: Sequence[_Constraint], text: str
    ) -> None:
        self.rank = rank
        self.text = text
        self._symbols = symbols
        self._constraints = constraints
        linear = [constraint.expression.linear(symbols) for constraint in constraints]
        self.low, self.high, self.empty = _intervals(rank, constraints, linear)
        self.is_box = all(form is not None and len(form[0]) <= 1 for form in linear)
        self._axes: tuple[Axis, ...] | bool | None = False

    @functools.cached_property
    def least(self) -> tuple[int, ...]:
        """The least coordinate of any point along each dimension, 0 where nothing bounds it."""
        bounded = not self.empty and None not in (*self.low, *self.high)
        found = self.points() if bounded and not self.is_box else None
        if found is None or not len(found):
            return tuple(bound or 0 for bound in self.low)
        return tuple(found.amin(0).tolist())

    @property
    def axes(self) -> tuple[Axis, ...] | None:
        if isinstance(self._axes, bool):
            self._axes = self._grid()
        return self._axes

    def box(self) -> tuple[list[int], list[int]]:
        """The bounding box, both ends inclusive. Raises UnsupportedError if a dimension has no
        bound."""
        for dim in range(self.rank):
            if self.low[dim] is None or self.high[dim] is None:
                raise UnsupportedError(
                    f"set {self.text} has infinitely many points: d{dim} is not bounded; "
                    f"add constraints such as d{dim} >= 0, -d{dim} + 63 >= 0"
                )
        low = [bound for bound in self.low if bound is not None]
        return low, [bound for bound in self.high if bound is not None]

    def contains(self, coordinates: Sequence[Any]) -> Any:
        """True where the point is in the set; one coordinate a dimension, ints or tensors that
        broadcast."""
        values = [*coordinates, *self._symbols]
        inside: Any = True
        for constraint in self._constraints:
            value = constraint.expression.evaluate(values)
            inside = inside & (value == 0 if constraint.equal else value >= 0)
        return inside

    def points(self) -> Tensor:
        """All points in lexicographic order, int64 [N, rank]."""
        if self.empty:
            return torch.empty((0, self.rank), dtype=torch.int64)
        low, high = self.box()
        extents = [last - first + 1 for first, last in zip(low, high, strict=True)]
        _check_count(math.prod(extents), self.text)
        coordinates = []
        for dim, (first, last) in enumerate(zip(low, high, strict=True)):
            shape = [-1 if d == dim else 1 for d in range(self.rank)]
            coordinates.append(torch.arange(first, last + 1).view(shape))
        inside = torch.as_tensor(self.contains(coordinates)).expand(extents)
        return inside.nonzero() + torch.tensor(low, dtype=torch.int64)

    def _grid(self) -> tuple[Axis, ...] | None:
        """One progression a dimension, if every constraint speaks of one dimension only."""
        if self.empty:
            return self._empty_grid()
        if any(len(constraint.expression.dims) > 1 for constraint in self._constraints):
            return None
        low, high = self.box()
        axes = []
        for dim in range(self.rank):
            axis = self._axis(dim, low[dim], high[dim])
            if axis is None:
                return None
            axes.append(axis)
        return tuple(axes)

    def _empty_grid(self) -> tuple[Axis, ...]:
        """No points: the extents of a box still tell the sizes of a tensor of it."""
        if self.is_box and None not in (*self.low, *self.high):
            low, high = self.box()
            counts = [max(last - first + 1, 0) for first, last in zip(low, high, strict=True)]
            if 0 in counts:
                return tuple(Axis(a, 1, count) for a, count in zip(low, counts, strict=True))
        return tuple(Axis(0, 1, 0) for _ in range(self.rank))

    def _axis(self, dim: int, low: int, high: int) -> Axis | None:
        if self.is_box:
            return Axis(low, 1, high - low + 1)
        _check_count(high - low + 1, self.text)
        values: list[Any] = [0] * self.rank + list(self._symbols)
        values[dim] = torch.arange(low, high + 1)
        inside = torch.ones(high - low + 1, dtype=torch.bool)
        for constraint in self._constraints:
            if dim in constraint.expression.dims:
                value = constraint.expression.evaluate(values)
                inside &= value == 0 if constraint.equal else value >= 0
        found = (inside.nonzero()[:, 0] + low).tolist()
        if len(found) < 2:
            return Axis(found[0] if found else 0, 1, len(found))
        step = found[1] - found[0]
        if found != list(range(found[0], found[-1] + 1, step)):
            return None
        return Axis(found[0], step, len(found))


def _check_count(count: int, text: str) -> None:
    """Raises UnsupportedError for more points than are worth a test of each."""
    if count > _MAX_GRID:
        raise UnsupportedError(
            f"set {text} needs a test of {count} points; at most {_MAX_GRID} are tested"
        )


def _intervals(
    rank: int, constraints: Sequence[_Constraint], linear: Sequence[_Linear | None]
) -> tuple[list[int | None], list[int | None], bool]:
    """Bounds that follow from the linear constraints, by propagating intervals until nothing
    changes."""
    low: list[int | None] = [None] * rank
    high: list[int | None] = [None] * rank
    forms = []
    for constraint, form in zip(constraints, linear, strict=True):
        if form is None:
            continue
        forms.append(form)
        if constraint.equal:
            forms.append(({dim: -factor for dim, factor in form[0].items()}, -form[1]))
    if any(not terms and constant < 0 for terms, constant in forms):
        return low, high, True
    # Each round carries a bound over at least one more dimension.
    for _ in range(rank + 1):
        changed = [_tighten(terms, constant, low, high) for terms, constant in forms]
        if not any(changed):
            break
    empty = any(a is not None and b is not None and a > b for a, b in zip(low, high, strict=True))
    return low, high, empty


def _tighten(
    terms: dict[int, int], constant: int, low: list[int | None], high: list[int | None]
) -> bool:
    """Applies sum(terms) + constant >= 0 to every dimension in it; True if a bound moved."""
    changed = False
    for dim, factor in terms.items():
        rest: int | None = constant
        for other, weight in terms.items():
            if other == dim:
                continue
            end = high[other] if weight > 0 else low[other]
            rest = None if end is None or rest is None else rest + weight * end
        if rest is None:
            continue
        if factor > 0:
            bound, current = _ceildiv(-rest, factor), low[dim]
            if current is None or bound > current:
                low[dim], changed = bound, True
        else:
            bound, current = rest // -factor, high[dim]
            if current is None or bound < current:
                high[dim], changed = bound, True
    return changed


def sort_points(points: Tensor, order: AffineMap) -> Tensor:
    """`points` [N, rank], lexicographically ordered, in the lexicographic order of the results of
    `order`.

    Points with equal results keep their order.
    """
    if order.permutation == tuple(range(order.rank)):
        return points
    results = order([points[:, dim] for dim in range(points.shape[1])])
    index = torch.arange(len(points))
    for key in reversed(results):
        column = torch.as_tensor(key).expand(len(points))
        index = index[torch.sort(column[index], stable=True).indices]
    return points[index]
