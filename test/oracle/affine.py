"""Affine maps and sets from their printed text, as Python functions.

Division and `mod` round towards minus infinity, as Python's do.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .errors import OracleLimit

_MAP = re.compile(r"affine_map<\(([^)]*)\)(?:\[([^\]]*)\])? -> \((.*)\)>", re.DOTALL)
_SET = re.compile(r"affine_set<\(([^)]*)\)(?:\[([^\]]*)\])? : \((.*)\)>", re.DOTALL)
_TOKEN = re.compile(r"\d+|floordiv|ceildiv|mod|[a-z]\w*|[-+*()]")

Point = tuple[int, ...]


def ceildiv(a: int, b: int) -> int:
    """The quotient rounded up."""
    return -(-a // b)


@dataclass(frozen=True)
class Map:
    """An affine map; call it with the values of its dimensions, then of its symbols."""

    dims: int
    symbols: int
    texts: tuple[str, ...]
    evaluate: Callable[..., Point]

    def __call__(self, *values: int) -> Point:
        return self.evaluate(*values)


@dataclass(frozen=True)
class Constraint:
    """One constraint of a set, and the dimensions that it reads."""

    holds: Callable[..., bool]
    reads: frozenset[int]


@dataclass(frozen=True)
class Set:
    """An integer set: its constraints take the values of dimensions, then of symbols."""

    dims: int
    symbols: int
    constraints: tuple[Constraint, ...]
    numbers: int
    """The sum of the sizes of all constants in it."""

    def holds(self, point: Sequence[int], symbols: Sequence[int] = ()) -> bool:
        """Whether a point is in the set."""
        return all(constraint.holds(*point, *symbols) for constraint in self.constraints)

    def points(self, symbols: Sequence[int] = ()) -> tuple[Point, ...]:
        """All points, in lexicographic order. Raises OracleLimit if one dimension has no end."""
        return _points(self, tuple(symbols))


@lru_cache(maxsize=4096)
def parse_map(text: str) -> Map:
    """The map of an `affine_map<..>`."""
    match = _MAP.fullmatch(text)
    if match is None:
        raise OracleLimit(f"affine map {text}")
    names, dims, symbols = _names(match[1], match[2])
    texts = tuple(_expression(part) for part in _split(match[3]))
    code = eval(f"lambda {names}: ({''.join(t + ',' for t in texts)})", {"ceildiv": ceildiv})
    return Map(dims, symbols, texts, code)


@lru_cache(maxsize=4096)
def parse_set(text: str) -> Set:
    """The set of an `affine_set<..>`."""
    match = _SET.fullmatch(text)
    if match is None:
        raise OracleLimit(f"affine set {text}")
    names, dims, symbols = _names(match[1], match[2])
    constraints = []
    for part in _split(match[3]):
        relation = "==" if part.endswith("== 0") else ">="
        source = _expression(part[: part.rindex(relation)])
        test = eval(f"lambda {names}: {source} {relation} 0", {"ceildiv": ceildiv})
        reads = frozenset(int(d) for d in re.findall(r"\bd(\d+)", source))
        constraints.append(Constraint(test, reads))
    numbers = sum(int(n) for n in re.findall(r"(?<![ds\d])\d+", match[3]))
    return Set(dims, symbols, tuple(constraints), numbers)


@lru_cache(maxsize=4096)
def _points(integer_set: Set, symbols: Point) -> tuple[Point, ...]:
    """Dimension by dimension; each constraint is tested as soon as all that it reads is known."""
    reach = 2 * (integer_set.numbers + sum(map(abs, symbols))) + 64
    found: list[Point] = [()]
    for dim in range(integer_set.dims):
        own = _candidates(integer_set, dim, symbols, reach)
        ready = [c for c in integer_set.constraints if max(c.reads, default=0) == dim]
        after = (0,) * (integer_set.dims - dim - 1)
        found = [
            (*point, value)
            for point, value in itertools.product(found, own)
            if all(c.holds(*point, value, *after, *symbols) for c in ready)
        ]
    if any(abs(value) >= reach for point in found for value in point):
        raise OracleLimit("a set that may have no end")
    return tuple(found)


def _candidates(integer_set: Set, dim: int, symbols: Point, reach: int) -> list[int]:
    """Values of one dimension that the constraints on it alone allow."""
    alone = [c for c in integer_set.constraints if c.reads == {dim}]
    before, after = (0,) * dim, (0,) * (integer_set.dims - dim - 1)
    return [
        value
        for value in range(-reach, reach + 1)
        if all(c.holds(*before, value, *after, *symbols) for c in alone)
    ]


def _names(dims: str, symbols: str | None) -> tuple[str, int, int]:
    """Argument names for a lambda, and how many are dimensions and symbols."""
    d, s = _list(dims), _list(symbols or "")
    return ", ".join([*d, *s]), len(d), len(s)


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _split(text: str) -> list[str]:
    """Splits at the commas outside parentheses."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return [*parts, part.strip()] if part.strip() else parts


def _expression(text: str) -> str:
    """An affine expression as Python source."""
    tokens = _TOKEN.findall(text)
    source, rest = _sum(tokens)
    if rest:
        raise OracleLimit(f"affine expression {text}")
    return source


def _sum(tokens: list[str]) -> tuple[str, list[str]]:
    left, tokens = _product(tokens)
    while tokens and tokens[0] in "+-":
        right, rest = _product(tokens[1:])
        left, tokens = f"({left} {tokens[0]} {right})", rest
    return left, tokens


_OPERATORS = {"*": "({} * {})", "floordiv": "({} // {})", "mod": "({} % {})"}
_OPERATORS["ceildiv"] = "ceildiv({}, {})"


def _product(tokens: list[str]) -> tuple[str, list[str]]:
    left, tokens = _factor(tokens)
    while tokens and tokens[0] in _OPERATORS:
        right, rest = _factor(tokens[1:])
        left, tokens = _OPERATORS[tokens[0]].format(left, right), rest
    return left, tokens


def _factor(tokens: list[str]) -> tuple[str, list[str]]:
    first, *rest = tokens
    if first == "-":
        inner, rest = _factor(rest)
        return f"(-{inner})", rest
    if first == "(":
        inner, rest = _sum(rest)
        return inner, rest[1:]
    return first, rest
