"""Views of memory that hold given coordinates: sizes, strides, masks, spaces, parts."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence

from .kernel import Builder, sized
from .sets import affine_set, box, interval

Range = tuple[int, int]

HBM = ("#ktdp.spyre_memory_space<HBM>", "#ktdp.memory_space<global>")
LX = ("#ktdp.spyre_memory_space<LX>", "#ktdp.memory_space<ct_local>")


@dataclasses.dataclass(frozen=True)
class View:
    """A view in scope: its name and its type."""

    name: str
    type: str


@dataclasses.dataclass(frozen=True)
class Layout:
    """Strides in elements, the offset of element 0, and how many elements memory needs."""

    strides: tuple[int, ...]
    offset: int
    elements: int


def layout(builder: Builder, sizes: Sequence[int], is_store: bool) -> Layout:
    """Random strides: any order of dimensions, gaps, and for loads repeated elements."""
    strides, step = [0] * len(sizes), 1
    for dim in reversed(builder.shuffled(range(len(sizes)))):
        strides[dim] = step
        step *= max(sizes[dim], 1)
        if builder.chance(4):
            step += builder.number(1, 3)
    if not is_store and builder.chance(5):
        strides[builder.number(0, len(sizes) - 1)] = builder.pick([0, 0, 1])
    if builder.chance(12) and builder.form("negative strides"):
        dim = builder.number(0, len(sizes) - 1)
        strides[dim] = -strides[dim]
    ends = [(max(n, 1) - 1) * s for n, s in zip(sizes, strides, strict=True)]
    offset = builder.number(0, 3) if builder.chance(3) else 0
    offset -= sum(min(end, 0) for end in ends)
    return Layout(tuple(strides), offset, offset + sum(max(end, 0) for end in ends) + 1)


def address(builder: Builder, pointer: str, offset: int) -> str:
    """The pointer moved by some elements."""
    if not offset:
        return pointer
    return builder.define(f"arith.addi {pointer}, {builder.constant(offset)} : index")


def device_view(
    builder: Builder,
    ranges: Sequence[Range],
    element: str,
    is_store: bool,
    is_read: Sequence[bool] | None = None,
    may_be_odd: bool = True,
) -> View:
    """A view of a new array in device memory whose sizes hold the ranges of coordinates.

    A size may be a value of the program, and the set may hold less than the sizes: coordinates
    outside are masked. Not so in the dimensions of `is_read`, whose coordinates are read from
    memory: such a coordinate must exist. `may_be_odd`: the set need not be a box.
    """
    is_read = is_read or [False] * len(ranges)
    sizes = [max(high, -1) + 1 for _, high in ranges]
    sizes = [size + (builder.number(1, 2) if builder.chance(4) else 0) for size in sizes]
    is_open = [builder.chance(6) and builder.form("dynamic sizes") for _ in sizes]
    written: dict[int, str] = {}
    for dim, (low, high) in enumerate(ranges):
        if not is_open[dim] or high <= low or is_read[dim]:
            continue
        least = builder.number(max(low, 1), high + 2)
        sizes[dim] = least
        if builder.chance(4) and builder.form("size that differs by core"):
            written[dim] = builder.define(
                f"arith.addi %core, {builder.constant(least)} : index", "size"
            )
            sizes[dim] = least + builder.cores - 1
    place = layout(builder, sizes, is_store)
    pointer = builder.array(builder.data(place.elements, element))
    base = address(builder, pointer, place.offset)
    valid = _coordinate_set(builder, sizes, is_open, is_read, may_be_odd)
    space = builder.pick(HBM)
    return _construct(builder, base, sizes, is_open, place, element, space, valid, written)


def scratchpad_view(
    builder: Builder,
    sizes: Sequence[int],
    element: str,
    address_: int,
    core: int | None = None,
    valid: str | None = None,
) -> View:
    """A row-major view of a scratchpad, at an address in elements: of the running core, or of one
    that is named."""
    strides = tuple(math.prod(sizes[d + 1 :]) for d in range(len(sizes)))
    place = Layout(strides, 0, 0)
    base = builder.constant(address_)
    closed = [False] * len(sizes)
    space = builder.pick(LX)
    if core is not None:
        space = builder.pick(
            [
                f"#ktdp.spyre_memory_space<LX, core = {core}>",
                f"#ktdp.memory_space<ct_local, ct_id = {core}>",
            ]
        )
    return _construct(
        builder, base, list(sizes), closed, place, element, space, valid or box(sizes)
    )


def _construct(
    builder: Builder,
    base: str,
    sizes: list[int],
    is_open: list[bool],
    place: Layout,
    element: str,
    space: str,
    valid: str,
    named: Mapping[int, str] | None = None,
) -> View:
    """The op; open sizes are the values `named` by dimension, or new arguments."""
    written = [
        (named or {}).get(dim) or builder.scalar(size) if value else str(size)
        for dim, (size, value) in enumerate(zip(sizes, is_open, strict=True))
    ]
    strides = [
        builder.scalar(stride)
        if space in HBM and builder.chance(10) and builder.form("dynamic strides")
        else str(stride)
        for stride in place.strides
    ]  # fmt: skip
    shape = [-1 if value else size for size, value in zip(sizes, is_open, strict=True)]
    type_ = f"memref<{sized(shape, element)}>"
    name = builder.define(
        f"ktdp.construct_memory_view {base}, sizes: [{', '.join(written)}], "
        f"strides: [{', '.join(strides)}] {{coordinate_set = {valid}, memory_space = {space}}} "
        f": {type_}",
        "view",
    )
    return View(name, type_)


def _coordinate_set(
    builder: Builder,
    sizes: Sequence[int],
    is_open: Sequence[bool],
    is_read: Sequence[bool],
    may_be_odd: bool,
) -> str:
    """All coordinates of the sizes, or fewer."""
    constraints: list[str] = []
    symbol = 0
    narrower = builder.chance(5)
    for dim, (size, value) in enumerate(zip(sizes, is_open, strict=True)):
        if value:
            constraints += [f"d{dim} >= 0", f"-d{dim} + s{symbol} - 1 >= 0"]
            symbol += 1
            continue
        low, high = 0, size - 1
        if narrower and size > 1 and not is_read[dim]:
            high -= builder.number(0, 1)
            low += builder.chance(4) and builder.form("view set with an offset")
        constraints += interval(dim, low, high)
    if not may_be_odd:
        return affine_set(len(sizes), constraints, symbol)
    if narrower and len(sizes) > 1 and builder.form("view set that is no box", 3):
        constraints.append(f"d0 + d1 - {builder.number(0, 2)} >= 0")
    elif narrower and builder.form("view set that is no box", 4):
        shift = builder.number(0, 96)
        constraints.append(builder.pick(["d0 mod 2 == 0", f"(d0 + {shift}) mod 97 - 48 >= 0"]))
    return affine_set(len(sizes), constraints, symbol)


def distributed_view(
    builder: Builder, ranges: Sequence[Range], element: str, is_store: bool, may_be_odd: bool
) -> View:
    """Parts that together hold all coordinates of the ranges, in arrays of their own.

    `may_be_odd`: their sets need not be boxes.
    """
    sizes = [max(high, 0) + 1 for _, high in ranges]
    parts = _parts(builder, sizes, may_be_odd)
    made = [_part(builder, constraints, local, element, is_store) for constraints, local in parts]
    return compose(builder, made, sizes, element)


def compose(builder: Builder, made: Sequence[View], sizes: Sequence[int], element: str) -> View:
    """The view that parts make up."""
    whole = f"memref<{sized(sizes, element)}>"
    name = builder.define(
        f"ktdp.construct_distributed_memory_view ({', '.join(p.name for p in made)} : "
        f"{', '.join(p.type for p in made)}) : {whole}",
        "whole",
    )
    return View(name, whole)


def _parts(
    builder: Builder, sizes: Sequence[int], may_be_odd: bool
) -> list[tuple[list[str], list[int]]]:
    """The constraints of disjoint parts, and the sizes that each needs."""
    if may_be_odd and builder.form("distributed view with parts that are no boxes", 4):
        return _odd_parts(builder, sizes)
    dim = builder.number(0, len(sizes) - 1)
    rest = [c for d, n in enumerate(sizes) if d != dim for c in interval(d, 0, n - 1)]
    cuts = sorted({builder.number(0, sizes[dim]) for _ in range(builder.number(0, 2))})
    edges = sorted({0, *cuts, sizes[dim]})
    found = []
    for low, end in itertools.pairwise(edges):
        local = [end - low if d == dim else n for d, n in enumerate(sizes)]
        found.append(([*rest, *interval(dim, low, end - 1)], local))
    return builder.shuffled(found)


def _odd_parts(builder: Builder, sizes: Sequence[int]) -> list[tuple[list[str], list[int]]]:
    """Parts that take turns along a dimension, or the two sides of a diagonal."""
    whole = [c for d, n in enumerate(sizes) for c in interval(d, 0, n - 1)]
    if len(sizes) == 2 and sum(sizes) > 2 and builder.chance(2):
        cut = builder.number(1, sum(sizes) - 2)
        near = [min(n, cut) for n in sizes]
        return [
            ([*whole, f"-d0 - d1 + {cut - 1} >= 0"], near),
            ([*whole, f"d0 + d1 - {cut} >= 0"], list(sizes)),
        ]
    dim = builder.number(0, len(sizes) - 1)
    if sizes[dim] < 2:
        return [(whole, list(sizes))]
    odd = [n - 1 if d == dim else n for d, n in enumerate(sizes)]
    return [
        ([*whole, f"d{dim} mod 2 == 0"], list(sizes)),
        ([*whole, f"(d{dim} - 1) mod 2 == 0"], odd),
    ]


def _part(
    builder: Builder, constraints: list[str], sizes: list[int], element: str, is_store: bool
) -> View:
    place = layout(builder, sizes, is_store)
    pointer = builder.array(builder.data(place.elements, element))
    base = address(builder, pointer, place.offset)
    shape, written = list(sizes), [str(size) for size in sizes]
    if builder.form("part of a size that is a value", 4):
        dim = builder.number(0, len(sizes) - 1)
        shape[dim], written[dim] = -1, builder.scalar(sizes[dim])
    type_ = f"memref<{sized(shape, element)}>"
    name = builder.define(
        f"ktdp.construct_memory_view {base}, sizes: [{', '.join(written)}], "
        f"strides: {list(place.strides)} "
        f"{{coordinate_set = {affine_set(len(sizes), constraints)}, "
        f"memory_space = {builder.pick(HBM)}}} : {type_}",
        "part",
    )
    return View(name, type_)
