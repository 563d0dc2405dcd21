"""`linalg` on tensors: loops over points, one scalar at a time.

A sum over reduction loops has an open order, so its result may be rough (`formats.Rough`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from .affine import Map
from .errors import Fault, OracleLimit
from .formats import FLOATS, Rough, is_float, round_to, settled
from .scalars import function_of
from .tensors import Point, Tensor, Values, build, filled, points
from .tree import Op

Body = Callable[[Values, Point, bool], Values]
"""Runs the op's region on scalars, at a point of the loops; says whether sums are loose."""


def generic(op: Op, operands: Values, body: Body) -> Values:
    """`linalg.generic`: the body at every point, reductions folded into the outputs."""
    outputs = len(op.results)
    maps: list[Map] = op.attributes["indexing_maps"]
    kinds = ["reduction" in str(kind) for kind in op.attributes["iterator_types"]]
    return loops(operands, outputs, maps, kinds, body)


def loops(
    operands: Values, outputs: int, maps: Sequence[Map], reduced: Sequence[bool], body: Body
) -> Values:
    """The body at every point of the loops, in row-major order."""
    extents = _extents(operands, maps, len(reduced))
    inputs = len(operands) - outputs
    results = [list(operand.data) for operand in operands[inputs:]]
    loose = any(reduced)
    for point in points(extents):
        places = [
            operand.place(subscripts(*point))
            for operand, subscripts in zip(operands, maps, strict=True)
        ]
        values = [operand.data[at] for operand, at in zip(operands[:inputs], places, strict=False)]
        values += [data[at] for data, at in zip(results, places[inputs:], strict=True)]
        for data, at, value in zip(
            results, places[inputs:], body(values, point, loose), strict=True
        ):
            data[at] = value
    shapes = [operand.shape for operand in operands[inputs:]]
    return [
        Tensor(shape, [settled(x) for x in data])
        for shape, data in zip(shapes, results, strict=True)
    ]


def _extents(operands: Values, maps: Sequence[Map], count: int) -> list[int]:
    """The extent of each loop, from the operands that are subscripted with it alone."""
    found: list[int | None] = [None] * count
    for operand, subscripts in zip(operands, maps, strict=True):
        for text, size in zip(subscripts.texts, operand.shape, strict=True):
            if text.startswith("d") and text[1:].isdecimal():
                loop = int(text[1:])
                if found[loop] not in (None, size):
                    raise Fault(f"loop {loop} runs to {found[loop]} and to {size}")
                found[loop] = size
    if None in found:
        raise OracleLimit("a loop that no operand is subscripted with alone")
    return [size for size in found if size is not None]


def _identity(rank: int) -> Map:
    names = tuple(f"d{i}" for i in range(rank))
    return Map(rank, 0, names, lambda *point: point)


def _select(rank: int, dims: Sequence[int]) -> Map:
    """The map to some of the dimensions."""
    return Map(rank, 0, tuple(f"d{d}" for d in dims), lambda *point: tuple(point[d] for d in dims))


def fill(op: Op, operands: Values, _: Body) -> Values:
    """One scalar everywhere, in the element type of the output."""
    value, output = operands
    return [filled(output.shape, value)]


def copy(op: Op, operands: Values, _: Body) -> Values:
    """The input."""
    return [operands[0]]


def map_(op: Op, operands: Values, body: Body) -> Values:
    """The body on the inputs at each point."""
    *inputs, output = operands
    arguments = len(op.block().arguments)
    data = []
    for number, point in enumerate(points(output.shape)):
        values = [x.data[number] for x in inputs]
        values += [output.data[number]] * (arguments - len(inputs))
        data += body(values, point, False)
    return [Tensor(output.shape, data)]


def reduce(op: Op, operands: Values, body: Body) -> Values:
    """The body folded over the dimensions listed."""
    outputs = len(op.results)
    rank = len(operands[0].shape)
    dims = op.attributes["dimensions"]
    kept = [d for d in range(rank) if d not in dims]
    maps = [_identity(rank)] * (len(operands) - outputs) + [_select(rank, kept)] * outputs
    return loops(operands, outputs, maps, [d in dims for d in range(rank)], body)


def broadcast(op: Op, operands: Values, _: Body) -> Values:
    """The input repeated along the dimensions listed."""
    source, output = operands
    added = op.attributes["dimensions"]
    kept = [d for d in range(len(output.shape)) if d not in added]
    return [build(output.shape, lambda p: source.at([p[d] for d in kept]))]


def transpose(op: Op, operands: Values, _: Body) -> Values:
    """Dimension i of the result is dimension permutation[i] of the input."""
    source, output = operands
    order = op.attributes["permutation"]

    def element(point: Point) -> Any:
        place = [0] * len(order)
        for i, d in enumerate(order):
            place[d] = point[i]
        return source.at(place)

    return [build(output.shape, element)]


_MATMULS: dict[str, tuple[int, tuple[tuple[int, ...], ...]]] = {
    "matmul": (3, ((0, 2), (2, 1), (0, 1))),
    "matmul_transpose_a": (3, ((2, 0), (2, 1), (0, 1))),
    "matmul_transpose_b": (3, ((0, 2), (1, 2), (0, 1))),
    "batch_matmul": (4, ((0, 1, 3), (0, 3, 2), (0, 1, 2))),
    "matvec": (2, ((0, 1), (1,), (0,))),
    "vecmat": (2, ((1,), (1, 0), (0,))),
    "dot": (1, ((0,), (0,), ())),
    "batch_matvec": (3, ((0, 1, 2), (0, 2), (0, 1))),
}
"""Loops, and the loops that each operand is subscripted with; the others are reduced."""


def product(op: Op, operands: Values, _: Body) -> Values:
    """Sums of products in the type of the output, onto it."""
    count, subscripts = _MATMULS[op.name.partition(".")[2]]
    maps = [_select(count, dims) for dims in subscripts]
    if "indexing_maps" in op.attributes:
        maps = op.attributes["indexing_maps"]
    element = op.types[0].element
    reduced = [d not in subscripts[2] for d in range(count)]
    kind = "f" if is_float(element) else "i"
    casts = [_cast_to(type_.element, element, op) for type_ in op.operand_types[:2]]
    multiply = function_of(f"arith.mul{kind}", [element] * 2, [element], {}, loose=True)
    add = function_of(f"arith.add{kind}", [element] * 2, [element], {}, loose=True)

    def body(values: Values, point: Point, loose: bool) -> Values:
        a, b, c = values
        return [add(c, multiply(casts[0](a), casts[1](b)))]

    return loops(operands, 1, maps, reduced, body)


def _cast_to(source: str, result: str, op: Op) -> Callable[[Any], Any]:
    """The conversion that a named op makes of an input."""
    if source == result:
        return lambda x: x
    if is_float(source) and is_float(result):
        name = "arith.extf"
    elif not is_float(source) and not is_float(result):
        name = "arith.extsi"
    else:
        raise OracleLimit(f"{op.name} of {source} to {result}")
    return function_of(name, [source], [result], {})


_BINARY = {
    "add": ("addf", "addi"), "sub": ("subf", "subi"), "mul": ("mulf", "muli"),
    "div": ("divf", "divsi"), "max": ("maximumf", "maxsi"), "min": ("minimumf", "minsi"),
}  # fmt: skip
"""Float and integer op of `arith` that an elementwise named op means."""

_UNARY = {
    "abs": "math.absf", "ceil": "math.ceil", "floor": "math.floor", "negf": "arith.negf",
    "sqrt": "math.sqrt", "round": "math.round", "exp": "math.exp", "tanh": "math.tanh",
    "log": "math.log", "erf": "math.erf", "rsqrt": "math.rsqrt",
}  # fmt: skip


def elementwise(op: Op, operands: Values, _: Body) -> Values:
    """A named op on each element; inputs are converted to the type of the output first."""
    *inputs, output = operands
    name = op.name.partition(".")[2]
    element = op.types[0].element
    casts = [_cast_to(type_.element, element, op) for type_ in op.operand_types[:-1]]
    function = _elementwise_function(name, element)
    columns = [[cast(x) for x in tensor.data] for cast, tensor in zip(casts, inputs, strict=True)]
    return [Tensor(output.shape, [function(*row) for row in zip(*columns, strict=True)])]


def _elementwise_function(name: str, element: str) -> Callable[..., Any]:
    if name == "square":
        multiply = function_of("arith.mulf", [element] * 2, [element], {})
        return lambda x: multiply(x, x)
    if name == "reciprocal":
        divide = function_of("arith.divf", [element] * 2, [element], {})
        return lambda x: divide(1.0, x)
    if name in _UNARY:
        return function_of(_UNARY[name], [element], [element], {})
    full = "arith." + _BINARY[name][0 if is_float(element) else 1]
    return function_of(full, [element] * 2, [element], {})


def select(op: Op, operands: Values, _: Body) -> Values:
    """`linalg.select`: one of two elements each."""
    condition, a, b, output = operands
    rows = zip(condition.data, a.data, b.data, strict=True)
    return [Tensor(output.shape, [x if c else y for c, x, y in rows])]


def softmax(op: Op, operands: Values, _: Body) -> Values:
    """exp(x - max) / sum along one dimension, each step rounded; known roughly."""
    source, axis = operands[0], op.attributes["dimension"]
    element = op.types[0].element
    shape = source.shape
    data = list(source.data)
    for point in points([1 if d == axis else n for d, n in enumerate(shape)]):
        row = [source.place((*point[:axis], i, *point[axis + 1 :])) for i in range(shape[axis])]
        for at, value in zip(row, _softmax([source.data[i] for i in row], element), strict=True):
            data[at] = value
    return [Tensor(shape, data)]


def _softmax(row: Sequence[float], element: str) -> list[float]:
    if not row:
        return []
    largest = math.nan if any(x != x for x in row) else max(row)
    if not math.isfinite(largest):
        return [math.nan] * len(row)
    powers = [round_to(math.exp(round_to(x - largest, element)), element) for x in row]
    total = math.fsum(powers)
    unit, tiny = FLOATS[element].unit, FLOATS[element].tiny
    quotients = [round_to(power / total, element) for power in powers]
    error = 2 * unit * (len(row) + 16)
    return [Rough(q, error * q + 16 * tiny, q, 0.0) for q in quotients]


OPS: dict[str, Callable[[Op, Values, Body], Values]] = {
    "linalg.generic": generic,
    "linalg.fill": fill,
    "linalg.copy": copy,
    "linalg.map": map_,
    "linalg.reduce": reduce,
    "linalg.broadcast": broadcast,
    "linalg.transpose": transpose,
    "linalg.select": select,
    "linalg.softmax": softmax,
    **{f"linalg.{name}": product for name in _MATMULS},
    **{
        f"linalg.{name}": elementwise
        for name in itertools.chain(_BINARY, _UNARY, ("square", "reciprocal"))
    },
}
"""Ops by name."""
