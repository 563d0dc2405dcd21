"""Numbers: the formats of floats and integers, rounding, and numbers that are known roughly.

A float of any format is a Python float that the format has exactly; an integer is a Python int in
the signed range of its width, i1 is 0 or 1.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .errors import OracleLimit


@dataclass(frozen=True)
class Format:
    """An IEEE format: bits of precision with the hidden one, least and greatest exponent."""

    precision: int
    least: int
    greatest: int

    @property
    def unit(self) -> float:
        """Half a unit in the last place of 1: the relative error of one rounding."""
        return 2.0**-self.precision

    @property
    def tiny(self) -> float:
        """The least positive number."""
        return math.ldexp(1.0, self.least - self.precision + 1)


FLOATS = {
    "f16": Format(11, -14, 15),
    "bf16": Format(8, -126, 127),
    "f32": Format(24, -126, 127),
    "f64": Format(53, -1022, 1023),
}

BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i1": 1, "index": 8}


def is_float(element: str) -> bool:
    """Whether an element type is a float."""
    return element in FLOATS


@lru_cache(maxsize=64)
def width(element: str) -> int:
    """Bits of an integer type."""
    digits = element.lstrip("sui")
    if element == "index":
        return 64
    if not digits.isdecimal():
        raise OracleLimit(f"element type {element}")
    return int(digits)


def byte_size(element: str) -> int:
    """Bytes of an element in memory."""
    return BYTES.get(element) or width(element) // 8


def round_to(x: float, element: str) -> float:
    """`x` rounded to nearest, ties to even, in the format of `element`."""
    fmt = FLOATS[element]
    if x == 0 or x != x or math.isinf(x) or fmt.precision == 53:
        return x
    _, exponent = math.frexp(x)
    step = max(exponent - fmt.precision, fmt.least - fmt.precision + 1)
    scaled = math.ldexp(x, -step)
    y = math.ldexp(float(round(scaled)), step) if abs(scaled) < 2.0**53 else x
    if abs(y) >= 2.0 ** (fmt.greatest + 1):
        y = math.inf
    return math.copysign(y, x)


def wrap(number: int, element: str) -> int:
    """An integer modulo its width, in the signed range; i1 as 0 or 1."""
    bits = width(element)
    number &= (1 << bits) - 1
    return number - (1 << bits) if bits > 1 and number >> (bits - 1) else number


def unsigned(number: int, element: str) -> int:
    """The unsigned reading."""
    return number & ((1 << width(element)) - 1)


def signed(number: int, element: str) -> int:
    """The signed reading; i1 true is -1."""
    return -number if width(element) == 1 else number


def poison(element: str) -> Any:
    """What bytes 0xFF hold."""
    return math.nan if is_float(element) else 1 if width(element) == 1 else -1


def zero(element: str) -> Any:
    """0 of a type."""
    return 0.0 if is_float(element) else 0


def bits_of(x: float, element: str) -> int:
    """The bits of a float, unsigned."""
    if element == "bf16":
        return int(struct.unpack("<I", struct.pack("<f", x))[0]) >> 16
    codes = {"f16": ("<e", "<H"), "f32": ("<f", "<I"), "f64": ("<d", "<Q")}[element]
    return int(struct.unpack(codes[1], struct.pack(codes[0], x))[0])


def from_bits(bits: int, element: str) -> float:
    """The float of these bits."""
    if element == "bf16":
        return float(struct.unpack("<f", struct.pack("<I", bits << 16))[0])
    codes = {"f16": ("<e", "<H"), "f32": ("<f", "<I"), "f64": ("<d", "<Q")}[element]
    return float(struct.unpack(codes[0], struct.pack(codes[1], bits))[0])


_LEAST = math.ulp(0.0)


class Rough(float):
    """A float that another evaluation may see otherwise, by at most `error`.

    `weight`: the sum of the sizes of all terms it is made of. `grain`: a power of two that all of
    them are multiples of. While `weight / grain` fits the precision, no order of the sum rounds.
    """

    error: float
    weight: float
    grain: float

    def __new__(cls, value: float, error: float, weight: float, grain: float) -> Rough:
        made = super().__new__(cls, value)
        made.error, made.weight, made.grain = error, weight, grain
        return made


def rough(x: float) -> Rough:
    """A float as a rough one without error."""
    return x if isinstance(x, Rough) else Rough(x, 0.0, abs(x), _grain(x))


def settled(x: Any) -> Any:
    """A plain float where nothing is uncertain."""
    return float(x) if isinstance(x, Rough) and x.error == 0.0 else x


def _grain(x: float) -> float:
    if x == 0 or not math.isfinite(x):
        return math.inf
    mantissa, exponent = math.frexp(x)
    whole = int(mantissa * 2.0**53)
    trailing = (whole & -whole).bit_length() - 1
    return math.ldexp(1.0, exponent - 53 + trailing)


def rough_add(a: float, b: float, element: str, sign: float = 1.0) -> float:
    """A sum of which the order is open, or of rough numbers."""
    x, y = rough(a), rough(b)
    total = round_to(float(x) + sign * float(y), element)
    weight, grain = x.weight + y.weight, min(x.grain, y.grain)
    if not math.isfinite(total):
        return total
    fmt, error = FLOATS[element], x.error + y.error
    if error or weight > grain * 2.0**fmt.precision:
        error += 2 * (fmt.unit * (weight + error) + fmt.tiny)
    if total == 0:  # the sign of a zero depends on the order
        error = max(error, _LEAST)
    return Rough(total, error, weight, grain)


def rough_mul(a: float, b: float, element: str) -> float:
    """A product of rough numbers, or one that another evaluation may leave unrounded."""
    x, y = rough(a), rough(b)
    exact = float(x) * float(y)
    product = round_to(exact, element)
    if not math.isfinite(product):
        return product
    error = abs(x) * y.error + abs(y) * x.error + x.error * y.error
    if error or product != exact:
        fmt = FLOATS[element]
        error += 2 * (fmt.unit * abs(exact) + fmt.tiny)
    return Rough(product, error, abs(product) + error, _grain(product) if not error else 0.0)


def rough_round(x: float, element: str) -> float:
    """A rough number in another format."""
    if not isinstance(x, Rough):
        return round_to(x, element)
    value = round_to(float(x), element)
    if not math.isfinite(value):
        return value
    fmt = FLOATS[element]
    error = x.error + 2 * (fmt.unit * (abs(x) + x.error) + fmt.tiny) if x.error else 0.0
    return Rough(value, error, abs(value) + error, 0.0 if error else _grain(value))


def about(x: float, element: str, ulps: float = 4.0) -> float:
    """The result of a function that may be off by some units in the last place."""
    value = round_to(x, element)
    if not math.isfinite(value) or value == 0:
        return value
    fmt = FLOATS[element]
    error = 2 * ulps * fmt.unit * abs(value) + 2 * fmt.tiny
    return Rough(value, error, abs(value) + error, 0.0)


def same(wanted: Any, found: Any) -> bool:
    """Equal to the bit but for the payload of NaN; within its error where it is known roughly."""
    if isinstance(wanted, Rough) and wanted.error > 0:
        return bool(abs(found - wanted) <= wanted.error)
    if not isinstance(wanted, float):
        return int(wanted) == int(found)
    if wanted != wanted:
        return bool(found != found)
    return wanted == found and math.copysign(1.0, wanted) == math.copysign(1.0, found)
