"""Views whose size is a value: what their set has must have an element where it is accessed.

Owns that check. Coordinates that the set does not have are masked, which is up to `accesses`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ktir.mlir import ir
from ktir.passes.lowering.affine import add, constant, negated, scale, total
from ktir.passes.lowering.elements import Condition, Elements, is_inside, refuse_marks
from ktir.passes.lowering.index import Index, Least
from ktir.passes.lowering.selection import Selection

if TYPE_CHECKING:
    from ktir.passes.lowering.tiles import Tile
    from ktir.passes.lowering.views import Part


def check_elements(selection: Selection, tile: Tile, op: ir.Operation) -> None:
    """Appends what makes it a fault that an element of a tile is in the set of its view, but beyond
    a size of it that is a value, unless it is known that none is; `op` accesses the tile."""
    part = tile.parts[0]
    if part.is_shared:
        return
    left = [
        dim
        for dim, size in enumerate(part.sizes or ())
        if size is None and not _has_elements(selection, tile, part, dim)
    ]
    if not left:
        return
    elements = Elements(selection, op, tile.shape, tile.coordinates, tile.extents)
    marks = elements.unmet(
        _in_set(selection, op, elements, part),
        [c for dim in left for c in elements.below(dim, part.lengths[dim])],
    )
    refuse_marks(
        selection,
        op,
        marks,
        f"a coordinate of the view's set is outside the view in one of its dimensions {left}",
    )


def _has_elements(selection: Selection, tile: Tile, part: Part, dim: int) -> bool:
    """Whether it is known that what the set has along a dimension, or what the tile has, exists."""
    length = part.lengths[dim]
    if is_inside(selection, tile.coordinates[dim], length, tile.extents or tile.shape):
        return True
    first, end = part.stated[dim]
    if first is None or end is None:
        return False
    least, _ = selection.bounds.of(first)
    return least is not None and least >= 0 and _is_below(selection, end, length)


def _is_below(selection: Selection, end: Index, length: Index) -> bool:
    """Whether it is known that an end is no greater than a length."""
    if isinstance(end, Least):
        return any(_is_below(selection, one, length) for one in end.of)
    _, most = selection.bounds.of(total(end, negated(length)))
    return most is not None and most <= 0


def _in_set(
    selection: Selection, op: ir.Operation, elements: Elements, part: Part
) -> list[Condition]:
    """What is true of the coordinates of a view's set."""
    found = []
    for at, (first, end) in zip(elements.coordinates, part.stated, strict=True):
        if first is not None:
            found.append(Condition(add(at, scale(elements.of(first), -1)), equal=False))
        if end is not None:
            last = add(elements.of(selection.plain(end, op)), constant(-1))
            found.append(Condition(add(last, scale(at, -1)), equal=False))
    return found + [elements.holds(mask.constraint, mask.symbols) for mask in part.masks]
