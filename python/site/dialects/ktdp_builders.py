"""Builders of ktdp ops that take numbers and values as they come, and infer types.

`from ktir.mlir.dialects import ktdp` has all of them; the classes of the ops (`ktdp.LoadOp`) remain
for those who want to state everything. Sets and maps are attributes, or their text. Each builder
puts its op at the current insertion point and returns what the op gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from .. import ir
from .._mlir_libs._ktirDialects import AccessTileType, SpyreMemorySpaceAttr, TileFutureType
from . import _ktdp_ops_gen

# The generated classes carry no types.
_ops: Any = _ktdp_ops_gen

Number: TypeAlias = "int | ir.Value"
"""A number that is known, or an index value."""

Text: TypeAlias = "str | ir.Attribute"
"""A set or a map, or its text."""

Tiles: TypeAlias = Sequence[ir.Value]


def memory_view(
    base: ir.Value,
    sizes: Sequence[Number],
    strides: Sequence[Number],
    element: ir.Type,
    space: ir.Attribute | None = None,
    points: Text | None = None,
) -> ir.Value:
    """A view of memory from the element that `base` counts to. `space`: device memory by default.
    `points`: the coordinates that exist; the box of the sizes by default.
    """
    static_sizes, values = _split(sizes)
    static_strides, steps = _split(strides)
    op = _ops.ConstructMemoryViewOp(
        ir.MemRefType.get(static_sizes, element),
        base,
        values,
        steps,
        static_sizes,
        static_strides,
        SpyreMemorySpaceAttr.get("HBM") if space is None else space,
        coordinate_set=None if points is None else _attribute(points),
    )
    return _result(op)


def distributed_view(views: Sequence[ir.Value], sizes: Sequence[int | None]) -> ir.Value:
    """One view over the coordinates of several; None is a size that is a value."""
    element = ir.MemRefType(views[0].type).element_type
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = [dynamic if size is None else size for size in sizes]
    return _result(
        _ops.ConstructDistributedMemoryViewOp(ir.MemRefType.get(shape, element), list(views))
    )


def access_tile(
    view: ir.Value,
    indices: Sequence[ir.Value],
    shape: Sequence[int],
    base_map: Text | None = None,
    points: Text | None = None,
    order: Text | None = None,
    symbols: Sequence[ir.Value] = (),
) -> ir.Value:
    """A tile of a view, from the coordinates that `base_map` makes of `indices`: the indices
    themselves by default. `points`: the box of the shape by default; `order`: row-major.
    """
    op = _ops.ConstructAccessTileOp(
        AccessTileType.get(list(shape)),
        view,
        _identity(len(indices)) if base_map is None else _attribute(base_map),
        list(indices),
        list(symbols),
        _box(shape) if points is None else _attribute(points),
        _identity(len(shape)) if order is None else _attribute(order),
    )
    return _result(op)


def indirect_access_tile(
    view: ir.Value,
    subscripts: Sequence[tuple[Text, ir.Value | None]],
    shape: Sequence[int],
    captured: Sequence[ir.Value] = (),
    points: Text | None = None,
    order: Text | None = None,
    symbols: Sequence[ir.Value] = (),
) -> ir.Value:
    """A tile whose coordinates may be read from memory. Each dimension of `view` has a map from
    `captured` and then the variables, one a dimension of `shape`, and the view of indices that it
    points into; None where the map gives the coordinate itself. `points`, `order`: as of
    `access_tile`.
    """
    op = _ops.ConstructIndirectAccessTileOp(
        AccessTileType.get(list(shape)),
        view,
        ir.ArrayAttr.get([ir.BoolAttr.get(indices is not None) for _, indices in subscripts]),
        ir.ArrayAttr.get([_attribute(map_) for map_, _ in subscripts]),
        [indices for _, indices in subscripts if indices is not None],
        list(captured),
        list(symbols),
        _box(shape) if points is None else _attribute(points),
        _identity(len(shape)) if order is None else _attribute(order),
    )
    block = op.regions[0].blocks.append(*[ir.IndexType.get()] * len(shape))
    with ir.InsertionPoint(block):
        _ops.RegionTerminatorOp()
    return _result(op)


def load_tile(tile: ir.Value, element: ir.Type) -> ir.Value:
    """The elements of a tile, as a tensor of its shape."""
    shape = AccessTileType(tile.type).shape
    return _result(_ops.LoadOp(ir.RankedTensorType.get(shape, element), tile))


def store_tile(data: ir.Value, tile: ir.Value) -> None:
    """Writes a tensor to a tile."""
    _ops.StoreOp(data, tile)


def compute_tile_id(dimensions: int = 1) -> tuple[ir.Value, ...]:
    """The coordinates of this core in the grid."""
    return tuple(_ops.GetComputeTileIdOp([ir.IndexType.get()] * dimensions).results)


def produce(
    types: Sequence[ir.Type],
    groups: Text,
    producers: Text,
    contribute: Callable[[ir.Value], Tiles],
) -> ir.Value:
    """A future of tiles of these types, one a role. `contribute` builds what a producing core
    contributes, from the number of its group.
    """
    op = _ops.InterTileProduceOp(
        TileFutureType.get(list(types), _attribute(groups)), _attribute(producers)
    )
    block = op.body.blocks.append(ir.IndexType.get())
    with ir.InsertionPoint(block):
        _ops.YieldPartialOp(list(contribute(block.arguments[0])))
    return _result(op)


def consume(future: ir.Value, consumers: Text, sources: Text | None = None) -> Tiles:
    """What one producer contributed, unchanged, one tensor a role. `sources`: whom each consumer
    depends on, as in `producer_dependency_per_consumer`.
    """
    types = TileFutureType(future.type).partial_types
    return _results(
        _ops.InterTileConsumeOp(types, future, _attribute(consumers), **_depending(sources))
    )


def reduce(
    future: ir.Value,
    identity: Tiles,
    consumers: Text,
    combine: Callable[[Tiles, Tiles], Tiles],
    sources: Text | None = None,
) -> Tiles:
    """The fold of what a group contributed, from `identity` on, with what `combine` builds."""
    types = [value.type for value in identity]
    op = _ops.InterTileReduceOp(
        types, future, list(identity), _attribute(consumers), **_depending(sources)
    )
    return _folded(op, future, combine)


def reduce_scatter(
    future: ir.Value,
    identity: Tiles,
    types: Sequence[ir.Type],
    consumers: Text,
    dimensions: Sequence[int],
    combine: Callable[[Tiles, Tiles], Tiles],
    sources: Text | None = None,
) -> Tiles:
    """The same, of which each consumer receives its slice along `dimensions`, of these types."""
    op = _ops.InterTileReduceScatterOp(
        list(types),
        future,
        list(identity),
        _attribute(consumers),
        list(dimensions),
        **_depending(sources),
    )
    return _folded(op, future, combine)


def gather(
    future: ir.Value,
    types: Sequence[ir.Type],
    consumers: Text,
    dimensions: Sequence[int],
    sources: Text | None = None,
) -> Tiles:
    """What a group contributed, joined along `dimensions`."""
    return _results(
        _ops.InterTileGatherOp(
            list(types), future, _attribute(consumers), list(dimensions), **_depending(sources)
        )
    )


def all_to_all(
    future: ir.Value,
    types: Sequence[ir.Type],
    consumers: Text,
    split: Sequence[int],
    concat: Sequence[int],
    sources: Text | None = None,
) -> Tiles:
    """Each consumer's slices along `split` of what a group contributed, joined along `concat`."""
    return _results(
        _ops.InterTileAllToAllOp(
            list(types),
            future,
            _attribute(consumers),
            list(split),
            list(concat),
            **_depending(sources),
        )
    )


def scatter(
    future: ir.Value, types: Sequence[ir.Type], consumers: Text, dimensions: Sequence[int]
) -> Tiles:
    """Each consumer's slice along `dimensions` of the one tile of a group."""
    return _results(
        _ops.InterTileScatterOp(list(types), future, _attribute(consumers), list(dimensions))
    )


def _folded(op: Any, future: ir.Value, combine: Callable[[Tiles, Tiles], Tiles]) -> Tiles:
    types = TileFutureType(future.type).partial_types
    block = op.combiner.blocks.append(*types, *types)
    arguments = list(block.arguments)
    with ir.InsertionPoint(block):
        combined = combine(arguments[: len(types)], arguments[len(types) :])
        _ops.YieldReducedOp(list(combined))
    return _results(op)


def _depending(sources: Text | None) -> dict[str, Any]:
    return {"producer_dependency_per_consumer": None if sources is None else _attribute(sources)}


def _split(numbers: Sequence[Number]) -> tuple[list[int], list[ir.Value]]:
    """Numbers with a mark where there is a value, and the values."""
    dynamic = ir.ShapedType.get_dynamic_size()
    known = [number if isinstance(number, int) else dynamic for number in numbers]
    return known, [number for number in numbers if not isinstance(number, int)]


def _attribute(text: Text) -> ir.Attribute:
    return ir.Attribute.parse(text) if isinstance(text, str) else text


def _box(shape: Sequence[int]) -> ir.Attribute:
    dims = ", ".join(f"d{dim}" for dim in range(len(shape)))
    bounds = ", ".join(f"d{dim} >= 0, {size - 1} - d{dim} >= 0" for dim, size in enumerate(shape))
    return ir.Attribute.parse(f"affine_set<({dims}) : ({bounds or '0 == 0'})>")


def _identity(rank: int) -> ir.Attribute:
    return ir.AffineMapAttr.get(ir.AffineMap.get_identity(rank))


def _result(op: Any) -> ir.Value:
    value: ir.Value = op.results[0]
    return value


def _results(op: Any) -> Tiles:
    return list(op.results)
