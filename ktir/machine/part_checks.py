"""Whether the parts of a distributed view are disjoint and have elements for what they hold.

Owns both checks, made where the view is. What no part holds shows where it is accessed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.errors import MachineError
from ktir.machine.coresets import Limits
from ktir.machine.percore import rows
from ktir.machine.sets import BoundSet
from ktir.machine.views import View

_KNOWN_PARTS = 256
"""Sets of parts that are known to be disjoint."""


class PartChecks:
    """The checks of the parts of one view, which know what they have found disjoint."""

    def __init__(self) -> None:
        self._disjoint: set[tuple[int, int]] = set()

    def check(self, parts: Sequence[View]) -> None:
        """Raises MachineError for two parts that hold one coordinate, and for a box of more
        coordinates than its part has elements."""
        for number, part in enumerate(parts):
            if part.limits is not None:
                _check_size(part, part.limits)
            for other in parts[:number]:
                if part.limits is not None and other.limits is not None:
                    ends = [end for pair in (*part.limits, *other.limits) for end in pair]
                    if any(map(_meet, rows(ends))):
                        _refuse(part, other)
                elif part.limits is None:
                    self._check_points(part, other)
                else:
                    self._check_points(other, part)

    def _check_points(self, listed: View, other: View) -> None:
        """Refuses parts with common points, of which one is no box; a set without an end is looked
        at where it is accessed only."""
        count = max(len(listed.valid.sets), len(other.valid.sets))
        for core in range(count):
            a, b = (sets[core % len(sets)] for sets in (listed.valid.sets, other.valid.sets))
            pair = (id(a), id(b))
            if pair in self._disjoint or a.empty or None in (*a.low, *a.high):
                continue
            if _have_common(a, b):
                _refuse(listed, other)
            if len(self._disjoint) == _KNOWN_PARTS:
                self._disjoint.clear()
            self._disjoint.add(pair)


def _have_common(listed: BoundSet, other: BoundSet) -> bool:
    points = listed.points()
    inside = other.contains([points[:, dim] for dim in range(points.shape[1])])
    return len(points) > 0 and bool(inside if isinstance(inside, bool) else inside.any())


def _check_size(part: View, limits: Limits) -> None:
    for (lows, highs), sizes in zip(limits, part.sizes, strict=True):
        for low, high, size in rows((lows, highs, sizes)):
            if high - low > size:
                raise MachineError(
                    f"{part.name} holds coordinates {low}..{high - 1} of the whole, but has "
                    f"{size} elements along that dimension"
                )


def _refuse(part: View, other: View) -> None:
    raise MachineError(
        f"{part.name} and {other.name} hold the same coordinates; parts of a distributed view must "
        "be disjoint"
    )


def _meet(ends: Sequence[int]) -> bool:
    """Whether two boxes of one rank, given by their ends [low, high) in turn, have a point in
    common."""
    half = len(ends) // 2
    pairs = [(ends[at], ends[at + 1]) for at in range(0, len(ends), 2)]
    both = zip(pairs[: half // 2], pairs[half // 2 :], strict=True)
    return all(max(a, c) < min(b, d) for (a, b), (c, d) in both)
