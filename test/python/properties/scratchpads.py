"""Tiles in scratchpads: of the core itself, and of others after an exchange that orders that.

Addresses are fresh each time, so nothing has to be ordered but the write before the reads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .kernel import DTYPES, Builder, Scope, Value
from .memory import access_tile, load_from, store, store_to, with_rank
from .messages import everywhere
from .sets import PointSet, affine_set, box, interval
from .views import View, compose, scratchpad_view


def whole_tile(builder: Builder, view: View, shape: Sequence[int], first: str = "0") -> str:
    """A tile of a box of a view, from coordinate `first` of dimension 0 on."""
    points = PointSet(box(shape), tuple((0, n - 1) for n in shape))
    return access_tile(builder, view, [first, *["0"] * (len(shape) - 1)], points, shape)


def _room(builder: Builder, value: Value) -> int:
    """The address in elements of fresh room for a tensor."""
    size = DTYPES[value.element].itemsize
    return builder.scratchpad(max(math.prod(value.shape), 1) * size) // size


def own_copy(builder: Builder, scope: Scope, value: Value) -> Value:
    """A tensor stored to the core's own scratchpad and loaded again through another tile."""
    value = value if value.shape else with_rank(builder, value)
    view = scratchpad_view(builder, value.shape, value.element, _room(builder, value))
    store_to(builder, value, whole_tile(builder, view, value.shape))
    copy = load_from(builder, whole_tile(builder, view, value.shape), value.shape, value.element)
    return Value(copy.name, copy.element, copy.shape, value.rough)


def neighbour(builder: Builder, scope: Scope) -> None:
    """Every core stores to its scratchpad, all meet, then tiles of other cores are loaded."""
    small = [v for v in scope.values if v.shape and 0 not in v.shape and math.prod(v.shape) <= 130]
    if not small or not builder.form("scratchpad of another core"):
        return
    value = builder.pick(small)
    address = _room(builder, value)
    kind = builder.pick(["named", "distributed", "pushed"])
    if kind == "pushed" and not value.rough:
        _push(builder, scope, value, address)
        return
    own = scratchpad_view(builder, value.shape, value.element, address)
    store_to(builder, value, whole_tile(builder, own, value.shape))
    everywhere(builder, scope)
    if kind == "named":
        core = builder.number(0, builder.cores - 1)
        view = scratchpad_view(builder, value.shape, value.element, address, core)
        tile = whole_tile(builder, view, value.shape)
    else:
        tile = _across(builder, value, address)
    found = load_from(builder, tile, value.shape, value.element)
    scope.values.append(Value(found.name, found.element, found.shape, value.rough))


def _across(builder: Builder, value: Value, address: int) -> str:
    """A tile of a view whose parts are the tiles of all cores, one behind the other."""
    rows, rest = value.shape[0], value.shape[1:]
    inner = [c for d, n in enumerate(rest) for c in interval(d + 1, 0, n - 1)]
    parts = []
    for core in builder.shuffled(range(builder.cores)):
        edge = interval(0, core * rows, (core + 1) * rows - 1)
        valid = affine_set(len(value.shape), [*edge, *inner])
        parts.append(scratchpad_view(builder, value.shape, value.element, address, core, valid))
    view = compose(builder, parts, [rows * builder.cores, *rest], value.element)
    first = builder.number(0, rows * (builder.cores - 1))
    return whole_tile(builder, view, value.shape, str(first))


def _push(builder: Builder, scope: Scope, value: Value, address: int) -> None:
    """One core stores to the scratchpad of another, which loads it after all have met."""
    giver, taker = (builder.number(0, builder.cores - 1) for _ in range(2))
    there = scratchpad_view(builder, value.shape, value.element, address, taker)
    gives = builder.define(f"arith.cmpi eq, %core, {builder.constant(giver)} : index")
    with builder.region(f"scf.if {gives} {{"):
        store_to(builder, value, whole_tile(builder, there, value.shape))
    everywhere(builder, scope)
    takes = builder.define(f"arith.cmpi eq, %core, {builder.constant(taker)} : index")
    with builder.region(f"scf.if {takes} {{"):
        here = scratchpad_view(builder, value.shape, value.element, address)
        tile = whole_tile(builder, here, value.shape)
        store(builder, scope.inner(), load_from(builder, tile, value.shape, value.element))
