"""Integer sets, decoded once: which coordinates a tile names, and in what order.

Owns integer sets (`IntegerSet`) and, once their symbols have values, their points (`BoundSet`): as
a grid of arithmetic progressions where the set is one, else as a list. Where the coordinates lie in
memory is up to `transfer`; what a view or a tile is, to `ktdp_ops`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.machine.affine import AffineMap, Expression, Linear, ceildiv, decode_map
from ktir.mlir import ir

_MAX_GRID = 1 << 26
"""Points of the bounding box of a set that is not a grid; each is tested once."""

_SET = re.compile(
    r"affine_set<\((?P<dims>[^)]*)\)(\[(?P<symbols>[^]]*)\])? : \((?P<constraints>.*)\)>"
)


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


def _satisfied(constraints: Sequence[_Constraint], values: Sequence[Any]) -> Any:
    """True where all constraints hold; ints or tensors that broadcast."""
    inside: Any = True
    for constraint in constraints:
        value = constraint.expression.evaluate(values)
        inside = inside & (value == 0 if constraint.equal else value >= 0)
    return inside


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
        return _satisfied(self._constraints, values)


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
    decoded = decode_map(ir.Attribute.parse(source, attribute.context))
    constraints = [
        _Constraint(expression, part.endswith(" == 0"))
        for expression, part in zip(decoded.results, parts, strict=True)
    ]
    return IntegerSet(decoded.rank, len(symbols.split(",")) if symbols else 0, constraints, text)


def _split(text: str) -> list[str]:
    """Splits at the commas outside parentheses."""
    if "(" not in text:
        return [part.strip() for part in text.split(",")] if text.strip() else []
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
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
        return _satisfied(self._constraints, [*coordinates, *self._symbols])

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
    rank: int, constraints: Sequence[_Constraint], linear: Sequence[Linear | None]
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
            bound, current = ceildiv(-rest, factor), low[dim]
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
