"""Random computation on tensors: elementwise, conversions, movement, reductions, products.

Every function takes the builder, the scope and a value of it, and returns a new value, or None
where the op does not apply. Rough values are only moved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .kernel import FLOATS, Builder, Scope, Value, tensor_type
from .sets import identity, names, order_map

Step = Callable[[Builder, Scope, Value], "Value | None"]

FLOAT_BINARY = (
    "addf",
    "subf",
    "mulf",
    "divf",
    "maximumf",
    "minimumf",
    "maxnumf",
    "minnumf",
    "remf",
)
INTEGER_BINARY = (
    "addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui", "divsi",
    "divui", "remsi", "remui", "shli", "shrsi", "shrui", "floordivsi", "ceildivsi", "ceildivui",
)  # fmt: skip
FLOAT_UNARY = (
    "arith.negf", "math.absf", "math.ceil", "math.floor", "math.trunc", "math.roundeven",
    "math.round", "math.sqrt",
)  # fmt: skip
INTEGER_UNARY = ("math.absi", "math.ctpop", "math.ctlz", "math.cttz")
INEXACT = ("math.exp", "math.tanh", "math.rsqrt", "math.sin", "math.log", "math.erf", "math.exp2")
ORDERED = (
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
    "uno",
)
INTEGER_TESTS = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def is_float(value: Value) -> bool:
    """Whether a tensor holds floats."""
    return value.element in FLOATS


def like(builder: Builder, scope: Scope, value: Value) -> Value:
    """An exact tensor of the same type: one in scope, or a constant."""
    same = [v for v in scope.values if v.type == value.type and not v.rough]
    if same and not builder.chance(5):
        return builder.pick(same)
    return splat_constant(builder, value.shape, value.element)


def literal(builder: Builder, element: str) -> str:
    """A number of an element type."""
    if element == "i1":
        return builder.pick(["true", "false"])
    if element in FLOATS:
        return builder.pick(["0.0", "1.0", "-0.5", "2.5", "-0.0"])
    return builder.pick(["0", "1", "-3", "7"])


def typed_literal(builder: Builder, element: str) -> str:
    """A number with its type."""
    number = literal(builder, element)
    return number if element == "i1" else f"{number} : {element}"


def splat_constant(builder: Builder, shape: Sequence[int], element: str) -> Value:
    """A constant that is the same everywhere."""
    type_ = tensor_type(shape, element)
    text = f"arith.constant dense<{literal(builder, element)}> : {type_}"
    return builder.value(text, element, shape)


def empty(builder: Builder, shape: Sequence[int], element: str) -> str:
    """The name of a new `tensor.empty`."""
    return builder.define(f"tensor.empty() : {tensor_type(shape, element)}", "e")


# Elementwise.


def binary(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """An op of `arith` on two tensors."""
    if value.rough:
        return None
    other = like(builder, scope, value)
    op = builder.pick(FLOAT_BINARY if is_float(value) else _integer_binary(value.element))
    operands = [value.name, other.name] if builder.chance(2) else [other.name, value.name]
    return builder.value(
        f"arith.{op} {', '.join(operands)} : {value.type}", value.element, value.shape
    )


def _integer_binary(element: str) -> Sequence[str]:
    return INTEGER_BINARY[:10] if element == "i1" else INTEGER_BINARY


def unary(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """An exact op on one tensor."""
    if value.rough or value.element == "i1":
        return None
    op = builder.pick(FLOAT_UNARY if is_float(value) else INTEGER_UNARY)
    return builder.value(f"{op} {value.name} : {value.type}", value.element, value.shape)


def ternary(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A fused product and sum, or a comparison and a selection."""
    if value.rough:
        return None
    other = like(builder, scope, value)
    if is_float(value) and builder.chance(4):
        third = like(builder, scope, value)
        text = f"math.fma {value.name}, {other.name}, {third.name} : {value.type}"
        return builder.value(text, value.element, value.shape)
    mask = compare(builder, value, other)
    first, second = builder.shuffled([value.name, like(builder, scope, value).name])
    text = (
        f"arith.select {mask}, {first}, {second} : {tensor_type(value.shape, 'i1')}, {value.type}"
    )
    return builder.value(text, value.element, value.shape)


def compare(builder: Builder, a: Value, b: Value) -> str:
    """The name of a tensor of i1."""
    if is_float(a):
        return builder.define(f"arith.cmpf {builder.pick(ORDERED)}, {a.name}, {b.name} : {a.type}")
    return builder.define(
        f"arith.cmpi {builder.pick(INTEGER_TESTS)}, {a.name}, {b.name} : {a.type}"
    )


def mask(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A comparison, kept as a tensor of i1."""
    if value.rough:
        return None
    name = compare(builder, value, like(builder, scope, value))
    return Value(name, "i1", value.shape)


CASTS = {
    ("f16", "f32"): ("arith.extf",),
    ("bf16", "f32"): ("arith.extf",),
    ("f32", "f16"): ("arith.truncf",),
    ("f32", "bf16"): ("arith.truncf",),
    ("f16", "i32"): ("arith.fptosi",),
    ("f32", "i32"): ("arith.fptosi", "arith.fptoui", "arith.bitcast"),
    ("f32", "i64"): ("arith.fptosi", "arith.fptoui"),
    ("bf16", "i8"): ("arith.fptosi",),
    ("i32", "f16"): ("arith.sitofp", "arith.uitofp"),
    ("i32", "f32"): ("arith.sitofp", "arith.uitofp", "arith.bitcast"),
    ("i32", "bf16"): ("arith.sitofp",),
    ("i64", "f32"): ("arith.sitofp", "arith.uitofp"),
    ("i64", "f16"): ("arith.sitofp", "arith.uitofp"),
    ("i8", "f16"): ("arith.sitofp", "arith.uitofp"),
    ("i1", "f16"): ("arith.uitofp", "arith.sitofp"),
    ("i1", "i32"): ("arith.extui", "arith.extsi"),
    ("i8", "i32"): ("arith.extui", "arith.extsi"),
    ("i32", "i64"): ("arith.extui", "arith.extsi"),
    ("i64", "i32"): ("arith.trunci",),
    ("i32", "i8"): ("arith.trunci",),
    ("i32", "i1"): ("arith.trunci",),
}
"""Ops that convert from one element type to another."""


def convert(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A conversion to another element type."""
    targets = [to for source, to in CASTS if source == value.element]
    if value.rough:
        targets = [to for to in targets if to in FLOATS]
    if not targets:
        return None
    target = builder.pick(targets)
    op = builder.pick(CASTS[value.element, target])
    type_ = tensor_type(value.shape, target)
    text = f"{op} {value.name} : {value.type} to {type_}"
    return builder.value(text, target, value.shape, value.rough)


def inexact(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A function that is not exact."""
    if value.rough or not is_float(value):
        return None
    text = f"{builder.pick(INEXACT)} {value.name} : {value.type}"
    return builder.value(text, value.element, value.shape, rough=True)


def from_scalar(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A scalar everywhere: the core's number, an element of a tensor, or an argument."""
    kind = builder.pick(["core", "element", "argument"])
    if kind == "element" and value.shape and 0 not in value.shape and not value.rough:
        scalar = element_of(builder, scope, value)
    elif kind == "core" and value.element in ("i32", "f16", "f32"):
        scalar = builder.define("arith.index_cast %core : index to i32")
        if value.element != "i32":
            scalar = builder.define(f"arith.sitofp {scalar} : i32 to {value.element}")
    elif value.element in ("f16", "f32", "i32", "i64"):
        number: float = builder.number(-3, 3) / 2 if is_float(value) else builder.number(-3, 3)
        scalar = builder.scalar(number, value.element)
    else:
        return None
    return builder.value(f"tensor.splat {scalar} : {value.type}", value.element, value.shape)


def element_of(builder: Builder, scope: Scope, value: Value) -> str:
    """The name of one element of a tensor."""
    at = [place_in(builder, scope, size - 1) for size in value.shape]
    return builder.define(f"tensor.extract {value.name}[{', '.join(at)}] : {value.type}", "x")


def place_in(builder: Builder, scope: Scope, most: int) -> str:
    """The name of an index in [0, most]."""
    fitting = [i.name for i in scope.indices if i.low >= 0 and i.high <= most]
    if fitting and builder.chance(2):
        return builder.pick(fitting)
    return builder.constant(builder.number(0, most))


def set_element(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """One element replaced by another."""
    if not value.shape or 0 in value.shape or value.rough:
        return None
    scalar = element_of(builder, scope, value)
    at = [place_in(builder, scope, size - 1) for size in value.shape]
    text = f"tensor.insert {scalar} into {value.name}[{', '.join(at)}] : {value.type}"
    return builder.value(text, value.element, value.shape)


# Structured ops.


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
    ops = FLOAT_BINARY if element in FLOATS else _integer_binary(element)
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


def product(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A product of matrices or of a matrix and a vector."""
    if value.rough or len(value.shape) != 2 or value.element in ("i1", "bf16"):
        return None
    rows, inner = value.shape
    columns = builder.number(1, 5)
    if rows * inner * columns > 800:
        return None
    right = splat_constant(builder, (inner, columns), value.element)
    fitting = [
        v for v in scope.values
        if not v.rough and v.element == value.element and len(v.shape) == 2
        and v.shape[0] == inner and rows * inner * v.shape[1] <= 800
    ]  # fmt: skip
    if fitting:
        right = builder.pick(fitting)
    element = "f32" if value.element == "f16" and builder.chance(2) else value.element
    shape = (rows, right.shape[1])
    start = splat_constant(builder, shape, element)
    text = (
        f"linalg.matmul ins({value.name}, {right.name} : {value.type}, {right.type}) "
        f"outs({start.name} : {start.type}) -> {start.type}"
    )
    return builder.value(text, element, shape, rough=is_float(value))


# Movement.


def transpose(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """Dimensions in another order."""
    if len(value.shape) < 2:
        return None
    order = builder.shuffled(range(len(value.shape)))
    shape = [value.shape[d] for d in order]
    start = empty(builder, shape, value.element)
    text = (
        f"linalg.transpose ins({value.name} : {value.type}) "
        f"outs({start} : {tensor_type(shape, value.element)}) permutation = {order}"
    )
    return builder.value(text, value.element, shape, value.rough)


def broadcast(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """The tensor repeated along a new dimension."""
    if math.prod(value.shape) > 130 or len(value.shape) > 2:
        return None
    at = builder.number(0, len(value.shape))
    shape = [*value.shape[:at], builder.number(1, 4), *value.shape[at:]]
    start = empty(builder, shape, value.element)
    text = (
        f"linalg.broadcast ins({value.name} : {value.type}) "
        f"outs({start} : {tensor_type(shape, value.element)}) dimensions = [{at}]"
    )
    return builder.value(text, value.element, shape, value.rough)


def reshape(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """Dimensions joined, then perhaps divided."""
    if not value.shape or 0 in value.shape:
        return None
    rank, size = len(value.shape), math.prod(value.shape)
    if rank > 1:
        groups = f"[[{', '.join(map(str, range(rank)))}]]"
        text = f"tensor.collapse_shape {value.name} {groups} : {value.type} into "
        value = builder.value(
            text + tensor_type((size,), value.element), value.element, (size,), value.rough
        )
    factors = [n for n in range(2, 10) if size % n == 0]
    if not factors:
        return value
    shape = (builder.pick(factors), size // builder.pick(factors))
    shape = (size // shape[1], shape[1])
    text = (
        f"tensor.expand_shape {value.name} [[0, 1]] output_shape {list(shape)} "
        f": {value.type} into {tensor_type(shape, value.element)}"
    )
    return builder.value(text, value.element, shape, value.rough)


def cut(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A slice with strides, at places that may be computed."""
    if not value.shape or 0 in value.shape:
        return None
    offsets, sizes, strides = [], [], []
    for size in value.shape:
        count, step = builder.number(1, size), builder.number(1, 3)
        count = min(count, (size - 1) // step + 1)
        offsets.append(_offset(builder, scope, size - 1 - (count - 1) * step))
        sizes.append(count)
        strides.append(step)
    shape = _kept(builder, sizes)
    text = (
        f"tensor.extract_slice {value.name}[{', '.join(offsets)}] {sizes} {strides} "
        f": {value.type} to {tensor_type(shape, value.element)}"
    )
    return builder.value(text, value.element, shape, value.rough)


def _offset(builder: Builder, scope: Scope, most: int) -> str:
    return place_in(builder, scope, most) if builder.chance(3) else str(builder.number(0, most))


def _kept(builder: Builder, sizes: Sequence[int]) -> list[int]:
    """A shape without some of its ones; a rest that could be read in two ways stays whole."""
    if 1 not in sizes or not builder.chance(2):
        return list(sizes)
    return [size for size in sizes if size != 1] or [1]


def put(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A slice of another tensor replaced by this one."""
    targets = [
        v for v in scope.values
        if v.element == value.element and len(v.shape) == len(value.shape) and value.shape
        and all(a <= b for a, b in zip(value.shape, v.shape, strict=True))
    ]  # fmt: skip
    if not targets or 0 in value.shape:
        return None
    target = builder.pick(targets)
    offsets, strides = [], []
    for count, size in zip(value.shape, target.shape, strict=True):
        step = 2 if (count - 1) * 2 < size and builder.chance(3) else 1
        offsets.append(_offset(builder, scope, size - 1 - (count - 1) * step))
        strides.append(step)
    text = (
        f"tensor.insert_slice {value.name} into {target.name}[{', '.join(offsets)}] "
        f"{list(value.shape)} {strides} : {value.type} into {target.type}"
    )
    return builder.value(text, value.element, target.shape, value.rough or target.rough)


def concat(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """Tensors joined along a dimension."""
    if not value.shape or math.prod(value.shape) > 300:
        return None
    axis = builder.number(0, len(value.shape) - 1)
    rest = [*value.shape[:axis], *value.shape[axis + 1 :]]
    same = [
        v for v in scope.values
        if v.element == value.element and len(v.shape) == len(value.shape)
        and [*v.shape[:axis], *v.shape[axis + 1 :]] == rest
    ]  # fmt: skip
    parts = [value, *(builder.pick(same) for _ in range(builder.number(0, 2)) if same)]
    shape = list(value.shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    if math.prod(shape) > 700:
        return None
    text = (
        f"tensor.concat dim({axis}) {', '.join(p.name for p in parts)} "
        f": ({', '.join(p.type for p in parts)}) -> {tensor_type(shape, value.element)}"
    )
    return builder.value(text, value.element, shape, any(p.rough for p in parts))


def pad(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A border of one value."""
    if not value.shape or math.prod(value.shape) > 300:
        return None
    low = [builder.number(0, 2) for _ in value.shape]
    high = [builder.number(0, 2) for _ in value.shape]
    shape = [a + n + b for a, n, b in zip(low, value.shape, high, strict=True)]
    border = builder.define(f"arith.constant {typed_literal(builder, value.element)}")
    indices = ", ".join(f"{builder.name('i')}: index" for _ in shape)
    result = builder.name()
    builder.emit(f"{result} = tensor.pad {value.name} low{low} high{high} {{")
    builder.emit(f"^bb0({indices}):")
    builder.emit(f"tensor.yield {border} : {value.element}")
    builder.emit(f"}} : {value.type} to {tensor_type(shape, value.element)}")
    return Value(result, value.element, tuple(shape), value.rough)


def generate(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A tensor computed from its indices."""
    if value.element not in ("i32", "f16", "f32") or not value.shape:
        return None
    rank = len(value.shape)
    indices = [builder.name("i") for _ in range(rank)]
    result = builder.name()
    builder.emit(f"{result} = tensor.generate {{")
    builder.emit(f"^bb0({', '.join(f'{i}: index' for i in indices)}):")
    total = indices[0]
    for other in [*indices[1:], "%core"]:
        total = builder.define(f"arith.{builder.pick(['addi', 'muli'])} {total}, {other} : index")
    number = builder.define(f"arith.index_cast {total} : index to i32")
    if value.element != "i32":
        number = builder.define(f"arith.sitofp {number} : i32 to {value.element}")
    builder.emit(f"tensor.yield {number} : {value.element}")
    builder.emit(f"}} : {value.type}")
    return Value(result, value.element, value.shape)


def gather(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """`tensor.gather` of slices at constant places."""
    if not value.shape or 0 in value.shape or not builder.form("tensor.gather"):
        return None
    dim = builder.number(0, len(value.shape) - 1)
    places = [builder.number(0, value.shape[dim] - 1) for _ in range(builder.number(1, 3))]
    shape = [len(places), *(1 if d == dim else n for d, n in enumerate(value.shape))]
    type_ = f"tensor<{len(places)}x1xindex>"
    indices = builder.define(f"arith.constant dense<{[[p] for p in places]}> : {type_}")
    text = (
        f"tensor.gather {value.name}[{indices}] gather_dims([{dim}]) "
        f": ({value.type}, {type_}) -> {tensor_type(shape, value.element)}"
    )
    return builder.value(text, value.element, shape, value.rough)


STEPS: tuple[Step, ...] = (
    binary, binary, binary, unary, ternary, mask, convert, convert, inexact, from_scalar,
    set_element, generic, generic, named, reduce, reduce, product, transpose, broadcast, reshape,
    cut, put, concat, pad, generate, gather,
)  # fmt: skip
"""All steps; those that are listed twice are drawn more often."""


def compute(builder: Builder, scope: Scope, value: Value) -> Value:
    """A new value from one in scope, which joins the scope."""
    made = builder.pick(STEPS)(builder, scope, value) or value
    if made is not value:
        scope.values.append(made)
    return made
