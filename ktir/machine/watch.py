"""What check "full" looks at while a kernel runs, beside values.

Owns `Watch`, one for each launch: the clocks of its cores and the span of device memory that each
touches. The histories of memories are in `shadow`.
"""

from __future__ import annotations

from ktir.errors import BoundsError
from ktir.machine.clocks import Clocks
from ktir.machine.footprint import Footprint
from ktir.machine.memory import Allocation
from ktir.machine.shadow import Actor
from ktir.target import Target


class Watch:
    """The clocks of a launch, and the least and greatest byte that each core touched of each array
    of device memory."""

    def __init__(self, cores: int, target: Target) -> None:
        self.clocks = Clocks(cores)
        self._target = target
        self._spans: dict[tuple[str, int], tuple[int, int]] = {}

    def touch(self, array: Allocation, footprint: Footprint, actor: Actor) -> None:
        """Notes an access to an array. Raises BoundsError if a core's span of it is over the
        target's limit."""
        limit, name = self._target.memory.span_bytes, array.name
        if array.end - array.start <= limit:
            return
        for row, (low, high) in enumerate(footprint.ends()):
            if low == high:
                continue
            numbers = actor.numbers if footprint.rows == 1 else actor.numbers[row : row + 1]
            for number in numbers.tolist():
                first, last = self._spans.get((name, number), (low, high))
                first, last = min(first, low), max(last, high)
                self._spans[name, number] = first, last
                if last - first > limit:
                    raise BoundsError(
                        f"{actor.by(row)}; with it, core {number} touches bytes {first} to "
                        f"{last - 1} of '{name}', a span of {last - first} bytes; "
                        f"{self._target.name} lets a core reach {limit} bytes of an array"
                    )
