"""Whether the parts of a distributed view are disjoint, as far as that is known when lowering.

At level `ktir` the machine tells. A transfer cannot: it sees one part.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ktir.mlir import ir
from ktir.passes.lowering.points import set_of
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.sets import points_of

if TYPE_CHECKING:
    from ktir.passes.lowering.views import Part

_Box = list[tuple[int, int]]
"""The first coordinate and the one after the last, of each dimension."""


def check_disjoint(
    selection: Selection, op: ir.Operation, parts: Sequence[tuple[ir.Operation, Part]]
) -> None:
    """Raises UnsupportedError if two parts of the view that `op` makes hold one coordinate.

    `parts`: with the ops that make them. A part whose place depends on values is not looked at.
    Views are looked at once.
    """
    if op in selection.disjoint:
        return
    held = [(number, _held(selection, maker, part)) for number, (maker, part) in enumerate(parts)]
    known = [(number, what) for number, what in held if what is not None]
    for (first, a), (second, b) in itertools.combinations(known, 2):
        common = _common(a, b)
        if common is not None:
            raise selection.refusal(
                op,
                f"parts {first} and {second} both hold coordinates {common}; "
                "parts of a distributed view must be disjoint",
            )
    selection.disjoint.add(op)


def _held(selection: Selection, maker: ir.Operation, part: Part) -> _Box | np.ndarray | None:
    """The coordinates of a part: a box, or points [points, rank]; None if values decide."""
    if part.masks:
        set_, _ = set_of(selection, maker, "coordinate_set")
        symbols = [symbol for symbol in part.masks[0].symbols if isinstance(symbol, int)]
        return points_of(set_, symbols) if len(symbols) == set_.symbols else None
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
