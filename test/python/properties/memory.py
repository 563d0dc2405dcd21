"""Loads and stores through random tiles: where they are, in what order, direct and indirect."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch

from .kernel import DTYPES, Builder, Scope, Value, sized
from .sets import PointSet, box, order_map, point_set
from .views import Range, View, device_view, distributed_view

Subscript = tuple[str, int, int]
"""An expression of indices in scope, and its range."""


def subscript(builder: Builder, scope: Scope, most: int = 12) -> Subscript:
    """An affine expression of at most two indices, never below 0."""
    kind = builder.pick(["constant", "index", "scaled", "sum", "floordiv", "mod"])
    if kind == "constant" or not scope.indices:
        number = builder.number(0, 3)
        return str(number), number, number
    index = builder.pick(scope.indices)
    if index.low < 0 or index.high > most:
        return "0", 0, 0
    if kind == "index":
        return index.name, index.low, index.high
    if kind == "scaled":
        factor, more = builder.number(1, 3), builder.number(0, 2)
        return (
            f"{index.name} * {factor} + {more}",
            index.low * factor + more,
            index.high * factor + more,
        )
    if kind == "floordiv":
        return f"{index.name} floordiv 2", index.low // 2, index.high // 2
    if kind == "mod":
        return f"({index.name} + 1) mod 3", 0, 2
    other = builder.pick(scope.indices)
    if other.low < 0 or other.high > most:
        return f"{index.name} + 1", index.low + 1, index.high + 1
    return f"{index.name} + {other.name}", index.low + other.low, index.high + other.high


def load(builder: Builder, scope: Scope, shape: Sequence[int], element: str) -> Value:
    """A load of a tensor of this shape from a new array."""
    if len(shape) <= 3 and builder.form("indirect tile", 5):
        tile = _indirect_tile(builder, scope, shape, element)
    else:
        tile = _direct_tile(builder, scope, shape, element)
    return load_from(builder, tile, shape, element)


def load_from(builder: Builder, tile: str, shape: Sequence[int], element: str) -> Value:
    """The elements of a tile."""
    prefix = builder.pick(["", "!ktdp.access_tile"])
    value = builder.name()
    result = Value(value, element, tuple(shape))
    builder.emit(f"{value} = ktdp.load {tile} : {prefix}<{sized(shape, 'index')}> -> {result.type}")
    return result


def _direct_tile(builder: Builder, scope: Scope, shape: Sequence[int], element: str) -> str:
    points = point_set(builder, shape)
    corner = [subscript(builder, scope) for _ in shape]
    ranges = [
        (low + first, high + last)
        for (_, low, high), (first, last) in zip(corner, points.ranges, strict=True)
    ]
    if 0 not in shape and builder.form("distributed view", 5):
        view = distributed_view(
            builder, ranges, element, False, may_be_odd(builder, points, corner)
        )
    else:
        odd = may_be_odd(builder, points, corner)
        view = device_view(builder, ranges, element, False, may_be_odd=odd)
    return access_tile(builder, view, [text for text, _, _ in corner], points, shape)


def may_be_odd(builder: Builder, points: PointSet, corner: Sequence[Subscript]) -> bool:
    """Whether the set of the view under a tile need not be a box."""
    if not points.is_odd or all(text.isdecimal() for text, _, _ in corner):
        return True
    return builder.form("odd view under an odd tile that moves")


def access_tile(
    builder: Builder, view: View, corner: Sequence[str], points: PointSet, shape: Sequence[int]
) -> str:
    """The op that names the points of a set."""
    order = builder.shuffled(range(len(shape))) if builder.chance(3) else range(len(shape))
    symbols = f" symbols({', '.join(points.symbols)})" if points.symbols else ""
    return builder.define(
        f"ktdp.construct_access_tile {view.name}[{', '.join(corner)}]{symbols} "
        f"{{access_tile_set = {points.text}, access_tile_order = {order_map(order)}}} "
        f": {view.type} -> !ktdp.access_tile<{sized(shape, 'index')}>",
        "tile",
    )


def store(builder: Builder, scope: Scope, value: Value) -> None:
    """A store of a tensor to places that no other core writes."""
    if not value.shape:
        value = with_rank(builder, value)
    if 0 not in value.shape and builder.form("scatter", 6):
        tile = _scatter_tile(builder, value)
    else:
        tile = _own_tile(builder, scope, value)
    store_to(builder, value, tile)
    if builder.form("load of what was stored", 6):
        scope.values.append(load_from(builder, tile, value.shape, value.element))


def store_to(builder: Builder, value: Value, tile: str) -> None:
    """Stores a tensor to a tile."""
    builder.emit(f"ktdp.store {value.name}, {tile} : {value.type}, <{sized(value.shape, 'index')}>")


def with_rank(builder: Builder, value: Value) -> Value:
    """A tensor of rank 0 as one of rank 1."""
    result = Value(builder.name(), value.element, (1,), value.rough)
    builder.emit(
        f"{result.name} = tensor.expand_shape {value.name} [] output_shape [1] "
        f": {value.type} into {result.type}"
    )
    return result


def _own_tile(builder: Builder, scope: Scope, value: Value) -> str:
    """A tile that starts further on in one dimension for each core; or at an address of its own."""
    points = point_set(builder, value.shape)
    rank = len(value.shape)
    inner = [subscript(builder, scope, most=6) for _ in range(rank)]
    dim = builder.number(0, rank - 1)
    span = inner[dim][2] + points.ranges[dim][1] + 1
    corner = [text for text, _, _ in inner]
    ranges = [
        (low + first, high + last)
        for (_, low, high), (first, last) in zip(inner, points.ranges, strict=True)
    ]
    odd = may_be_odd(builder, points, inner if builder.cores == 1 else [("%core", 0, 1)])
    if builder.cores > 1:
        corner[dim] = f"%core * {max(span, 1)} + {corner[dim]}"
        low, high = ranges[dim]
        ranges[dim] = (low, high + max(span, 1) * (builder.cores - 1))
    if 0 not in value.shape and builder.form("distributed view", 6):
        view = distributed_view(builder, ranges, value.element, True, odd)
    else:
        view = device_view(builder, ranges, value.element, True, may_be_odd=odd)
    return access_tile(builder, view, corner, points, value.shape)


def _index_array(values: Sequence[int], element: str) -> torch.Tensor:
    return torch.tensor(list(values), dtype=torch.int64).to(DTYPES[element])


def _variables(builder: Builder, rank: int) -> list[str]:
    return [builder.name("m") for _ in range(rank)]


def _tile_of_variables(
    builder: Builder,
    view: View,
    variables: Sequence[str],
    subscripts: Sequence[str],
    points: PointSet,
    shape: Sequence[int],
    index_types: Sequence[str],
) -> str:
    order = builder.shuffled(range(len(shape))) if builder.chance(3) else range(len(shape))
    symbols = f" symbols({', '.join(points.symbols)})" if points.symbols else ""
    space = builder.pick(["", " "])
    types = ", ".join([view.type, *index_types])
    return builder.define(
        f"ktdp.construct_indirect_access_tile intermediate_variables{space}"
        f"({', '.join(variables)}) {view.name}[{', '.join(subscripts)}]{symbols} "
        f"{{variables_space_set = {points.text}, variables_space_order = {order_map(order)}}} "
        f": {types} -> !ktdp.access_tile<{sized(shape, 'index')}>",
        "tile",
    )


def _indirect_tile(builder: Builder, scope: Scope, shape: Sequence[int], element: str) -> str:
    """A gather: some dimensions of a view are subscripted through arrays of indices."""
    points = point_set(builder, shape)
    variables = _variables(builder, len(shape))
    rank = builder.number(1, min(len(shape) + 1, 3))
    is_indirect = [builder.chance(2) for _ in range(rank)]
    if not any(is_indirect):
        is_indirect[builder.number(0, rank - 1)] = True
    ranges: list[Range] = []
    subscripts, types = [], []
    for dim in range(rank):
        if is_indirect[dim]:
            size = builder.number(1, 9)
            text, type_ = _ind(builder, scope, variables, points, size)
            types.append(type_)
            ranges.append((0, size - 1))
        else:
            text, low, high = _direct(builder, scope, variables, points)
            ranges.append((low, high))
        subscripts.append(text)
    odd = builder.form("odd view under an odd tile that moves")
    if 0 not in shape and builder.form("distributed view at indices", 5):
        view = distributed_view(builder, _closed(ranges), element, False, odd)
    else:
        view = device_view(builder, _closed(ranges), element, False, is_indirect, odd)
    return _tile_of_variables(builder, view, variables, subscripts, points, shape, types)


def _closed(ranges: Sequence[Range]) -> list[Range]:
    """Ranges with at least one coordinate."""
    return [(low, max(high, low)) for low, high in ranges]


def _term(builder: Builder, variables: Sequence[str], points: PointSet) -> tuple[str, int, int]:
    """An expression of one variable."""
    at = builder.number(0, len(variables) - 1)
    low, high = points.ranges[at]
    high = max(high, low)
    kind = builder.pick(["plain", "plain", "floordiv", "mod"])
    if kind == "floordiv":
        return f"{variables[at]} floordiv 3", low // 3, high // 3
    if kind == "mod":
        return f"{variables[at]} mod 4", 0, 3
    return variables[at], low, high


def _direct(
    builder: Builder, scope: Scope, variables: Sequence[str], points: PointSet
) -> tuple[str, int, int]:
    """A direct subscript: variables and values of the function."""
    text, low, high = _term(builder, variables, points)
    if builder.chance(3):
        more, least, most = subscript(builder, scope, most=4)
        text, low, high = f"{more} + {text}", low + least, high + most
    return f"({text})", low, high


def _ind(
    builder: Builder, scope: Scope, variables: Sequence[str], points: PointSet, size: int
) -> tuple[str, str]:
    """`ind(%array[..])` with indices in [0, size), and the type of the array's view."""
    places = [_direct(builder, scope, variables, points) for _ in range(builder.number(1, 2))]
    element = builder.pick(["i32", "i64"])
    shape = [max(high, 0) + 1 for _, _, high in places]
    generator = np.random.default_rng(builder.number(0, 999))
    indices = generator.integers(0, size, math.prod(shape)).tolist()
    view = index_view(builder, shape, indices, element)
    inner = ", ".join(text[1:-1] for text, _, _ in places)
    return f"ind({view.name}[{inner}])", view.type


def index_view(
    builder: Builder, shape: Sequence[int], indices: Sequence[int], element: str
) -> View:
    """A row-major view of a new array of indices."""
    pointer = builder.array(_index_array(indices, element))
    strides = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
    signed = f"s{element}" if builder.form("signed index tensors", 6) else element
    type_ = f"memref<{sized(shape, signed)}>"
    name = builder.define(
        f"ktdp.construct_memory_view {pointer}, sizes: {list(shape)}, strides: {strides} "
        f"{{coordinate_set = {box(shape)}, memory_space = #ktdp.spyre_memory_space<HBM>}} "
        f": {type_}",
        "indices",
    )
    return View(name, type_)


def _scatter_tile(builder: Builder, value: Value) -> str:
    """A scatter along one dimension, to different places for each point and core."""
    points = PointSet(box(value.shape), tuple((0, n - 1) for n in value.shape))
    variables = _variables(builder, len(value.shape))
    dim = builder.number(0, len(value.shape) - 1)
    count = value.shape[dim] * builder.cores
    generator = np.random.default_rng(builder.number(0, 999))
    size = count + builder.number(0, 3)
    indices = generator.permutation(size)[:count].tolist()
    view = index_view(
        builder, [builder.cores, value.shape[dim]], indices, builder.pick(["i32", "i64"])
    )
    subscripts = [f"({name})" for name in variables]
    subscripts[dim] = f"ind({view.name}[%core, {variables[dim]}])"
    ranges = [(0, size - 1 if d == dim else n - 1) for d, n in enumerate(value.shape)]
    is_read = [d == dim for d in range(len(ranges))]
    if builder.form("distributed view at indices", 5):
        target = distributed_view(builder, ranges, value.element, True, may_be_odd=True)
    else:
        target = device_view(builder, ranges, value.element, True, is_read)
    return _tile_of_variables(
        builder, target, variables, subscripts, points, value.shape, [view.type]
    )
