"""What integer ops compute: `arith`, `index` and `math` on one int each.

Results the IR leaves undefined are as the package's docstring says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .affine import ceildiv
from .errors import OracleLimit
from .formats import signed, unsigned, width, wrap

Function = Callable[..., Any]


def function_of(name: str, element: str, attributes: dict[str, Any]) -> Function:
    """The function of an integer op on operands of one type."""
    if name in ("arith.cmpi", "index.cmp"):
        test, read = _COMPARISONS[_predicate(attributes)]
        return lambda a, b: int(test(read(a, element), read(b, element)))
    dialect, _, op = name.partition(".")
    if dialect == "index":
        op = _INDEX.get(op, op)
    if op in _EXTENDED:
        return _EXTENDED[op](element)
    if op not in _OPS:
        raise OracleLimit(f"op {name}")
    function, read = _OPS[op]
    return lambda *values: wrap(function(*(read(v, element) for v in values), element), element)


def _predicate(attributes: dict[str, Any]) -> int:
    if "pred" not in attributes:
        return int(attributes["predicate"])
    text = attributes["pred"].rstrip(">").rpartition("(")[2].rstrip(")")
    names = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
    return names.index(text.rpartition("<")[2].strip())


_COMPARISONS: tuple[tuple[Function, Callable[[int, str], int]], ...] = (
    (lambda a, b: a == b, unsigned),
    (lambda a, b: a != b, unsigned),
    (lambda a, b: a < b, signed),
    (lambda a, b: a <= b, signed),
    (lambda a, b: a > b, signed),
    (lambda a, b: a >= b, signed),
    (lambda a, b: a < b, unsigned),
    (lambda a, b: a <= b, unsigned),
    (lambda a, b: a > b, unsigned),
    (lambda a, b: a >= b, unsigned),
)
"""By predicate: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge."""


def _truncated(a: int, b: int, element: str) -> int:
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int, element: str) -> int:
    return a if b == 0 else a - b * _truncated(a, b, element)


def _shifted_left(a: int, n: int, element: str) -> int:
    return a << n if n < width(element) else 0


def _shifted_right(a: int, n: int, element: str) -> int:
    """Arithmetic; the amount is read as unsigned."""
    return a >> min(unsigned(n, element), width(element) - 1)


def _power(a: int, n: int, element: str) -> int:
    """Wraps; a negative power is the truncated reciprocal."""
    if n >= 0:
        return pow(a, n, 1 << width(element))
    return {1: 1, -1: -1 if n % 2 else 1}.get(a, 0)


def _leading_zeros(a: int, element: str) -> int:
    return width(element) - a.bit_length()


def _trailing_zeros(a: int, element: str) -> int:
    return (a & -a).bit_length() - 1 if a else width(element)


_OPS: dict[str, tuple[Function, Callable[[int, str], int]]] = {
    "addi": (lambda a, b, _: a + b, unsigned),
    "subi": (lambda a, b, _: a - b, unsigned),
    "muli": (lambda a, b, _: a * b, unsigned),
    "andi": (lambda a, b, _: a & b, unsigned),
    "ori": (lambda a, b, _: a | b, unsigned),
    "xori": (lambda a, b, _: a ^ b, unsigned),
    "divsi": (_truncated, signed),
    "divui": (_truncated, unsigned),
    "ceildivsi": (lambda a, b, _: ceildiv(a, b) if b else -1, signed),
    "ceildivui": (lambda a, b, _: ceildiv(a, b) if b else -1, unsigned),
    "floordivsi": (lambda a, b, _: a // b if b else -1, signed),
    "remsi": (_remainder, signed),
    "remui": (_remainder, unsigned),
    "shli": (_shifted_left, unsigned),
    "shrsi": (_shifted_right, signed),
    "shrui": (lambda a, n, element: a >> n if n < width(element) else 0, unsigned),
    "maxsi": (lambda a, b, _: max(a, b), signed),
    "minsi": (lambda a, b, _: min(a, b), signed),
    "maxui": (lambda a, b, _: max(a, b), unsigned),
    "minui": (lambda a, b, _: min(a, b), unsigned),
    "absi": (lambda a, _: abs(a), signed),
    "ctpop": (lambda a, _: a.bit_count(), unsigned),
    "ctlz": (_leading_zeros, unsigned),
    "cttz": (_trailing_zeros, unsigned),
    "ipowi": (_power, signed),
}

_INDEX = {
    "add": "addi", "sub": "subi", "mul": "muli", "and": "andi", "or": "ori", "xor": "xori",
    "divs": "divsi", "divu": "divui", "ceildivs": "ceildivsi", "ceildivu": "ceildivui",
    "floordivs": "floordivsi", "rems": "remsi", "remu": "remui", "maxs": "maxsi",
    "maxu": "maxui", "mins": "minsi", "minu": "minui", "shl": "shli", "shrs": "shrsi",
    "shru": "shrui",
}  # fmt: skip
"""Names of `index` ops that `arith` has too."""


def _add_extended(element: str) -> Function:
    def function(a: int, b: int) -> tuple[int, int]:
        total = unsigned(a, element) + unsigned(b, element)
        return wrap(total, element), int(total >> width(element))

    return function


def _product_extended(read: Callable[[int, str], int]) -> Callable[[str], Function]:
    def choose(element: str) -> Function:
        def function(a: int, b: int) -> tuple[int, int]:
            product = read(a, element) * read(b, element)
            return wrap(product, element), wrap(product >> width(element), element)

        return function

    return choose


_EXTENDED: dict[str, Callable[[str], Function]] = {
    "addui_extended": _add_extended,
    "mulsi_extended": _product_extended(signed),
    "mului_extended": _product_extended(unsigned),
}
