"""Random ops that move elements: slices, reshapes, joins, borders, gathers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .elementwise import empty, place_in, typed_literal
from .kernel import Builder, Scope, Value, tensor_type


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


def recast(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """Through a type without sizes and back, or to a shape that a constant holds."""
    if not value.shape:
        return None
    if builder.chance(2):
        size = math.prod(value.shape)
        shape = builder.pick([(size,), (1, size), (size, 1)])
        type_ = f"tensor<{len(shape)}xindex>"
        sizes = builder.define(f"arith.constant dense<{list(shape)}> : {type_}")
        result = tensor_type(shape, value.element)
        text = f"tensor.reshape {value.name}({sizes}) : ({value.type}, {type_}) -> {result}"
        return builder.value(text, value.element, shape, value.rough)
    opened = tensor_type([-1, *value.shape[1:]], value.element)
    name = builder.define(f"tensor.cast {value.name} : {value.type} to {opened}")
    text = f"tensor.cast {name} : {opened} to {value.type}"
    return builder.value(text, value.element, value.shape, value.rough)


def scatter(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """`tensor.scatter` of rows to constant places."""
    if len(value.shape) != 2 or 0 in value.shape or not builder.form("tensor.scatter"):
        return None
    rows, columns = value.shape
    places = builder.shuffled(range(rows))[: builder.number(1, min(rows, 3))]
    count = len(places)
    indices = builder.define(
        f"arith.constant dense<{[[p] for p in places]}> : tensor<{count}x1xindex>"
    )
    rows_type = tensor_type((count, columns), value.element)
    part = builder.define(
        f"tensor.extract_slice {value.name}[0, 0] [{count}, {columns}] [1, 1] "
        f": {value.type} to {rows_type}"
    )
    source_type = tensor_type((count, 1, columns), value.element)
    source = builder.define(
        f"tensor.expand_shape {part} [[0, 1], [2]] output_shape [{count}, 1, {columns}] "
        f": {rows_type} into {source_type}"
    )
    text = (
        f"tensor.scatter {source} into {value.name}[{indices}] scatter_dims([0]) unique "
        f": ({source_type}, {value.type}, tensor<{count}x1xindex>) -> {value.type}"
    )
    return builder.value(text, value.element, value.shape, value.rough)
