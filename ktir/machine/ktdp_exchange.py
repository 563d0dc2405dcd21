"""The inter-tile family of `ktdp`: tiles that cores publish, and what others make of them.

Owns the decoding of `ktdp.inter_tile_produce` and of its six deliveries. Results on cores that are
no consumers have bytes 0xFF, as fresh memory. A fold starts at the identity and goes on in
ascending order of core numbers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import VerifyError
from ktir.machine.block import Block, Step
from ktir.machine.board import Future
from ktir.machine.control import run_for
from ktir.machine.decode import Scope, decode_region, handler, scalar_type, terminators
from ktir.machine.exchange import Deliveries, Producers
from ktir.machine.frame import CoreGroup, Frame, is_uniform, narrow
from ktir.machine.futures import arrived, publish
from ktir.machine.garbage import Garbage, Origin
from ktir.machine.kernel_state import KernelScope, kernel_run
from ktir.machine.location import Place
from ktir.machine.memory import buffer_bytes
from ktir.machine.numerics import dtype_of
from ktir.machine.percore import alike, distinct
from ktir.machine.placement import cut, join
from ktir.machine.sets import IntegerSet, decode_set

terminators("ktdp.yield_partial", "ktdp.yield_reduced")


@handler("ktdp.inter_tile_produce")
def decode_produce(op: Any, scope: Scope) -> Step:
    """Runs the region on each producing core and publishes what it yields."""
    if isinstance(scope, KernelScope):
        scope.has_exchanges = True
    producers = scope.once(decode_set, op.producer_tiles_per_group)
    groups = scope.once(decode_set, op.future.type.groups)
    tables: dict[int, Producers] = {}
    block = decode_region(op.regions[0], scope)
    result = scope.define(op.results[0])
    key = object()

    def produce(frame: Frame) -> None:
        cores = kernel_run(frame).cores
        if cores not in tables:
            tables[cores] = Producers.of(producers, groups, cores)
        numbers = frame.group.numbers
        own = tables[cores].groups[numbers]
        active = (own >= 0).nonzero().flatten()
        values: list[Tensor] = []
        if active.shape[0]:
            group = alike(own[active])
            values = run_for(frame, block, active, [group])
        frame[result] = publish(frame, key, numbers[active], values)

    return produce


@dataclasses.dataclass(frozen=True)
class _Receivers:
    """The consumers among the cores of a group, and what they have at hand.

    `positions`: theirs in the group; `numbers`: their core numbers; `sources` [n, m]; `places`,
    `shares`: see `Deliveries`. Consumers of equal sources are one *class*: `classes` [n] is its
    number, `first` [k] the first consumer of each. `moved`: how many tiles travel.
    """

    positions: Tensor
    numbers: Tensor
    sources: Tensor
    places: Tensor
    shares: Tensor
    classes: Tensor
    first: Tensor
    moved: int

    @classmethod
    def of(cls, group: CoreGroup, table: Deliveries) -> _Receivers:
        """The consumers of a group."""
        positions = (table.groups[group.numbers] >= 0).nonzero().flatten()
        numbers = group.numbers[positions]
        sources = table.sources[numbers]
        _, classes = torch.unique(sources, dim=0, return_inverse=True)
        order = torch.arange(classes.shape[0])
        count = int(classes.max()) + 1 if len(order) else 0
        first = torch.full((count,), len(order)).scatter_reduce(0, classes, order, "amin")
        moved = int(((sources >= 0) & (sources != numbers.unsqueeze(1))).sum())
        places, shares = table.places[numbers], table.shares[numbers]
        return cls(positions, numbers, sources, places, shares, classes, first, moved)

    def separate(self) -> _Receivers:
        """The same, with every consumer a class of its own."""
        each = torch.arange(self.numbers.shape[0])
        return dataclasses.replace(self, classes=each, first=each)

    @property
    def share(self) -> int:
        """The consumers of a group. Raises VerifyError if groups differ."""
        shares = distinct(self.shares)
        if len(shares) != 1:
            raise VerifyError(f"groups have {shares} consumers; slices need equally many (R9)")
        return shares[0]

    def spread(self, by_class: Tensor) -> Tensor:
        """[1 or classes, ..] as [1 or consumers, ..]."""
        return by_class if by_class.shape[0] == 1 else by_class.index_select(0, self.classes)


Delivered = Callable[[Frame, _Receivers, Future], list[Tensor]]
"""What the consumers of a frame get: one tensor [1 or consumers, dims ..] a role."""


def _delivery(op: Any, scope: Scope, deliver: Delivered) -> Step:
    """A step that waits for the sources of each consumer and puts what they get into slots."""
    produce = op.future.owner
    producers = scope.once(decode_set, produce.attributes["producer_tiles_per_group"])
    groups = scope.once(decode_set, op.future.type.groups)
    consumers = scope.once(decode_set, op.consumer_tiles_per_group)
    dependency: IntegerSet | None = None
    if "producer_dependency_per_consumer" in op.attributes:
        dependency = scope.once(decode_set, op.attributes["producer_dependency_per_consumer"])
    future = scope.slot(op.future)
    types = [(tuple(v.type.shape), dtype_of(scalar_type(v.type))) for v in op.results]
    results = scope.define_all(list(op.results))
    place = Place.of(op)
    origin = Origin(place, f"what {place} gives to a core that does not receive")
    tables: dict[int, tuple[Deliveries, _Receivers]] = {}

    def receivers_of(frame: Frame) -> _Receivers:
        run = kernel_run(frame)
        if run.cores not in tables:
            table = Deliveries.of(producers, consumers, dependency, groups, run.cores)
            tables[run.cores] = table, _Receivers.of(run.everyone, table)
        table, everyone = tables[run.cores]
        return everyone if frame.group.is_all else _Receivers.of(frame.group, table)

    def step(frame: Frame) -> None:
        receivers = receivers_of(frame)
        if receivers.positions.shape[0] == 0:
            for slot, (shape, dtype) in zip(results, types, strict=True):
                frame[slot] = _undefined(frame, origin, 1, shape, dtype)
            return
        found = arrived(frame, frame[future], receivers.numbers, receivers.sources, place)
        _count(frame, receivers, found)
        for slot, value in zip(results, deliver(frame, receivers, found), strict=True):
            frame[slot] = _everywhere(frame, origin, value, receivers.positions)

    return step


def _count(frame: Frame, receivers: _Receivers, found: Future) -> None:
    """Counts the tiles that travel from core to core, as they lie in a scratchpad."""
    sizes = sum(buffer_bytes(tuple(value.shape[1:]), value.dtype) for value in found.values)
    kernel_run(frame).counters.ring(receivers.moved * sizes)


def _undefined(
    frame: Frame, origin: Origin, cores: int, shape: Sequence[int], dtype: torch.dtype
) -> Tensor:
    return (frame.run.garbage or Garbage()).tensor(origin, (cores, *shape), dtype)


def _everywhere(frame: Frame, origin: Origin, value: Tensor, positions: Tensor) -> Tensor:
    """[1 or consumers, dims ..] for all cores of the group."""
    if positions.shape[0] == frame.group.size:
        return value
    whole = _undefined(frame, origin, frame.group.size, value.shape[1:], value.dtype)
    whole[positions] = value
    return whole


@handler("ktdp.inter_tile_consume")
def decode_consume(op: Any, scope: Scope) -> Step:
    """The tile of each consumer's only source."""

    def consume(frame: Frame, receivers: _Receivers, found: Future) -> list[Tensor]:
        source = _only_source(receivers)
        return [found.pick(role, source) for role in range(len(found.values))]

    return _delivery(op, scope, consume)


def _only_source(receivers: _Receivers) -> Tensor:
    """The source of each consumer [n]. Raises VerifyError if one has none or several (R8)."""
    counts = (receivers.sources >= 0).sum(1)
    wrong = (counts != 1).nonzero().flatten()
    if wrong.shape[0]:
        at = int(wrong[0])
        raise VerifyError(
            f"core {int(receivers.numbers[at])} receives from {int(counts[at])} cores; expected "
            "one (R8)"
        )
    return receivers.sources[:, 0]


def _decode_fold(op: Any, scope: Scope) -> Callable[[Frame, _Receivers, Future], list[Tensor]]:
    """The fold of each consumer's sources, computed once a class: [1 or consumers, ..] a role."""
    combiner = decode_region(op.regions[0], scope)
    identity = scope.slots(list(op.identity))

    def fold(frame: Frame, receivers: _Receivers, found: Future) -> list[Tensor]:
        classes = receivers
        started = [frame[slot] for slot in identity]
        own = [*started, *(frame[slot] for slot in combiner.captured)]
        if any(isinstance(value, Tensor) and not is_uniform(value) for value in own):
            # What a core starts or combines with is its own: no two folds are alike.
            classes = receivers.separate()
        sources = receivers.sources[classes.first]
        positions = receivers.positions[classes.first]
        totals = [narrow(value, positions) for value in started]
        for k in range(sources.shape[1]):
            totals = _combine(frame, combiner, positions, sources[:, k], totals, found)
        return [classes.spread(total) for total in totals]

    return fold


def _combine(
    frame: Frame,
    combiner: Block,
    positions: Tensor,
    sources: Tensor,
    totals: list[Tensor],
    found: Future,
) -> list[Tensor]:
    """The totals [1 or n, ..] with one more source each; -1 leaves a total as it is."""
    there = (sources >= 0).nonzero().flatten()
    if not there.shape[0]:
        return totals
    left = [narrow(total, there) for total in totals]
    right = [found.pick(role, sources[there]) for role in range(len(totals))]
    combined = run_for(frame, combiner, positions[there], [*left, *right])
    if there.shape[0] == positions.shape[0]:
        return combined
    kept = []
    for total, value in zip(totals, combined, strict=True):
        whole = total.expand(positions.shape[0], *total.shape[1:]).clone()
        whole[there] = value
        kept.append(whole)
    return kept


@handler("ktdp.inter_tile_reduce")
def decode_reduce(op: Any, scope: Scope) -> Step:
    """The tiles of each consumer's sources, folded."""
    fold = _decode_fold(op, scope)
    shapes = [tuple(value.type.shape) for value in op.results]

    def reduce(frame: Frame, receivers: _Receivers, found: Future) -> list[Tensor]:
        totals = fold(frame, receivers, found)
        return [
            total.reshape(total.shape[0], *shape)
            for total, shape in zip(totals, shapes, strict=True)
        ]

    return _delivery(op, scope, reduce)


def _slices(
    tiles: Tensor, dims: Sequence[int], receivers: _Receivers, shape: Sequence[int]
) -> Tensor:
    """The slice of each consumer of its tile [1 or consumers, dims ..]."""
    parts = cut(tiles, dims, receivers.share, shape)
    row = torch.arange(parts.shape[0]) if parts.shape[0] > 1 else torch.zeros(1).long()
    return parts[row, receivers.places]


@handler("ktdp.inter_tile_reduce_scatter")
def decode_reduce_scatter(op: Any, scope: Scope) -> Step:
    """Each consumer's slice of a fold."""
    fold = _decode_fold(op, scope)
    dims = list(op.scatter_dimensions)
    shapes = [tuple(value.type.shape) for value in op.results]

    def reduce_scatter(frame: Frame, receivers: _Receivers, found: Future) -> list[Tensor]:
        totals = fold(frame, receivers, found)
        return [
            _slices(total, dims, receivers, shape)
            for total, shape in zip(totals, shapes, strict=True)
        ]

    return _delivery(op, scope, reduce_scatter)


@handler("ktdp.inter_tile_scatter")
def decode_scatter(op: Any, scope: Scope) -> Step:
    """Each consumer's slice of its only source's tile."""
    dims = list(op.scatter_dimensions)
    shapes = [tuple(value.type.shape) for value in op.results]

    def scatter(frame: Frame, receivers: _Receivers, found: Future) -> list[Tensor]:
        source = _only_source(receivers)
        return [
            _slices(found.pick(role, source), dims, receivers, shape)
            for role, shape in enumerate(shapes)
        ]

    return _delivery(op, scope, scatter)


def _sources(sources: Tensor, found: Future, role: int) -> Tensor:
    """The tiles of sources [n, m]: [n, m, dims ..]. Raises VerifyError if numbers differ (R6)."""
    counts = (sources >= 0).sum(1)
    if not bool((counts == sources.shape[1]).all()):
        raise VerifyError(
            f"consumers have {distinct(counts)} sources; a joined tile needs equally many (R6, R7)"
        )
    value = found.values[role]
    if value.shape[0] == 1:
        return value.unsqueeze(1).expand(-1, sources.shape[1], *(-1 for _ in value.shape[1:]))
    return value[found.rows[sources]]


@handler("ktdp.inter_tile_gather")
def decode_gather(op: Any, scope: Scope) -> Step:
    """The tiles of each consumer's sources, joined."""
    dims = list(op.gather_dimensions)
    shapes = [tuple(value.type.shape) for value in op.results]

    def gather(frame: Frame, receivers: _Receivers, found: Future) -> list[Tensor]:
        sources = receivers.sources[receivers.first]
        return [
            receivers.spread(join(_sources(sources, found, role), dims, shape))
            for role, shape in enumerate(shapes)
        ]

    return _delivery(op, scope, gather)


@handler("ktdp.inter_tile_all_to_all")
def decode_all_to_all(op: Any, scope: Scope) -> Step:
    """Each consumer's slice of every source's tile, joined."""
    split, concat = list(op.split_dimensions), list(op.concat_dimensions)
    shapes = [tuple(value.type.shape) for value in op.results]

    def all_to_all(frame: Frame, receivers: _Receivers, found: Future) -> list[Tensor]:
        return [_exchanged(found, receivers, role, shape) for role, shape in enumerate(shapes)]

    def _exchanged(found: Future, receivers: _Receivers, role: int, shape: Sequence[int]) -> Tensor:
        (number, most), share = receivers.sources.shape, receivers.share
        tile = found.values[role].shape[1:]
        slice_ = [
            shape[dim] if dim in split and dim not in concat else size
            for dim, size in enumerate(tile)
        ]
        if split == concat:
            slice_ = _same_split(tile, split, share)
        tiles = _sources(receivers.sources, found, role)
        flat = tiles.expand(number, *tiles.shape[1:]).flatten(0, 1)
        parts = cut(flat, split, share, slice_)
        places = receivers.places.repeat_interleave(most)
        own = parts[torch.arange(parts.shape[0]), places]
        return join(own.reshape(number, most, *own.shape[1:]), concat, shape)

    return _delivery(op, scope, all_to_all)


def _same_split(tile: Sequence[int], dims: Sequence[int], share: int) -> list[int]:
    """The shape of a slice where the dimensions that are cut are also those that are joined: the
    chunk of flattened coordinates stands in the last of them."""
    found = list(tile)
    chunk = 1
    for dim in dims:
        chunk *= tile[dim]
        found[dim] = 1
    found[dims[-1]] = chunk // share
    return found
