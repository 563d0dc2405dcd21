"""Whether the parts of a distributed view hold each coordinate that is accessed, and hold it once.

What constants decide is refused when lowering. What values decide is checked when the program runs:
that boxes are apart and fit what holds them, where the view is made, and that every element of a
tile is in one part, where it is accessed. A transfer cannot tell: it sees one part.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ktir.mlir import ir
from ktir.passes.lowering.affine import add, constant, greatest, least, negated, scale, total
from ktir.passes.lowering.elements import Condition, Elements, refuse_marks
from ktir.passes.lowering.index import Index, Test
from ktir.passes.lowering.points import set_of
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.sets import points_of

if TYPE_CHECKING:
    from ktir.passes.lowering.tiles import Tile
    from ktir.passes.lowering.views import Part

_Box = list[tuple[int, int]]
"""The first coordinate and the one after the last, of each dimension."""

_MOST_CELLS = 1 << 16
"""Cells between the ends of boxes that are looked at one by one."""


def check_parts(
    selection: Selection, op: ir.Operation, parts: Sequence[tuple[ir.Operation, Part]]
) -> None:
    """Checks that no two parts of the view that `op` makes hold one coordinate, and that each fits
    the memory that it says it is in.

    `parts`: with the ops that make them. Raises UnsupportedError where constants decide.
    """
    for number, (_, part) in enumerate(parts):
        _check_size(selection, op, number, part)
    held = [_held(selection, maker, part) for maker, part in parts]
    for (first, a), (second, b) in itertools.combinations(enumerate(held), 2):
        if a is None or b is None:
            _check_apart(selection, op, (first, parts[first][1]), (second, parts[second][1]))
            continue
        common = _common(a, b)
        if common is not None:
            raise selection.refusal(
                op,
                f"parts {first} and {second} both hold coordinates {common}; "
                "parts of a distributed view must be disjoint",
            )


def _check_size(selection: Selection, op: ir.Operation, number: int, part: Part) -> None:
    """A box must not have more coordinates than its memory has elements."""
    if part.masks:
        return
    for dim, (bound, length) in enumerate(zip(part.bounds, part.lengths, strict=True)):
        what = f"part {number} holds more coordinates in d{dim} than it has elements"
        if isinstance(bound, int) and isinstance(length, int):
            if bound > length:
                raise selection.refusal(op, f"{what}: {bound}, but {length}")
        elif bound != length:
            selection.require(Test("sle", bound, length), f"{what} along it", op)


def _check_apart(
    selection: Selection, op: ir.Operation, a: tuple[int, Part], b: tuple[int, Part]
) -> None:
    """Two boxes must have no common point; what is no box is looked at where it is accessed."""
    if a[1].masks or b[1].masks:
        return
    common = [
        total(least_end, negated(last_start))
        for least_end, last_start in (
            (
                selection.plain(least([_end(selection, op, p, dim) for p in (a[1], b[1])]), op),
                selection.plain(greatest([a[1].lower[dim], b[1].lower[dim]]), op),
            )
            for dim in range(len(a[1].lower))
        )
    ]
    selection.require(
        Test("sle", least(common), 0),
        f"parts {a[0]} and {b[0]} hold the same coordinates; parts of a distributed view must be "
        "disjoint",
        op,
    )


def _end(selection: Selection, op: ir.Operation, part: Part, dim: int) -> Index:
    """The coordinate after the last one of a box."""
    return total(part.lower[dim], selection.plain(part.bounds[dim], op))


def check_held(selection: Selection, tile: Tile, op: ir.Operation) -> None:
    """Appends what makes it a fault that an element of a tile is in no part of its view, or in
    several, unless it is known that none is; `op` accesses the tile."""
    if not tile.parts[0].is_shared or _is_held(selection, tile):
        return
    elements = Elements(selection, op, tile.shape, tile.coordinates, tile.extents)
    marks = elements.marks([_conditions(selection, op, elements, part) for part in tile.parts])
    refuse_marks(
        selection,
        op,
        marks,
        f"of the {len(tile.parts)} parts of the distributed view, none or several hold an element "
        "of the tile; parts must be disjoint and cover what is accessed",
    )


def _conditions(
    selection: Selection, op: ir.Operation, elements: Elements, part: Part
) -> list[Condition]:
    """What is true of the coordinates of a part."""
    found = []
    for at, low, bound in zip(elements.coordinates, part.lower, part.bounds, strict=True):
        local = add(at, scale(elements.of(low), -1))
        count = elements.of(selection.plain(bound, op))
        last = add(add(count, scale(local, -1)), constant(-1))
        found += [Condition(local, equal=False), Condition(last, equal=False)]
    return found + [elements.holds(mask.constraint, mask.symbols) for mask in part.masks]


def _is_held(selection: Selection, tile: Tile) -> bool:
    """Whether it is known that every element is in one part: parts that are known to be disjoint
    hold all that the tile can reach, or all of the view, beyond which transfers tell a fault."""
    boxes: list[_Box] = []
    for part in tile.parts:
        box = None if part.masks else _box(part)
        if box is None:
            return False
        boxes.append(box)
    sizes = tile.parts[0].sizes
    whole = [(0, size) for size in sizes or () if isinstance(size, int)]
    if len(whole) == len(tile.coordinates) and _covers(boxes, whole):
        return True
    reach = _reach(selection, tile)
    return reach is not None and _covers(boxes, reach)


def _reach(selection: Selection, tile: Tile) -> _Box | None:
    """A box around all coordinates of a tile, on any core."""
    box: _Box = []
    for coordinate in tile.coordinates:
        span, offsets = coordinate.span(tile.shape), selection.ranges.of(coordinate.offset)
        if span is None or offsets is None:
            return None
        low, high = min(a for a, _ in offsets), max(b for _, b in offsets)
        box.append((low + span[0], high + span[1] + 1))
    return box


def _covers(boxes: Sequence[_Box], whole: _Box) -> bool:
    """Whether boxes hold every point of another one."""
    cuts = [sorted(_cuts([box[dim] for box in boxes], ends)) for dim, ends in enumerate(whole)]
    if np.prod([len(starts) for starts in cuts]) > _MOST_CELLS:
        return False
    # Between two cuts all points are in the same boxes.
    return all(
        any(all(a <= x < b for x, (a, b) in zip(corner, box, strict=True)) for box in boxes)
        for corner in itertools.product(*cuts)
    )


def _cuts(sides: Sequence[tuple[int, int]], ends: tuple[int, int]) -> Iterator[int]:
    """Where cells begin along a dimension from `ends[0]` to before `ends[1]`."""
    first, end = ends
    if first < end:
        yield from {first, *(cut for side in sides for cut in side if first < cut < end)}


def _held(selection: Selection, maker: ir.Operation, part: Part) -> _Box | np.ndarray | None:
    """The coordinates of a part: a box, or points [points, rank]; None if values decide."""
    if part.masks:
        set_, _ = set_of(selection, maker, "coordinate_set")
        symbols = [symbol for symbol in part.masks[0].symbols if isinstance(symbol, int)]
        return points_of(set_, symbols) if len(symbols) == set_.symbols else None
    return _box(part)


def _box(part: Part) -> _Box | None:
    """The box that a part without masks is; None if values decide."""
    box: _Box = []
    for low, bound in zip(part.lower, part.bounds, strict=True):
        if not (isinstance(low, int) and isinstance(bound, int)):
            return None
        box.append((low, low + bound))
    return box


def _common(a: _Box | np.ndarray, b: _Box | np.ndarray) -> list[int] | None:
    """A coordinate that both hold; None if there is none."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        shared = {tuple(point) for point in a.tolist()} & {tuple(point) for point in b.tolist()}
        return list(min(shared)) if shared else None
    if isinstance(a, np.ndarray):
        assert not isinstance(b, np.ndarray)
        return _first_inside(a, b)
    if isinstance(b, np.ndarray):
        return _first_inside(b, a)
    corner = [max(x[0], y[0]) for x, y in zip(a, b, strict=True)]
    ends = [min(x[1], y[1]) for x, y in zip(a, b, strict=True)]
    return corner if all(x < y for x, y in zip(corner, ends, strict=True)) else None


def _first_inside(points: np.ndarray, box: _Box) -> list[int] | None:
    inside = np.ones(len(points), dtype=bool)
    for column, (first, end) in zip(points.T, box, strict=True):
        inside &= (column >= first) & (column < end)
    found = points[inside]
    return [int(n) for n in found[0]] if len(found) else None
