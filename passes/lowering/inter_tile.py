"""Selection of the inter-tile ops: cores publish tiles, others receive and join or fold them.

Owns the steps of each op. What only some cores do stands in a branch on a table by core; on the
others a result is undefined. A fold starts at the identity; sources are taken in ascending order.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence

from ktir.mlir import ir
from ktir.mlir._mlir_libs._ktirDialects import TileFutureType
from ktir.passes.ir_utils import shape_of
from ktir.passes.lowering.control import carried_values
from ktir.passes.lowering.control_steps import Branch, Loop
from ktir.passes.lowering.groups import Members, Routes, by_core
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.index import Made, Test
from ktir.passes.lowering.selection import Selection, reshaped
from ktir.passes.lowering.sets import SetError
from ktir.passes.lowering.slices import (
    Joining,
    Shape,
    divided,
    flattened,
    own_slice,
    unflattened,
)
from ktir.passes.lowering.steps import Publish, Receive, Slot
from ktir.passes.lowering.values import nothing


@lowers("ktdp.inter_tile_produce")
def _produce(selection: Selection, op: ir.Operation) -> None:
    future = op.results[0]
    producers = _members(selection, op, future, "producer_tiles_per_group")
    block = op.regions[0].blocks[0]
    groups = producers.group_of
    number = by_core([groups.get(core, 0) for core in range(selection.cores)])
    with _only(selection, op, producers):
        selection.define(block.arguments[0], number, op)
        steps, yielded = selection.block(block)
        selection.steps += steps
    key = Made("a future", ir.Type.parse("!sdf.future"))
    slots = tuple(slot for slot in yielded if isinstance(slot, Slot))
    if any(slot.extents for slot in slots):
        raise selection.refusal(
            op, "a tile whose size is a value is not exchanged; pad it to a constant size"
        )
    publish = Publish(op.location, slots, tuple(sorted(groups)), key)
    if slots:
        selection.append(publish)
    selection.futures[future] = (publish, producers)


@lowers("ktdp.inter_tile_consume")
def _consume(selection: Selection, op: ir.Operation) -> None:
    publish, routes = _delivery(selection, op)
    with _only(selection, op, routes.consumers):
        slots = _received(selection, op, publish, routes, 0)
        _bind(selection, op, slots)


@lowers("ktdp.inter_tile_reduce")
def _reduce(selection: Selection, op: ir.Operation) -> None:
    publish, routes = _delivery(selection, op)
    with _only(selection, op, routes.consumers):
        _bind(selection, op, _folded(selection, op, publish, routes))


@lowers("ktdp.inter_tile_reduce_scatter")
def _reduce_scatter(selection: Selection, op: ir.Operation) -> None:
    publish, routes = _delivery(selection, op)
    dims = _dims(op, "scatter_dimensions")
    with _only(selection, op, routes.consumers):
        folded = _folded(selection, op, publish, routes)
        _bind(selection, op, _own_slices(selection, op, routes, folded, dims))


@lowers("ktdp.inter_tile_scatter")
def _scatter(selection: Selection, op: ir.Operation) -> None:
    publish, routes = _delivery(selection, op)
    dims = _dims(op, "scatter_dimensions")
    with _only(selection, op, routes.consumers):
        whole = _received(selection, op, publish, routes, 0)
        _bind(selection, op, _own_slices(selection, op, routes, whole, dims))


@lowers("ktdp.inter_tile_gather")
def _gather(selection: Selection, op: ir.Operation) -> None:
    publish, routes = _delivery(selection, op)
    dims = _dims(op, "gather_dimensions")
    count = routes.most_sources
    with _only(selection, op, routes.consumers):
        wholes = [Joining(selection, op, dims, count, shape_of(r)) for r in _roles(op.results)]
        for number in range(count):
            parts = _received(selection, op, publish, routes, number)
            for whole, part in zip(wholes, parts, strict=True):
                whole.add(number, part)
        _bind(selection, op, [whole.whole() for whole in wholes])


@lowers("ktdp.inter_tile_all_to_all")
def _all_to_all(selection: Selection, op: ir.Operation) -> None:
    publish, routes = _delivery(selection, op)
    split, concat = _dims(op, "split_dimensions"), _dims(op, "concat_dimensions")
    with _only(selection, op, routes.consumers):
        roles = [
            _Exchange(selection, op, routes, source.shape, shape_of(result), split, concat)
            for source, result in zip(publish.sources, _roles(op.results), strict=True)
        ]
        for number in range(routes.most_sources):
            tiles = _received(selection, op, publish, routes, number)
            for role, tile in zip(roles, tiles, strict=True):
                role.add(number, tile)
        _bind(selection, op, [role.whole() for role in roles])


class _Exchange:
    """One role of an all-to-all: a slice of every tile, joined."""

    def __init__(
        self,
        selection: Selection,
        op: ir.Operation,
        routes: Routes,
        source: Shape,
        result: Shape,
        split: Sequence[int],
        concat: Sequence[int],
    ) -> None:
        self._selection, self._op, self._routes = selection, op, routes
        self._result, self._concat = result, concat
        count, parts = routes.consumer_count, routes.most_sources
        part = divided(source, split, count)
        grown = tuple(n * parts if dim == concat[0] else n for dim, n in enumerate(part))
        self._is_flat = list(split) == list(concat) and grown != result
        if self._is_flat:
            # The split dimensions are those that grow: both happen while they are one.
            length = math.prod(source[dim] for dim in split)
            others = tuple(n for dim, n in enumerate(source) if dim not in split)
            self._split, part = [0], (length // count, *others)
            whole = (length // count * parts, *others)
        else:
            self._split = list(split)
            if list(split) != list(concat):
                part = tuple(result[dim] if dim in split else n for dim, n in enumerate(source))
            whole = result
        self._part = part
        joined = [0] if self._is_flat else concat
        self._joining = Joining(selection, op, joined, parts, whole)

    def add(self, number: int, tile: Slot) -> None:
        """Appends what takes the slice of one tile and puts it in its place."""
        if self._is_flat:
            tile = flattened(self._selection, self._op, tile, self._concat)
        part = _own_slice(self._selection, self._op, self._routes, tile, self._split, self._part)
        self._joining.add(number, part)

    def whole(self) -> Slot:
        """The result after the last tile."""
        whole = self._joining.whole()
        if not self._is_flat:
            return whole
        return unflattened(self._selection, self._op, whole, self._concat, self._result)


def _members(selection: Selection, op: ir.Operation, future: ir.Value, name: str) -> Members:
    groups = ir.Attribute(TileFutureType(future.type).groups)
    try:
        return Members.of(groups, op.attributes[name], selection.cores)
    except SetError as error:
        raise selection.refusal(op, f"its groups cannot be listed: {error}") from error


def _delivery(selection: Selection, op: ir.Operation) -> tuple[Publish, Routes]:
    """What an op delivers, and who receives it from whom."""
    publish, producers = selection.futures[op.operands[0]]
    consumers = _members(selection, op, op.operands[0], "consumer_tiles_per_group")
    name = "producer_dependency_per_consumer"
    dependency = op.attributes.get(name)
    return publish, Routes.of(producers, consumers, dependency)


def _roles(values: Sequence[ir.Value]) -> list[ir.Value]:
    """Those of one value a role that have elements; others are not sent."""
    return [value for value in values if 0 not in shape_of(value)]


def _dims(op: ir.Operation, name: str) -> list[int]:
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


@contextlib.contextmanager
def _only(selection: Selection, op: ir.Operation, members: Members) -> Iterator[None]:
    """Lets steps be those of the cores that are in a group."""
    where = members.where()
    if all(where):
        yield
        return
    i1 = ir.IntegerType.get_signless(1)
    test = Test("ne", by_core([int(inside) for inside in where]), 0)
    condition = selection.made(test, "whether the core takes part", op.location, i1)
    with selection.nested() as steps:
        yield
    selection.append(Branch(op.location, condition, (), (), steps, []))


def _received(
    selection: Selection, op: ir.Operation, publish: Publish, routes: Routes, number: int
) -> list[Slot]:
    """Appends what fetches the tiles of the source at a position in the core's list."""
    targets = tuple(Slot(s.name, s.shape, s.element) for s in publish.sources)
    if targets:
        selection.append(Receive(op.location, targets, routes.source(number), publish))
    return list(targets)


def _folded(selection: Selection, op: ir.Operation, publish: Publish, routes: Routes) -> list[Slot]:
    """Appends the loop that folds the tiles of the core's sources, from the identity on."""
    block = op.regions[0].blocks[0]
    half = len(block.arguments) // 2
    left, right = _roles(block.arguments[:half]), _roles(block.arguments[half:])
    for argument in block.arguments:
        selection.bind(argument, nothing(argument))
    starts = [selection.slot(identity, op) for identity in _roles(list(op.operands)[1:])]
    if not starts:
        return []
    folds = [Slot(s.name, s.shape, s.element) for s in starts]
    counter = Made("the position of a source", ir.IndexType.get())
    with selection.nested() as steps:
        tiles = tuple(Slot(s.name, s.shape, s.element) for s in publish.sources)
        selection.append(Receive(op.location, tiles, routes.source_at(counter), publish))
        for argument, slot in zip([*left, *right], [*folds, *tiles], strict=True):
            selection.bind(argument, slot)
        combining, yielded = selection.block(block)
        selection.steps += combining
    ends = [slot for slot in yielded if isinstance(slot, Slot)]
    carried, _ = carried_values(folds, starts, ends, folds)
    selection.append(Loop(op.location, 0, routes.count(), 1, counter, carried, (), steps))
    return folds


def _own_slices(
    selection: Selection,
    op: ir.Operation,
    routes: Routes,
    slots: Sequence[Slot],
    dims: Sequence[int],
) -> list[Slot]:
    """Appends what takes the core's slice of each tile."""
    return [
        _own_slice(selection, op, routes, slot, dims, shape_of(result))
        for slot, result in zip(slots, _roles(op.results), strict=True)
    ]


def _own_slice(
    selection: Selection,
    op: ir.Operation,
    routes: Routes,
    slot: Slot,
    dims: Sequence[int],
    shape: Shape,
) -> Slot:
    count = routes.consumer_count
    return own_slice(selection, op, slot, dims, count, routes.position(), shape)


def _bind(selection: Selection, op: ir.Operation, slots: Sequence[Slot]) -> None:
    """Says what the results are; an older form of results lacks dimensions of size 1."""
    for result in op.results:
        selection.bind(result, nothing(result))
    for result, slot in zip(_roles(op.results), slots, strict=True):
        selection.bind(result, reshaped(selection, op, slot, shape_of(result)))
