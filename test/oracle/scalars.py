"""What scalar ops compute: `arith`, `math` and `index` on one number each.

Floats are computed exactly or in double precision and rounded once to the op's format: for the ops
that IEEE 754 defines that is the correctly rounded result. Functions such as exp are `about` right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from . import integers
from .errors import OracleLimit
from .formats import (
    FLOATS,
    Rough,
    about,
    bits_of,
    from_bits,
    is_float,
    rough_add,
    rough_mul,
    rough_round,
    round_to,
    settled,
    signed,
    unsigned,
    width,
    wrap,
)

Function = Callable[..., Any]


def function_of(
    name: str,
    operands: Sequence[str],
    results: Sequence[str],
    attributes: dict[str, Any],
    loose: bool = False,
) -> Function:
    """The function of an op, given the element types of operands and results.

    `loose`: sums and products may be evaluated in another order, so their results are rough. Raises
    OracleLimit for an op that is not known.
    """
    exact = _exact(name, operands, results, attributes)
    if not any(is_float(element) for element in operands):
        return exact
    rule = _rough_rule(name, operands, results)
    if loose and name in ("arith.addf", "arith.subf", "arith.mulf"):
        assert rule is not None
        return rule

    def function(*values: Any) -> Any:
        if not any(type(value) is Rough for value in values):
            return exact(*values)
        if rule is None:
            raise OracleLimit(f"{name} of a number that is known roughly")
        return settled(rule(*values))

    return function


def _exact(
    name: str, operands: Sequence[str], results: Sequence[str], attributes: dict[str, Any]
) -> Function:
    element = operands[0] if operands else ""
    if name in _BINARY:
        return _rounded(_BINARY[name], element)
    if name in _UNARY:
        return _rounded(_UNARY[name], element)
    if name in _TESTS:
        return _TESTS[name](element)
    if name in _ABOUT:
        near = _ABOUT[name]
        return lambda *values: about(_guarded(near, *values), element)
    if name in _CASTS:
        return _CASTS[name](operands[0], results[0])
    if name == "arith.cmpf":
        return _FLOAT_PREDICATES[int(attributes["predicate"])]
    if name == "arith.select":
        return lambda condition, a, b: a if condition else b
    if name == "math.clampf":
        return lambda x, low, high: _minimum(_maximum(x, low), high)
    return integers.function_of(name, element, attributes)


def _rounded(function: Function, element: str) -> Function:
    return lambda *values: round_to(function(*values), element)


# Ops that IEEE 754 defines.


def _divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or a != a or b != b:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _remainder(a: float, b: float) -> float:
    if b == 0 or math.isinf(a) or a != a or b != b:
        return math.nan
    return math.fmod(a, b)


def _maximum(a: float, b: float) -> float:
    """NaN if one is; +0 above -0."""
    if a != a or b != b:
        return math.nan
    if a == b == 0:
        return a if math.copysign(1.0, a) > 0 else b
    return max(a, b)


def _minimum(a: float, b: float) -> float:
    return -_maximum(-a, -b)


def _maxnum(a: float, b: float) -> float:
    return b if a != a else a if b != b else _maximum(a, b)


def _minnum(a: float, b: float) -> float:
    return b if a != a else a if b != b else _minimum(a, b)


def _fused(a: float, b: float, c: float) -> float:
    """a * b + c; the caller's rounding is the second one only where a double does not suffice."""
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c
    near = float(exact)
    if Fraction(near) == exact:
        return near
    # Rounded to odd, so that a further rounding is right.
    below = near if Fraction(near) < exact else math.nextafter(near, -math.inf)
    above = math.nextafter(below, math.inf)
    return below if bits_of(below, "f64") & 1 else above


def _whole(rounding: Callable[[float], int]) -> Function:
    def function(x: float) -> float:
        return math.copysign(float(rounding(x)), x) if math.isfinite(x) else x

    return function


def _round_away(x: float) -> int:
    return math.floor(abs(x) + 0.5) * (1 if x > 0 else -1) if abs(x) < 2.0**52 else int(x)


_BINARY: dict[str, Function] = {
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.divf": _divide,
    "arith.remf": _remainder,
    "arith.maximumf": _maximum,
    "arith.minimumf": _minimum,
    "arith.maxnumf": _maxnum,
    "arith.minnumf": _minnum,
    "math.copysign": math.copysign,
    "math.fma": _fused,
}

_UNARY: dict[str, Function] = {
    "arith.negf": lambda x: -x,
    "math.absf": abs,
    "math.ceil": _whole(math.ceil),
    "math.floor": _whole(math.floor),
    "math.trunc": _whole(math.trunc),
    "math.roundeven": _whole(round),
    "math.round": _whole(_round_away),
    "math.sqrt": lambda x: math.sqrt(x) if x >= 0 else x if x == 0 else math.nan,
}


def _test(function: Function) -> Callable[[str], Function]:
    return lambda element: lambda x: int(function(x))


_TESTS: dict[str, Callable[[str], Function]] = {
    "math.isnan": _test(math.isnan),
    "math.isinf": _test(math.isinf),
    "math.isfinite": _test(math.isfinite),
    "math.isnormal": lambda element: (
        lambda x: int(math.isfinite(x) and abs(x) >= 2.0 ** FLOATS[element].least)
    ),
}


def _less(a: float, b: float) -> bool:
    return a < b or a > b


def _unordered(a: float, b: float) -> bool:
    return a != a or b != b


def _as_int(test: Function) -> Function:
    return lambda a, b: int(test(a, b))


_FLOAT_PREDICATES: tuple[Function, ...] = tuple(
    _as_int(test)
    for test in (
        lambda a, b: False,
        lambda a, b: a == b,
        lambda a, b: a > b,
        lambda a, b: a >= b,
        lambda a, b: a < b,
        lambda a, b: a <= b,
        _less,
        lambda a, b: not _unordered(a, b),
        lambda a, b: _unordered(a, b) or a == b,
        lambda a, b: _unordered(a, b) or a > b,
        lambda a, b: _unordered(a, b) or a >= b,
        lambda a, b: _unordered(a, b) or a < b,
        lambda a, b: _unordered(a, b) or a <= b,
        lambda a, b: _unordered(a, b) or _less(a, b),
        _unordered,
        lambda a, b: True,
    )
)
"""By predicate: false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno,
true."""


# Functions that are not exact.


def _guarded(function: Function, *values: float) -> float:
    """A function of `math` with the results of IEEE where it raises."""
    if any(value != value for value in values):
        return math.nan
    try:
        return float(function(*values))
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan


def _logarithm(function: Function) -> Function:
    return lambda x: -math.inf if x == 0 else function(x)


_ABOUT: dict[str, Function] = {
    "math.exp": math.exp,
    "math.exp2": math.exp2,
    "math.expm1": math.expm1,
    "math.log": _logarithm(math.log),
    "math.log2": _logarithm(math.log2),
    "math.log1p": lambda x: -math.inf if x == -1 else math.log1p(x),
    "math.sin": math.sin,
    "math.cos": math.cos,
    "math.tanh": math.tanh,
    "math.erf": math.erf,
    "math.atan": math.atan,
    "math.rsqrt": lambda x: math.copysign(math.inf, x) if x == 0 else 1 / math.sqrt(x),
}


# Conversions.


def _to_integer(read: Callable[[str], tuple[int, int]]) -> Callable[[str, str], Function]:
    def choose(source: str, result: str) -> Function:
        low, high = read(result)

        def function(x: float) -> int:
            if x != x:
                return 0
            whole = (low if x < 0 else high) if math.isinf(x) else math.trunc(x)
            return wrap(max(low, min(high, whole)), result)

        return function

    return choose


def _signed_range(element: str) -> tuple[int, int]:
    bits = width(element)
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def _unsigned_range(element: str) -> tuple[int, int]:
    return 0, (1 << width(element)) - 1


def _from_integer(read: Callable[[int, str], int]) -> Callable[[str, str], Function]:
    def choose(source: str, result: str) -> Function:
        return lambda x: _nearest(read(x, source), result)

    return choose


def _nearest(number: int, element: str) -> float:
    """An integer in a float format, rounded once."""
    fmt = FLOATS[element]
    excess = number.bit_length() - fmt.precision
    if excess > 0:
        unit = 1 << excess
        quotient, rest = divmod(number, unit)
        quotient += rest * 2 > unit or (rest * 2 == unit and quotient & 1)
        number = quotient * unit
    return round_to(float(number), element)


def _extend(read: Callable[[int, str], int]) -> Callable[[str, str], Function]:
    return lambda source, result: lambda x: wrap(read(x, source), result)


def _bitcast(source: str, result: str) -> Function:
    def function(x: Any) -> Any:
        bits = bits_of(x, source) if is_float(source) else unsigned(x, source)
        return from_bits(bits, result) if is_float(result) else wrap(bits, result)

    return function


def _convert(source: str, result: str) -> Function:
    return lambda x: round_to(x, result)


_CASTS: dict[str, Callable[[str, str], Function]] = {
    "arith.extf": _convert,
    "arith.truncf": _convert,
    "arith.sitofp": _from_integer(signed),
    "arith.uitofp": _from_integer(unsigned),
    "arith.fptosi": _to_integer(_signed_range),
    "arith.fptoui": _to_integer(_unsigned_range),
    "arith.extsi": _extend(signed),
    "arith.extui": _extend(unsigned),
    "arith.trunci": _extend(unsigned),
    "arith.index_cast": _extend(signed),
    "arith.index_castui": _extend(unsigned),
    "index.casts": _extend(signed),
    "index.castu": _extend(unsigned),
    "arith.bitcast": _bitcast,
}


# Numbers that are known roughly.


def _rough_rule(name: str, operands: Sequence[str], results: Sequence[str]) -> Function | None:
    element = operands[0]
    if name == "arith.addf":
        return lambda a, b: rough_add(a, b, element)
    if name == "arith.subf":
        return lambda a, b: rough_add(a, b, element, -1.0)
    if name == "arith.mulf":
        return lambda a, b: rough_mul(a, b, element)
    if name in ("arith.extf", "arith.truncf"):
        return lambda x: rough_round(x, results[0])
    if name == "arith.negf":
        return lambda x: Rough(-float(x), x.error, x.weight, x.grain)
    if name == "arith.select":
        return lambda condition, a, b: a if condition else b
    if name in ("arith.maximumf", "arith.minimumf"):
        return lambda a, b: _rough_extreme(_BINARY[name], a, b)
    return None


def _rough_extreme(extreme: Function, a: float, b: float) -> float:
    value = extreme(float(a), float(b))
    errors = [x.error if isinstance(x, Rough) else 0.0 for x in (a, b)]
    error = max(errors)
    return Rough(value, error, abs(value) + error, 0.0) if math.isfinite(value) else value
