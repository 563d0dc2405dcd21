"""Produce and the six deliveries.

The fold of a reduction starts with the identity and takes contributions in ascending core number.
The n-th execution of a delivery takes what its sources published at their n-th execution.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .affine import parse_set
from .errors import Fault, OracleLimit
from .tensors import Point, Tensor, Values, build, undefined
from .tree import Op

if TYPE_CHECKING:
    from .cores import Core


@dataclass
class Future:
    """What cores published, by core and by turn."""

    producers: dict[int, list[int]]
    """The producing cores of each group, ascending."""
    published: dict[tuple[int, int], Values] = field(default_factory=dict)

    def has(self, core: int, turn: int) -> bool:
        """Whether a core has published for the n-th time."""
        return (core, turn) in self.published


def produce(core: Core, op: Op) -> Generator[Any, None, Values]:
    """Publishes this core's contribution, if it is a producer."""
    futures = core.shared.futures
    if op.results[0] not in futures:
        futures[op.results[0]] = Future(_members(core, op, "producer_tiles_per_group", op))
    future = futures[op.results[0]]
    turn = core.turn(op)
    group = _group_of(core.number, future.producers)
    if group is not None:
        values = yield from core.run(op.block(), [group])
        future.published[core.number, turn] = values
    return [future]


def _members(core: Core, op: Op, name: str, typed: Op) -> dict[int, list[int]]:
    """The cores of each group, ascending. Raises Fault where groups overlap."""
    found: dict[int, list[int]] = {}
    for group in _groups(typed):
        cores = range(core.shared.cores)
        found[group] = [n for n in cores if op.attributes[name].holds((n,), (group,))]
    everyone = [n for members in found.values() for n in members]
    if len(everyone) != len(set(everyone)):
        raise Fault(f"{name}: groups overlap")
    return found


def _groups(op: Op) -> list[int]:
    """The numbers of the groups in the type of a future."""
    text = (op.types[0] if op.name == "ktdp.inter_tile_produce" else op.operand_types[0]).text
    start = text.index("affine_set<")
    end = text.rindex(">")
    return [point[0] for point in parse_set(text[start:end].strip()).points()]


def _group_of(number: int, groups: dict[int, list[int]]) -> int | None:
    return next((group for group, members in groups.items() if number in members), None)


def deliver(core: Core, op: Op, operands: Values) -> Generator[Any, None, Values]:
    """Waits for the sources, then puts together what this core gets."""
    from .cores import Waiting

    future: Future = operands[0]
    turn = core.turn(op)
    consumers = _members(core, op, "consumer_tiles_per_group", op)
    group = _group_of(core.number, consumers)
    if group is None:
        return [undefined(type_) for type_ in op.types]
    sources = _sources(core.number, group, future, op)
    waiting = Waiting(op, core.number, sources, future, turn)
    while waiting.missing():
        yield waiting
    parts = [future.published[source, turn] for source in sources]
    place = consumers[group].index(core.number)
    return (yield from _placed(core, op, operands[1:], parts, place))


def _sources(number: int, group: int, future: Future, op: Op) -> list[int]:
    """The producers of the group that this consumer depends on, ascending."""
    dependency = op.attributes.get("producer_dependency_per_consumer")
    producers = future.producers[group]
    if dependency is None:
        return producers
    symbols = (number, group)[: dependency.symbols]
    return [p for p in producers if dependency.holds((p,), symbols)]


DELIVERIES = tuple(
    f"ktdp.inter_tile_{name}"
    for name in ("consume", "reduce", "reduce_scatter", "gather", "all_to_all", "scatter")
)
"""Names of the ops that use a future."""


def _placed(
    core: Core, op: Op, identities: Values, parts: list[Values], place: int
) -> Generator[Any, None, Values]:
    """What a consumer gets, given its place in its group and how many there are."""
    kind = op.name.removeprefix("ktdp.inter_tile_")
    shapes = [type_.shape or () for type_ in op.types]
    if kind in ("consume", "scatter") and len(parts) != 1:
        raise Fault(f"core {core.number} has {len(parts)} sources; {op.name} takes one")
    if kind == "consume":
        return parts[0]
    if kind in ("reduce", "reduce_scatter"):
        folded = identities
        for values in parts:
            folded = yield from core.run(op.block(), [*folded, *values])
        if kind == "reduce":  # the older form leaves out unit dimensions
            return [Tensor(s, tensor.data) for s, tensor in zip(shapes, folded, strict=True)]
        dims = op.attributes["scatter_dimensions"]
        return [split(t, dims, place, s) for t, s in zip(folded, shapes, strict=True)]
    if kind == "scatter":
        dims = op.attributes["scatter_dimensions"]
        return [split(t, dims, place, s) for t, s in zip(parts[0], shapes, strict=True)]
    columns = [list(column) for column in zip(*parts, strict=True)]
    if kind == "gather":
        dims = op.attributes["gather_dimensions"]
        return [join(c, dims, s) for c, s in zip(columns, shapes, strict=True)]
    return [
        _exchanged(op, column, place, shape) for column, shape in zip(columns, shapes, strict=True)
    ]


def _exchanged(op: Op, tensors: Sequence[Tensor], place: int, shape: Point) -> Tensor:
    """This consumer's slice of every tensor, joined."""
    cut, joined = op.attributes["split_dimensions"], op.attributes["concat_dimensions"]
    if cut == joined:
        return _turned(tensors, cut, place, shape)
    if set(cut) & set(joined):
        raise OracleLimit("an exchange along sets of dimensions that overlap in part")
    inner = tuple(shape[d] if d in cut else n for d, n in enumerate(tensors[0].shape))
    return join([split(tensor, cut, place, inner) for tensor in tensors], joined, shape)


def _turned(tensors: Sequence[Tensor], dims: Sequence[int], place: int, shape: Point) -> Tensor:
    """Slices along the dimensions along which they are joined: positions count, not shapes."""
    chunk = math.prod(shape[d] for d in dims) // len(tensors)

    def element(point: Point) -> Any:
        number, flat = divmod(_flat(point, dims, shape), chunk)
        tensor = tensors[number]
        return tensor.at(_unflat(point, dims, tensor.shape, place * chunk + flat))

    return build(shape, element)


def split(tensor: Tensor, dims: Sequence[int], place: int, shape: Point) -> Tensor:
    """Slice number `place` along `dims`, taken as one dimension in row-major order."""
    chunk = math.prod(shape[d] for d in dims)

    def element(point: Point) -> Any:
        flat = place * chunk + _flat(point, dims, shape)
        return tensor.at(_unflat(point, dims, tensor.shape, flat))

    return build(shape, element)


def join(tensors: Sequence[Tensor], dims: Sequence[int], shape: Point) -> Tensor:
    """Tensors one behind the other along `dims`, taken as one dimension in row-major order."""
    chunk = math.prod(tensors[0].shape[d] for d in dims)

    def element(point: Point) -> Any:
        number, flat = divmod(_flat(point, dims, shape), chunk)
        tensor = tensors[number]
        return tensor.at(_unflat(point, dims, tensor.shape, flat))

    return build(shape, element)


def _flat(point: Point, dims: Sequence[int], shape: Point) -> int:
    """The position of a point along `dims` as one dimension."""
    flat = 0
    for d in dims:
        flat = flat * shape[d] + point[d]
    return flat


def _unflat(point: Point, dims: Sequence[int], shape: Point, flat: int) -> Point:
    """The point with its indices along `dims` replaced by those of a position."""
    place = list(point)
    for d in reversed(dims):
        flat, place[d] = divmod(flat, shape[d])
    return tuple(place)
