"""Random produce and delivery pairs between cores."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

from .elementwise import binary, is_float, splat_constant
from .groups import Groups, groups
from .kernel import Builder, Scope, Value
from .memory import store, with_rank


@dataclasses.dataclass(frozen=True)
class Plan:
    """A delivery: its name, who produces and consumes, and the rest of its text."""

    op: str
    producers: tuple[int, int]
    consumers: tuple[int, int]
    attributes: tuple[str, ...] = ()
    dependency: str | None = None
    folds: bool = False


Shape = tuple[int, ...]
Maker = Callable[[Builder, Groups, Shape], "tuple[Plan, Shape] | None"]
"""Chooses a plan, and the shape of its results; None if the shape does not fit."""


def exchange(builder: Builder, scope: Scope) -> None:
    """A produce and one of the six deliveries."""
    if not builder.form("inter-tile"):
        return
    exact = [v for v in scope.values if not v.rough and math.prod(v.shape) <= 200]
    if not exact:
        return
    value = builder.pick(exact)
    value = value if value.shape else with_rank(builder, value)
    if 0 in value.shape and not builder.form("exchange of empty tiles"):
        return
    group = groups(builder)
    made = builder.pick(MAKERS)(builder, group, value.shape)
    if made is None:
        return
    plan, shape = made
    roles = [value]
    if builder.chance(4):
        roles.append(splat_constant(builder, value.shape, builder.pick(["i32", "f32"])))
    results = _deliver(builder, scope, group, plan, roles, shape)
    if plan.consumers == (0, group.size - 1):
        scope.values += results
        return
    with builder.region(f"scf.if {group.among(builder, *plan.consumers)} {{"):
        store(builder, scope.inner(), builder.pick(results))


def everywhere(builder: Builder, scope: Scope) -> None:
    """A delivery that every core takes part in, as a barrier."""
    group = Groups(1, builder.cores, False)
    value = splat_constant(builder, (1,), "i32")
    last = builder.cores - 1
    plan = Plan("gather", (0, last), (0, last), ("gather_dimensions = [0]",))
    _deliver(builder, scope, group, plan, [value], (builder.cores,))


def _deliver(
    builder: Builder,
    scope: Scope,
    group: Groups,
    plan: Plan,
    roles: Sequence[Value],
    shape: Shape,
) -> list[Value]:
    """Emits both ops; returns the results."""
    types = ", ".join(v.type for v in roles)
    future_type = f"<({types}), groups = {group.all_groups}>"
    if len(roles) == 1 and builder.chance(3):
        future_type = f"!ktdp.tile_future<{types}, groups = {builder.alias(group.all_groups)}>"
    identities = [splat_constant(builder, v.shape, v.element).name for v in roles]
    future, group_id = builder.name("future"), builder.name("gid")
    builder.emit(
        f"{future} = ktdp.inter_tile_produce producer_tiles_per_group = "
        f"{group.cores(*plan.producers)} -> {future_type} {{"
    )
    builder.emit(f"^bb0({group_id}: index):")
    yielded = [_contribution(builder, scope, role, group_id) for role in roles]
    builder.emit(f"ktdp.yield_partial {', '.join(v.name for v in yielded)} : {types}")
    builder.emit("}")
    attributes = [f"consumer_tiles_per_group = {group.cores(*plan.consumers)}", *plan.attributes]
    if plan.dependency:
        attributes.append(f"producer_dependency_per_consumer = {plan.dependency}")
    if plan.folds:
        attributes.append(f"identity({', '.join(identities)} : {types})")
    attributes = builder.shuffled(attributes) if builder.chance(3) else attributes
    results = [Value(builder.name("d"), v.element, shape) for v in roles]
    name = results[0].name
    if len(results) > 1:
        results = [Value(f"{name}#{i}", v.element, shape) for i, v in enumerate(results)]
        name = f"{name}:{len(results)}"
    opening = (
        f"{name} = ktdp.inter_tile_{plan.op}({future}) {', '.join(attributes)} : {future_type} "
        f"-> {', '.join(v.type for v in results)}"
    )
    if not plan.folds:
        builder.emit(opening)
        return results
    with builder.region(f"{opening} {{"):
        _combiner(builder, roles, types)
    return results


def _contribution(builder: Builder, scope: Scope, role: Value, group_id: str) -> Value:
    """What the region yields: the value, or something computed from it and the group."""
    kind = builder.pick(["plain", "plain", "computed", "group"])
    if kind == "computed":
        inner = Scope([role, *(v for v in scope.values if v.type == role.type)], [])
        return binary(builder, inner, role) or role
    if kind == "group" and role.element in ("i32", "i64"):
        number = builder.define(f"arith.index_cast {group_id} : index to {role.element}")
        return builder.value(f"tensor.splat {number} : {role.type}", role.element, role.shape)
    return role


def _combiner(builder: Builder, roles: Sequence[Value], types: str) -> None:
    """A fold, which need not be associative: its order is fixed."""
    left = [Value(builder.name("l"), v.element, v.shape) for v in roles]
    right = [Value(builder.name("r"), v.element, v.shape) for v in roles]
    builder.emit(f"^bb0({', '.join(f'{v.name}: {v.type}' for v in [*left, *right])}):")
    combined = []
    for a, b in zip(left, right, strict=True):
        floats, integers = ["addf", "maximumf", "subf", "mulf"], ["addi", "maxsi", "subi", "xori"]
        op = builder.pick(floats if is_float(a) else integers)
        combined.append(builder.define(f"arith.{op} {a.name}, {b.name} : {a.type}"))
    builder.emit(f"ktdp.yield_reduced {', '.join(combined)} : {types}")


def _part(builder: Builder, group: Groups) -> tuple[int, int]:
    """All places of a group, or some neighbours."""
    if builder.chance(2):
        return 0, group.size - 1
    low = builder.number(0, group.size - 1)
    return low, builder.number(low, group.size - 1)


def _one(builder: Builder, group: Groups) -> tuple[int, int]:
    place = builder.number(0, group.size - 1)
    return place, place


def _consume(builder: Builder, group: Groups, shape: Shape) -> tuple[Plan, Shape]:
    whole = (0, group.size - 1)
    if group.strided and group.count > 1:
        dependency = group.same()
    else:
        dependency = builder.pick(
            [group.same(), group.mirror(), group.turned(builder.number(0, group.size - 1))]
        )
    if builder.chance(2):
        return Plan("consume", whole, whole, dependency=dependency), shape
    return Plan("consume", _one(builder, group), _part(builder, group)), shape


def _reduce(builder: Builder, group: Groups, shape: Shape) -> tuple[Plan, Shape]:
    producers = _part(builder, group)
    one = builder.number(*producers)
    whole = producers == (0, group.size - 1) and not (group.strided and group.count > 1)
    if whole and builder.chance(3):
        return Plan("reduce", producers, producers, dependency=group.before(), folds=True), shape
    consumers = producers if builder.chance(2) else (one, one)
    return Plan("reduce", producers, consumers, folds=True), shape


def _dims(builder: Builder, rank: int) -> list[int]:
    return sorted(builder.shuffled(range(rank))[: builder.number(1, min(2, rank))])


def _divided(builder: Builder, shape: Shape, dims: Sequence[int], parts: int) -> Shape | None:
    """A shape whose extent over `dims` is one of so many parts: one dimension is divided."""
    fitting = [d for d in dims if shape[d] % parts == 0]
    if not fitting:
        return None
    at = builder.pick(fitting)
    return tuple(n // parts if d == at else n for d, n in enumerate(shape))


def _multiplied(builder: Builder, shape: Shape, dims: Sequence[int], parts: int) -> Shape:
    at = builder.pick(dims)
    return tuple(n * parts if d == at else n for d, n in enumerate(shape))


def _count(places: tuple[int, int]) -> int:
    return places[1] - places[0] + 1


def _reduce_scatter(builder: Builder, group: Groups, shape: Shape) -> tuple[Plan, Shape] | None:
    dims, consumers = _dims(builder, len(shape)), _part(builder, group)
    result = _divided(builder, shape, dims, _count(consumers))
    plan = Plan(
        "reduce_scatter", _part(builder, group), consumers,
        (f"scatter_dimensions = {dims}",), folds=True,
    )  # fmt: skip
    return None if result is None else (plan, result)


def _gather(builder: Builder, group: Groups, shape: Shape) -> tuple[Plan, Shape] | None:
    dims, producers = _dims(builder, len(shape)), _part(builder, group)
    dependency, count = None, _count(producers)
    whole = producers == (0, group.size - 1)
    consumers = _part(builder, group)
    if whole and builder.chance(3):
        dependency, count, consumers = group.same(), 1, producers
    result = _multiplied(builder, shape, dims, count)
    attributes = (f"gather_dimensions = {dims}",)
    return Plan("gather", producers, consumers, attributes, dependency), result


def _all_to_all(builder: Builder, group: Groups, shape: Shape) -> tuple[Plan, Shape] | None:
    whole = (0, group.size - 1)
    cut = _dims(builder, len(shape))
    divided = _divided(builder, shape, cut, group.size)
    rest = [d for d in range(len(shape)) if d not in cut]
    if divided is None:
        return None
    joined = cut
    if rest and builder.chance(2):
        joined = [builder.pick(rest)]
    result = _multiplied(builder, divided, joined, group.size)
    attributes = (f"split_dimensions = {cut}", f"concat_dimensions = {joined}")
    return Plan("all_to_all", whole, whole, attributes), result


def _scatter(builder: Builder, group: Groups, shape: Shape) -> tuple[Plan, Shape] | None:
    dims, consumers = _dims(builder, len(shape)), _part(builder, group)
    result = _divided(builder, shape, dims, _count(consumers))
    plan = Plan("scatter", _one(builder, group), consumers, (f"scatter_dimensions = {dims}",))
    return None if result is None else (plan, result)


MAKERS: tuple[Maker, ...] = (_consume, _reduce, _reduce_scatter, _gather, _all_to_all, _scatter)
"""One for each delivery."""
