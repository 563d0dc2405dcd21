"""The `ktdp` dialect: core numbers, views of memory, tiles of coordinates, loads and stores.

Owns the decoding of these ops. What their values hold is in `views`, how elements move in `tiles`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import BoundsError, MachineError, UnsupportedError, VerifyError
from ktir.machine import tiles
from ktir.machine.access import DEVICE, Access, Space, local_space
from ktir.machine.affine import AffineMap, decode_map
from ktir.machine.block import Step
from ktir.machine.coresets import CoreSet
from ktir.machine.decode import Scope, handler, scalar_type
from ktir.machine.frame import Divergence, Frame
from ktir.machine.kernel_state import KernelRun, KernelScope, kernel_run
from ktir.machine.numerics import dtype_of
from ktir.machine.part_checks import PartChecks
from ktir.machine.percore import PerCore, apply, column, per_core, rows
from ktir.machine.sets import BoundSet, IntegerSet, decode_set, sort_points
from ktir.machine.slices import DYNAMIC, Mixed, segments
from ktir.machine.values import core_coordinates, value_name
from ktir.machine.views import DistributedView, Grid, GridTile, PointTile, View
from ktir.memory_spaces import EXPECTED, memory_of
from ktir.mlir import ir
from ktir.mlir._mlir_libs._ktirDialects import RuntimeArgType
from ktir.mlir.dialects.ktdp import coordinate_set_of
from ktir.target import Target

PROMISES = ("granularity", "upperbound")
"""What the type of a runtime argument may promise of its value."""


@handler("ktdp.get_compute_tile_id")
def decode_tile_id(op: Any, scope: Scope) -> Step:
    """The coordinates of each core in the grid; dimension 0 is the fastest in core numbers."""
    return core_coordinates(scope.define_all(list(op.results)))


@handler("ktdp.runtime_arg_extract")
def decode_runtime_arg(op: Any, scope: Scope) -> None:
    """The value given at launch, or a number that the argument's type promises."""
    kind = ("value", *PROMISES)[ir.IntegerAttr(op.attributes["kind"]).value]
    if kind == "value":
        scope.alias(op.results[0], scope.slot(op.operands[0]))
        return
    promises = runtime_arg(op.operands[0].type)[1]
    if kind not in promises:
        raise VerifyError(f"{op.operands[0].type} states no {kind}")
    scope.constant(op.results[0], torch.tensor([promises[kind]]))


def runtime_arg(mlir_type: Any) -> tuple[str, dict[str, int]]:
    """The scalar type of an argument as MLIR spells it, and what a runtime argument promises."""
    if not isinstance(mlir_type, RuntimeArgType):
        return str(mlir_type), {}
    numbers = zip(PROMISES, (mlir_type.granularity, mlir_type.upper_bound), strict=True)
    promises = {word: number for word, number in numbers if number is not None}
    return str(mlir_type.underlying_type), promises


def decode_space(attribute: Any) -> Space:
    """The memory that a memory space attribute names, in either spelling."""
    memory = memory_of(attribute)
    if memory is None:
        raise UnsupportedError(f"memory space {attribute}; expected {EXPECTED}")
    if not memory.is_scratchpad:
        return DEVICE
    return Space(local=True, owners=None if memory.core is None else (memory.core,))


@handler("ktdp.construct_memory_view")
def decode_view(op: Any, scope: Scope) -> Step:
    """A view: nothing moves, nothing is checked yet."""
    (offset,), size_values, stride_values = segments(op)
    name = f"the view of {value_name(offset, scope)}"
    # A size that a pass folded is as open as it was: the type still says so.
    type_ = ir.MemRefType(op.results[0].type)
    dtype = dtype_of(str(type_.element_type))
    space = scope.once(decode_space, op.memory_space)
    valid = scope.once(decode_set, coordinate_set_of(op))
    static_sizes = list(op.static_sizes)
    is_value = tuple([size == DYNAMIC for size in static_sizes])
    dynamic = tuple([v or type_.is_dynamic_dim(dim) for dim, v in enumerate(is_value)])
    sizes = Mixed(static_sizes, scope.slots(size_values))
    strides = Mixed(list(op.static_strides), scope.slots(stride_values))
    if valid.symbols > sum(is_value):
        raise VerifyError(
            f"the coordinate set has {valid.symbols} symbols, but the view has {sum(is_value)} "
            "sizes that are values; each symbol is bound to one"
        )
    if space.local and isinstance(scope, KernelScope):
        scope.has_local_views = True
    address = scope.slot(offset)
    result = scope.define(op.results[0])

    def view(start: PerCore, lengths: Sequence[PerCore], apart: Sequence[PerCore]) -> View:
        _check_sizes(name, lengths)
        symbols = [n for n, bound in zip(lengths, is_value, strict=True) if bound]
        bound = CoreSet(valid, symbols[: valid.symbols])
        return View(name, dtype, space, start, tuple(lengths), tuple(apart), dynamic, bound)

    known: dict[tuple[int, ...], View] = {}

    def construct(frame: Frame) -> None:
        start = per_core(frame[address])
        if space.local and isinstance(frame.run, KernelRun) and frame.run.watch is not None:
            _check_alignment(name, start, dtype.itemsize, frame.run.target)
        if space.owners is not None:
            local_space(space.owners, frame.run.cores)
        lengths, apart = sizes.per_core(frame), strides.per_core(frame)
        numbers = rows((*lengths, *apart))
        if len(numbers) > 1:
            frame[result] = view(start, lengths, apart)
            return
        found = known.get(numbers[0])
        if found is None:
            if len(known) == _KNOWN_VIEWS:
                known.clear()
            found = known[numbers[0]] = view(start, lengths, apart)
            found.learn()
        frame[result] = found.at(start)

    return construct


_KNOWN_VIEWS = 256
"""Shapes of one view that are kept worked out."""


def _check_sizes(name: str, sizes: Sequence[PerCore]) -> None:
    """Raises BoundsError for a view of fewer than no elements."""
    for dim, values in enumerate(sizes):
        if min(values) < 0:
            raise BoundsError(
                f"{name} has size {min(values)} in dimension {dim}; sizes are 0 or more"
            )


def _check_alignment(name: str, address: PerCore, item: int, target: Target) -> None:
    """Raises BoundsError for a view of a scratchpad that does not begin at a legal address."""
    unit = target.scratchpad.alignment_bytes
    wrong = [start for start in address if start * item % unit]
    if wrong:
        raise BoundsError(
            f"{name} begins at byte {wrong[0] * item} of a scratchpad; views of scratchpads begin "
            f"at multiples of {unit} bytes"
        )


@handler("ktdp.construct_distributed_memory_view")
def decode_distributed_view(op: Any, scope: Scope) -> Step:
    """Views put together; their sets must not overlap and must fit what each part holds."""
    slots = scope.slots(list(op.operands))
    dtype = dtype_of(scalar_type(op.results[0].type))
    names = ", ".join(value_name(view, scope) for view in op.operands)
    checks = PartChecks()
    result = scope.define(op.results[0])

    def compose(frame: Frame) -> None:
        parts = tuple(frame[slot] for slot in slots)
        checks.check(parts)
        frame[result] = DistributedView(f"the distributed view of {names}", dtype, parts)

    return compose


def tile_shape(tile: Any) -> tuple[int, ...]:
    """The shape of an access tile type; -1 for `?`."""
    return tuple([-1 if size == DYNAMIC else size for size in tile.shape])


def _resolved(shape: tuple[int, ...], counts: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a tile with so many points along each axis. Raises MachineError if it
    differs."""
    number = math.prod(counts)
    if -1 in shape:
        shape = counts if len(shape) == len(counts) else shape
        known = math.prod(size for size in shape if size >= 0)
        if shape.count(-1) == 1 and known:
            shape = tuple(number // known if size < 0 else size for size in shape)
    if math.prod(shape) != number or -1 in shape:
        text = "x".join("?" if size < 0 else str(size) for size in shape)
        raise MachineError(f"the set has {number} points, which do not fill a tile of {text}")
    return shape


class Geometry:
    """The points of a tile relative to its base, by the values of its symbols."""

    def __init__(self, points: IntegerSet, order: AffineMap, shape: tuple[int, ...]) -> None:
        self._set = points
        self._order = order
        self._shape = shape
        self._known: dict[tuple[int, ...], tuple[Any, Any, tuple[int, ...]]] = {}

    def bind(self, symbols: Sequence[PerCore]) -> tuple[Any, Any, tuple[int, ...]]:
        """A grid with its starts, or None and the points in order; and the tile's shape.

        Raises Divergence if symbols that differ by core give more than different starts.
        """
        keys = rows(symbols)
        if len(keys) == 1:
            return self._at(keys[0])
        found = [self._at(key) for key in keys]
        grid, _, shape = found[0]
        if grid is None or any(
            other is None or other.axes != grid.axes or shape != size for other, _, size in found
        ):
            raise Divergence(keys)
        starts = zip(*(starts for _, starts, _ in found), strict=True)
        return grid, tuple([first for (first,) in dim] for dim in starts), shape

    def _at(self, key: tuple[int, ...]) -> tuple[Any, Any, tuple[int, ...]]:
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._build(self._set.bind(key))
        return found

    def _build(self, points: BoundSet) -> tuple[Any, Any, tuple[int, ...]]:
        axes = points.axes
        if axes is None or self._order.permutation is None:
            ordered = sort_points(points.points(), self._order)
            return None, ordered, _resolved(self._shape, (len(ordered),))
        grid = Grid([(dim, axes[dim].step, axes[dim].count) for dim in self._order.permutation])
        return grid, tuple((axis.start,) for axis in axes), _resolved(self._shape, grid.counts)


def symbols_of(values: Sequence[ir.Value[Any]], scope: Scope) -> Callable[[Frame], list[PerCore]]:
    """Reads the symbols of a set."""
    slots = scope.slots(list(values))
    return lambda frame: [per_core(frame[slot]) for slot in slots]


@handler("ktdp.construct_access_tile")
def decode_access_tile(op: Any, scope: Scope) -> Step:
    """The points of a set, shifted to where the subscripts say."""
    (of,), index_values, symbol_values = segments(op)
    if not isinstance(of.type, ir.MemRefType):
        raise UnsupportedError("an access tile of a tensor; use a view of memory")
    subscripts = scope.once(decode_map, op.base_map)
    indices = scope.slots(index_values)
    symbols = symbols_of(symbol_values, scope)
    order = scope.once(decode_map, op.access_tile_order)
    points = scope.once(decode_set, op.access_tile_set)
    geometry = scope.once(Geometry, points, order, tile_shape(op.results[0].type))
    base = scope.slot(of)
    result = scope.define(op.results[0])

    def construct(frame: Frame) -> None:
        corner = [_per_core(v) for v in subscripts([frame[slot] for slot in indices])]
        grid, points, shape = geometry.bind(symbols(frame))
        if grid is None:
            coordinates = [column(values, 1) + points[:, dim] for dim, values in enumerate(corner)]
            frame[result] = PointTile(frame[base], coordinates, (len(points),), shape)
            return
        start = [
            values if len(first) == 1 and not first[0] else apply(operator.add, values, first)
            for values, first in zip(corner, points, strict=True)
        ]
        frame[result] = GridTile(frame[base], start, grid, shape)

    return construct


def _per_core(value: Any) -> PerCore:
    """An index value or a plain number as ints, one for all cores or one a core."""
    return per_core(value) if isinstance(value, Tensor) else [int(value)]


@handler("ktdp.load")
def decode_load(op: Any, scope: Scope) -> Step:
    """Elements at a tile's coordinates."""
    tile = scope.slot(op.access_tile)
    result = scope.define(op.results[0])

    def load(frame: Frame) -> None:
        source = frame[tile]
        access = Access(frame, "reads", source.view.name, source.point)
        frame[result] = tiles.load(source, access)

    def resolve(frame: Frame) -> tuple[Step, tuple[int, ...]] | None:
        source = frame[tile]
        read = tiles.loader(source, Access(frame, "reads", source.view.name, source.point))
        if read is None:
            return None

        def again(frame: Frame) -> None:
            frame[result] = read(kernel_run(frame))

        return again, ()

    return scope.resolves(load, resolve)


@handler("ktdp.store")
def decode_store(op: Any, scope: Scope) -> Step:
    """Elements to a tile's coordinates."""
    tile, data = scope.slot(op.access_tile), scope.slot(op.data_tile)

    def store(frame: Frame) -> None:
        target = frame[tile]
        access = Access(frame, "writes", target.view.name, target.point)
        tiles.store(target, frame[data], access)

    def resolve(frame: Frame) -> tuple[Step, tuple[int, ...]] | None:
        target = frame[tile]
        write = tiles.storer(target, Access(frame, "writes", target.view.name, target.point))
        if write is None:
            return None

        def again(frame: Frame) -> None:
            write(frame[data], kernel_run(frame))

        return again, (data,)

    return scope.resolves(store, resolve)
