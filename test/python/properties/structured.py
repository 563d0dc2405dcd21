"""Random structured ops: `linalg.generic` with bodies of its own, named ops, folds, products."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .elementwise import (
    FLOAT_BINARY,
    INTEGER_TESTS,
    ORDERED,
    empty,
    integer_binary,
    is_float,
    like,
    splat_constant,
)
from .kernel import FLOATS, Builder, Scope, Value, tensor_type
from .sets import identity, names, order_map


def generic(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A pointwise `linalg.generic`: permuted and repeated inputs, an output in any order."""
    if value.rough or not value.shape:
        return None
    rank = len(value.shape)
    loops = builder.shuffled(range(rank))
    extents = [value.shape[loops.index(d)] for d in range(rank)]
    operands, maps = [value], [order_map(loops)]
    for other in scope.values:
        subscripts = _subscripts(other, extents)
        if subscripts and not other.rough and len(operands) < 3 and builder.chance(3):
            operands.append(other)
            maps.append(f"affine_map<({names(rank)}) -> ({', '.join(subscripts)})>")
    out = builder.shuffled(range(rank))
    shape = [extents[d] for d in out]
    maps.append(order_map(out))
    start = empty(builder, shape, value.element)
    text = _generic(builder, operands, maps, ["parallel"] * rank, start, value.element, shape)
    return _with_body(builder, text, operands, value.element, shape, rank)


def _subscripts(other: Value, extents: Sequence[int]) -> list[str]:
    """Loops that fit a tensor's sizes, each once; empty if there are none."""
    left = list(range(len(extents)))
    found = []
    for size in other.shape:
        at = next((d for d in left if extents[d] == size), None)
        if at is None:
            return []
        left.remove(at)
        found.append(f"d{at}")
    return found


def _generic(
    builder: Builder,
    operands: Sequence[Value],
    maps: Sequence[str],
    iterators: Sequence[str],
    start: str,
    element: str,
    shape: Sequence[int],
) -> str:
    kinds = ", ".join(f'"{kind}"' for kind in iterators)
    return (
        f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} "
        f"ins({', '.join(v.name for v in operands)} : {', '.join(v.type for v in operands)}) "
        f"outs({start} : {tensor_type(shape, element)}) {{"
    )


def _with_body(
    builder: Builder,
    opening: str,
    operands: Sequence[Value],
    element: str,
    shape: Sequence[int],
    rank: int,
) -> Value:
    """A body of a few scalar ops that ends in a value of the element type."""
    result = builder.name()
    arguments = [builder.name("b") for _ in operands]
    types = [v.element for v in operands]
    signature = ", ".join(f"{a}: {t}" for a, t in zip(arguments, types, strict=True))
    output = builder.name("b")
    builder.emit(f"{result} = {opening}")
    builder.emit(f"^bb0({signature}, {output}: {element}):")
    known = [a for a, t in zip(arguments, types, strict=True) if t == element]
    if builder.chance(3) and element in ("i32", "i64", "f16", "f32") and rank:
        known.append(_loop_index(builder, element, rank))
    current = known[0]
    for _ in range(builder.number(0, 3)):
        current = _scalar_step(builder, current, builder.pick(known), element)
        known.append(current)
    builder.emit(f"linalg.yield {current} : {element}")
    builder.emit(f"}} -> {tensor_type(shape, element)}")
    return Value(result, element, tuple(shape))


def _loop_index(builder: Builder, element: str, rank: int) -> str:
    """The index of a loop as a scalar of an element type."""
    index = builder.define(f"linalg.index {builder.number(0, rank - 1)} : index", "l")
    if element == "i64":
        return builder.define(f"arith.index_cast {index} : index to i64", "l")
    number = builder.define(f"arith.index_cast {index} : index to i32", "l")
    if element == "i32":
        return number
    return builder.define(f"arith.sitofp {number} : i32 to {element}", "l")


def _scalar_step(builder: Builder, a: str, b: str, element: str) -> str:
    if builder.chance(3):
        test = (
            f"arith.cmpf {builder.pick(ORDERED)}"
            if element in FLOATS
            else f"arith.cmpi {builder.pick(INTEGER_TESTS)}"
        )
        condition = builder.define(f"{test}, {a}, {b} : {element}", "t")
        return builder.define(f"arith.select {condition}, {b}, {a} : {element}", "t")
    ops = FLOAT_BINARY if element in FLOATS else integer_binary(element)
    return builder.define(f"arith.{builder.pick(ops)} {a}, {b} : {element}", "t")


NAMED = ("add", "sub", "mul", "max", "min", "div")


def named(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """An elementwise named op, or `linalg.map`."""
    if value.rough or value.element == "i1" or not builder.form("elementwise named ops"):
        return None
    other = like(builder, scope, value)
    start = empty(builder, value.shape, value.element)
    ins = f"ins({value.name}, {other.name} : {value.type}, {value.type})"
    if builder.chance(3) and builder.form("linalg.map"):
        op = "arith.addf" if is_float(value) else "arith.addi"
        text = f"linalg.map {{ {op} }} {ins} outs({start} : {value.type})"
        return builder.value(text, value.element, value.shape)
    op = builder.pick(NAMED)
    text = f"linalg.{op} {ins} outs({start} : {value.type}) -> {value.type}"
    return builder.value(text, value.element, value.shape)


def reduce(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A fold over some dimensions, by `linalg.reduce` or `linalg.generic`."""
    if value.rough or not value.shape or value.element == "i1":
        return None
    rank = len(value.shape)
    dims = sorted(builder.shuffled(range(rank))[: builder.number(1, rank)])
    kept = [d for d in range(rank) if d not in dims]
    shape = [value.shape[d] for d in kept]
    op = builder.pick(["addf", "maximumf", "minimumf", "addf"] if is_float(value) else
                      ["addi", "maxsi", "minui", "xori", "muli", "andi"])  # fmt: skip
    start = splat_constant(builder, shape, value.element)
    if 0 in value.shape and op == "addf":  # of a sum of nothing the machine makes +0
        type_ = tensor_type(shape, value.element)
        start = builder.value(f"arith.constant dense<1.0> : {type_}", value.element, shape)
    rough = op == "addf"
    type_ = tensor_type(shape, value.element)
    if builder.chance(2):
        text = (
            f"linalg.reduce {{ arith.{op} }} ins({value.name} : {value.type}) "
            f"outs({start.name} : {type_}) dimensions = {dims}"
        )
        return builder.value(text, value.element, shape, rough)
    iterators = ["reduction" if d in dims else "parallel" for d in range(rank)]
    maps = [identity(rank), f"affine_map<({names(rank)}) -> ({', '.join(f'd{d}' for d in kept)})>"]
    opening = _generic(builder, [value], maps, iterators, start.name, value.element, shape)
    result, item, total, next_ = (builder.name("r") for _ in range(4))
    builder.emit(f"{result} = {opening}")
    builder.emit(f"^bb0({item}: {value.element}, {total}: {value.element}):")
    builder.emit(f"{next_} = arith.{op} {total}, {item} : {value.element}")
    builder.emit(f"linalg.yield {next_} : {value.element}")
    builder.emit(f"}} -> {type_}")
    return Value(result, value.element, tuple(shape), rough)


UNARY = ("negf", "abs", "ceil", "floor", "sqrt", "round", "square", "reciprocal")
INEXACT_UNARY = ("exp", "tanh", "log", "erf", "rsqrt")


def named_unary(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A named op on each element."""
    if value.rough or not is_float(value) or not builder.form("elementwise named ops"):
        return None
    rough = builder.chance(3)
    op = builder.pick(INEXACT_UNARY if rough else UNARY)
    start = empty(builder, value.shape, value.element)
    text = (
        f"linalg.{op} ins({value.name} : {value.type}) outs({start} : {value.type}) -> {value.type}"
    )
    return builder.value(text, value.element, value.shape, rough)


def softmax(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """`linalg.softmax` along one dimension."""
    if value.rough or not is_float(value) or not value.shape or 0 in value.shape:
        return None
    if not builder.form("linalg.softmax"):
        return None
    axis = builder.number(0, len(value.shape) - 1)
    start = empty(builder, value.shape, value.element)
    text = (
        f"linalg.softmax dimension({axis}) ins({value.name} : {value.type}) "
        f"outs({start} : {value.type}) -> {value.type}"
    )
    return builder.value(text, value.element, value.shape, rough=True)


def largest(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """The place of the largest element along the last dimension: two results of one op."""
    if value.rough or value.element not in ("f16", "f32", "i32") or not value.shape:
        return None
    if 0 in value.shape or not builder.form("two folds in one op"):
        return None
    rank, shape = len(value.shape), value.shape[:-1]
    best = splat_constant(builder, shape, value.element)
    place = splat_constant(builder, shape, "i32")
    kept = f"affine_map<({names(rank)}) -> ({names(rank - 1)})>"
    kinds = ", ".join([*['"parallel"'] * (rank - 1), '"reduction"'])
    result, item, so_far, at = (builder.name("g") for _ in range(4))
    builder.emit(
        f"{result}:2 = linalg.generic {{indexing_maps = [{identity(rank)}, {kept}, {kept}], "
        f"iterator_types = [{kinds}]}} ins({value.name} : {value.type}) "
        f"outs({best.name}, {place.name} : {best.type}, {place.type}) {{"
    )
    builder.emit(f"^bb0({item}: {value.element}, {so_far}: {value.element}, {at}: i32):")
    index = builder.define(f"linalg.index {rank - 1} : index")
    number = builder.define(f"arith.index_cast {index} : index to i32")
    test = "cmpf ogt" if is_float(value) else "cmpi sgt"
    more = builder.define(f"arith.{test}, {item}, {so_far} : {value.element}")
    chosen = builder.define(f"arith.select {more}, {item}, {so_far} : {value.element}")
    where = builder.define(f"arith.select {more}, {number}, {at} : i32")
    builder.emit(f"linalg.yield {chosen}, {where} : {value.element}, i32")
    builder.emit(f"}} -> ({best.type}, {place.type})")
    scope.values.append(Value(f"{result}#0", value.element, shape))
    return Value(f"{result}#1", "i32", shape)


def window(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """Sums of neighbours: a subscript that adds two loops."""
    if value.rough or len(value.shape) != 1 or value.element not in ("f32", "i32"):
        return None
    if value.shape[0] < 4 or not builder.form("subscripts that add loops"):
        return None
    width = builder.number(1, 3)
    weights = splat_constant(builder, (width,), value.element)
    shape = (value.shape[0] - width + 1,)
    start = splat_constant(builder, shape, value.element)
    kind = "f" if is_float(value) else "i"
    result, item, weight, total = (builder.name("g") for _ in range(4))
    builder.emit(
        f"{result} = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, "
        "affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], "
        f'iterator_types = ["parallel", "reduction"]}} ins({value.name}, {weights.name} : '
        f"{value.type}, {weights.type}) outs({start.name} : {start.type}) {{"
    )
    builder.emit(f"^bb0({', '.join(f'{n}: {value.element}' for n in (item, weight, total))}):")
    part = builder.define(f"arith.mul{kind} {item}, {weight} : {value.element}")
    more = builder.define(f"arith.add{kind} {total}, {part} : {value.element}")
    builder.emit(f"linalg.yield {more} : {value.element}")
    builder.emit(f"}} -> {start.type}")
    return Value(result, value.element, shape, rough=is_float(value))


PRODUCTS: dict[str, tuple[str, str, str, str]] = {
    "matmul": ("mk", "kn", "mn", ""),
    "matmul of a transposed left": ("km", "kn", "mn", "d2, d0|d2, d1|d0, d1"),
    "matmul of a transposed right": ("mk", "nk", "mn", "d0, d2|d1, d2|d0, d1"),
    "batch_matmul": ("bmk", "bkn", "bmn", ""),
    "matvec": ("mk", "k", "m", ""),
    "vecmat": ("k", "kn", "n", ""),
    "dot": ("k", "k", "", ""),
}
"""Named products: the dimensions of both operands and the result, and indexing maps if they are not
the usual ones."""


def product(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A product of matrices or vectors."""
    if value.rough or value.element in ("i1", "bf16"):
        return None
    kinds = [name for name, dims in PRODUCTS.items() if len(dims[0]) == len(value.shape)]
    if not kinds:
        return None
    kind = builder.pick(kinds)
    if kind != "matmul" and not builder.form("products of all kinds"):
        return None
    left, right, out, maps = PRODUCTS[kind]
    sizes = dict(zip(left, value.shape, strict=True))
    sizes.setdefault("n", builder.number(1, 5))
    if math.prod(sizes.values()) > 800:
        return None
    other = _operand(builder, scope, value, tuple(sizes[d] for d in right))
    element = "f32" if value.element == "f16" and builder.chance(2) else value.element
    start = splat_constant(builder, [sizes[d] for d in out], element)
    op = "matmul" if kind.startswith("matmul") else kind
    text = f"linalg.{op} "
    if maps:
        each = [f"affine_map<(d0, d1, d2) -> ({part})>" for part in maps.split("|")]
        text += f"indexing_maps = [{', '.join(each)}] "
    text += (
        f"ins({value.name}, {other.name} : {value.type}, {other.type}) "
        f"outs({start.name} : {start.type}) -> {start.type}"
    )
    return builder.value(text, element, start.shape, rough=is_float(value))


def _operand(builder: Builder, scope: Scope, value: Value, shape: tuple[int, ...]) -> Value:
    """An exact tensor of this shape: one in scope, or a constant."""
    fitting = [
        v for v in scope.values
        if not v.rough and v.element == value.element and v.shape == shape
    ]  # fmt: skip
    return builder.pick(fitting) if fitting else splat_constant(builder, shape, value.element)
