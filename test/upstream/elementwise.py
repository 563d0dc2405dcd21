"""`arith`, `math` and `index`: every op, with the types it takes and what it computes."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from test.oracle.formats import bits_of, from_bits, round_to

from .case import DTYPES, Case, kernel
from .elementwise_op import Elementwise, tensors_of
from .samples import FLOATS, INTEGERS, WIDE, values_of


def _alike(elements: Sequence[str], count: int, result: str = "") -> Any:
    return [((element,) * count, (result or element,)) for element in elements]


def _named(op: str, elements: Sequence[str], count: int, **more: Any) -> Elementwise:
    operands = ", ".join(f"{{{i}}}" for i in range(count))
    result = more.pop("result", "")
    flags = more.pop("flags", "")
    return Elementwise(
        op, f"{op} {operands}{flags} : {{t}}", _alike(elements, count, result), **more
    )


def _cast(op: str, pairs: Sequence[tuple[str, str]], flags: str = "", **more: Any) -> Elementwise:
    forms = [((source,), (result,)) for source, result in pairs]
    return Elementwise(op, f"{op} {{0}}{flags} : {{t}} to {{r}}", forms, **more)


def _all_pairs(sources: Sequence[str], results: Sequence[str]) -> list[tuple[str, str]]:
    return list(itertools.product(sources, results))


def _wider(sources: Sequence[str], by: int = 1) -> list[tuple[str, str]]:
    """Pairs of a type and one with more bits (fewer for by = -1)."""
    bits = {e: 1 if e == "i1" else DTYPES[e].itemsize * 8 for e in sources}
    return [(a, b) for a, b in itertools.product(sources, sources) if by * (bits[b] - bits[a]) > 0]


def _arith() -> Iterator[Elementwise]:
    integer = "addi subi muli andi ori xori divsi divui ceildivsi ceildivui floordivsi remsi remui"
    for name in (integer + " maxsi maxui minsi minui shli shrsi shrui").split():
        yield _named(f"arith.{name}", INTEGERS, 2)
    for name in ("addi", "subi", "muli", "shli"):
        yield _named(f"arith.{name}", ("i32",), 2, flags=" overflow<nsw, nuw>", operands=_small)
    for name in [
        "addf",
        "subf",
        "mulf",
        "divf",
        "remf",
        "maximumf",
        "minimumf",
        "maxnumf",
        "minnumf",
    ]:
        yield _named(f"arith.{name}", FLOATS, 2)
        yield _named(f"arith.{name}", ("f16",), 2, flags=" fastmath<contract>")
    yield _named("arith.negf", FLOATS, 1)
    for name in ("addui_extended", "mulsi_extended", "mului_extended"):
        second = "i1" if name == "addui_extended" else ""
        forms = [((e, e), (e, second or e)) for e in INTEGERS]
        types = "{t}, {other}" if second else "{t}"
        yield Elementwise(f"arith.{name}", f"arith.{name} {{0}}, {{1}} : {types}", forms)
    predicates = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
    for number, predicate in enumerate(predicates):
        text = f"arith.cmpi {predicate}, {{0}}, {{1}} : {{t}}"
        yield Elementwise("arith.cmpi", text, _alike(INTEGERS, 2, "i1"), {"predicate": number})
    predicates = [
        "false",
        "oeq",
        "ogt",
        "oge",
        "olt",
        "ole",
        "one",
        "ord",
        "ueq",
        "ugt",
        "uge",
        "ult",
        "ule",
        "une",
        "uno",
        "true",
    ]
    for number, predicate in enumerate(predicates):
        text = f"arith.cmpf {predicate}, {{0}}, {{1}} : {{t}}"
        yield Elementwise("arith.cmpf", text, _alike(FLOATS, 2, "i1"), {"predicate": number})
    for element in (*INTEGERS, *FLOATS):
        form = (("i1", element, element), (element,))
        text = "arith.select {0}, {1}, {2} : {t}, {r}"
        yield Elementwise("arith.select", text, [form])
    yield from _casts()


def _small(*values: int) -> bool:
    """Operands whose sum, difference, product and shift do not overflow."""
    a, b = values
    return 0 <= b <= a <= 33 and b < 32 and a << b < 1 << 31


def _casts() -> Iterator[Elementwise]:
    integers = ("i1", *WIDE)
    yield _cast("arith.extsi", _wider(integers))
    yield _cast("arith.extui", _wider(integers))
    yield _cast("arith.trunci", _wider(integers, -1))
    yield _cast("arith.sitofp", _all_pairs(integers, FLOATS))
    yield _cast("arith.uitofp", _all_pairs(integers, FLOATS))
    yield _cast("arith.fptosi", _all_pairs(FLOATS, integers))
    yield _cast("arith.fptoui", _all_pairs(FLOATS, integers))
    yield _cast("arith.extf", _wider(FLOATS))
    yield _cast("arith.truncf", _wider(FLOATS, -1))
    for mode in ("downward", "upward", "toward_zero", "to_nearest_away", "to_nearest_even"):
        narrowed = functools.partial(_narrowed, mode)
        yield _cast("arith.truncf", _wider(FLOATS, -1), f" {mode}", typed=narrowed)
    for op in ("arith.index_cast", "arith.index_castui"):
        pairs = [*_all_pairs(integers, ["index"]), *_all_pairs(["index"], integers)]
        yield _cast(op, pairs)
    same = [("i16", "f16"), ("f16", "bf16"), ("bf16", "i16"), ("i32", "f32"), ("f64", "i64")]
    yield _cast("arith.bitcast", [*same, *((b, a) for a, b in same)], operands=_no_nan)


def _narrowed(mode: str, source: str, result: str) -> Callable[[float], float]:
    """Rounding in any mode: which of the two neighbours in the narrower format is meant."""

    def function(x: float) -> float:
        near = round_to(x, result)
        if x != x or near == x:
            return near
        below = near if near < x else _next(near, result, -math.inf)
        above = near if near > x else _next(near, result, math.inf)
        if mode == "to_nearest_even":
            return near
        if mode == "to_nearest_away":
            tie = math.isfinite(near) and x - below == above - x
            return (above if x > 0 else below) if tie else near
        down = mode == "downward" or (mode == "toward_zero" and x > 0)
        return below if down else above

    return function


def _next(x: float, element: str, towards: float) -> float:
    """The neighbour of a float in its format."""
    target = torch.tensor(towards, dtype=torch.float64)
    if element in ("f64", "f32"):
        dtype = DTYPES[element]
        return float(torch.nextafter(torch.tensor(x, dtype=dtype), target.to(dtype)))
    grow = (x > 0) == (towards > 0) if x else True
    start = -0.0 if x == 0 and towards < 0 else 0.0 if x == 0 else x
    return from_bits(bits_of(start, element) + (1 if grow else -1), element)


def _no_nan(x: float) -> bool:
    return x == x


def _numpy(function: Callable[..., Any]) -> Callable[..., float]:
    return lambda *values: float(function(*(np.float64(v) for v in values)))


def _cbrt(x: float) -> float:
    return float(np.cbrt(x))


def _power(x: float, n: float) -> float:
    """As `pow` of C: math.pow raises where that gives an infinity or NaN."""
    try:
        return math.pow(x, n)
    except OverflowError:
        return math.copysign(math.inf, x) if n % 2 == 1 else math.inf
    except ValueError:
        if x == 0:
            return math.copysign(math.inf, x) if n % 2 == 1 else math.inf
        return math.nan


_FUNCTIONS: dict[str, Callable[..., float]] = {
    "acos": _numpy(np.arccos), "acosh": _numpy(np.arccosh), "asin": _numpy(np.arcsin),
    "asinh": _numpy(np.arcsinh), "atanh": _numpy(np.arctanh), "cbrt": _cbrt,
    "cosh": _numpy(np.cosh), "erfc": math.erfc, "log10": _numpy(np.log10),
    "sinh": _numpy(np.sinh), "tan": _numpy(np.tan), "sin": _numpy(np.sin), "cos": _numpy(np.cos),
    "log1p": _numpy(np.log1p), "log2": _numpy(np.log2), "log": _numpy(np.log),
}  # fmt: skip


def _math() -> Iterator[Elementwise]:
    exact = "absf ceil floor trunc round roundeven sqrt exp exp2 expm1 tanh erf atan rsqrt"
    for name in exact.split():
        yield _named(f"math.{name}", FLOATS, 1)
    for name, function in _FUNCTIONS.items():
        yield _named(f"math.{name}", FLOATS, 1, function=function)
    for name in ("isnan", "isinf", "isfinite", "isnormal"):
        yield _named(f"math.{name}", FLOATS, 1, result="i1")
    yield _named("math.copysign", FLOATS, 2)
    yield _named("math.atan2", FLOATS, 2, function=_numpy(np.arctan2))
    yield _named("math.powf", FLOATS, 2, function=_power)
    yield _named("math.fma", ("f16", "bf16", "f32"), 3)
    yield Elementwise(
        "math.clampf",
        "math.clampf {0} to [{1}, {2}] : {t}",
        _alike(FLOATS, 3),
        operands=lambda x, low, high: low <= high,
    )
    yield Elementwise(
        "math.sincos",
        "math.sincos {0} : {t}",
        [((e,), (e, e)) for e in FLOATS],
        function=lambda x: (np.sin(x), np.cos(x)),
    )
    for name in ("absi", "ctpop", "ctlz", "cttz"):
        yield _named(f"math.{name}", INTEGERS, 1)
    yield _named("math.ipowi", INTEGERS, 2)
    yield Elementwise(
        "math.fpowi",
        "math.fpowi {0}, {1} : {t}, {last}",
        [((f, i), (f,)) for f in FLOATS for i in ("i8", "i32")],
        function=_power,
    )


def _index() -> Iterator[Elementwise]:
    names = "add and ceildivs ceildivu divs divu floordivs maxs maxu mins minu mul or rems remu"
    for name in (names + " shl shrs shru sub xor").split():
        yield Elementwise(f"index.{name}", f"index.{name} {{0}}, {{1}}", _alike(["index"], 2))
    for predicate in ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]:
        text = f"index.cmp {predicate}({{0}}, {{1}})"
        attributes = {"pred": predicate}
        yield Elementwise("index.cmp", text, _alike(["index"], 2, "i1"), attributes)
    pairs = [*_all_pairs(("i1", *WIDE), ["index"]), *_all_pairs(["index"], ("i1", *WIDE))]
    yield _cast("index.casts", pairs)
    yield _cast("index.castu", pairs)


def _constants() -> Iterator[Case]:
    for element in (*INTEGERS, *FLOATS):
        values = [x for x in values_of(element) if x == x and abs(x) != math.inf]
        texts = [f"{x:.17e}" if element in FLOATS else str(x) for x in values]
        text = ", ".join(texts)
        wanted = tensors_of([element], [values])
        body = f"%r = arith.constant dense<[{text}]> : {wanted[0].type}"
        yield kernel("arith.constant", body, [], wanted, element)
        lines = [
            f"%v{i} = arith.constant {'true' if element == 'i1' and x else 'false'}"
            if element == "i1"
            else f"%v{i} = arith.constant {texts[i]} : {element}"
            for i, x in enumerate(values)
        ]
        names = ", ".join(f"%v{i}" for i in range(len(values)))
        body = "\n  ".join([*lines, f"%r = tensor.from_elements {names} : {wanted[0].type}"])
        yield kernel("arith.constant", body, [], wanted, f"{element} scalars")
    for op, text, element, value in (
        ("index.constant", "index.constant -7", "index", -7),
        ("index.bool.constant", "index.bool.constant true", "i1", 1),
        ("index.sizeof", "index.sizeof", "index", 64),
    ):
        wanted = tensors_of([element], [[value]])
        body = f"%v = {text}\n  %r = tensor.from_elements %v : {wanted[0].type}"
        yield kernel(op, body, [], wanted)


def cases() -> Iterator[Case]:
    """All kernels of this module."""
    yield from _constants()
    for entry in (*_arith(), *_math(), *_index()):
        yield from entry.cases()
