"""What an iteration of a loop does to the scratchpad.

Owns the question whether iterations can have buffers of their own: whatever one reads it has
written itself, or no iteration writes. It follows the order in which the ops of the body are
decoded.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Protocol

from ktir.machine.coverage import Coverage, Interval


class Place(Hashable, Protocol):
    """A buffer: bytes [address, end), which hold more than its elements if it `is_padded`."""

    @property
    def address(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def shape(self) -> Sequence[int]: ...
    @property
    def is_padded(self) -> bool: ...


class Iteration:
    """The buffers that the ops of a body read and write, noted in their order.

    `coverage`: what is sure to be written since the iteration began. `elements`: those of the
    largest buffer.
    """

    def __init__(self) -> None:
        self.coverage = Coverage()
        self.elements = 1
        self._touched: list[Interval] = []
        self._writes: list[Interval] = []

    def reads(self, buffer: Place) -> None:
        """Notes a read of a buffer."""
        self._touch(buffer)
        self.coverage.reads(buffer, buffer.address, buffer.end)

    def writes(self, buffer: Place) -> None:
        """Notes that all elements of a buffer are written."""
        self._touch(buffer)
        self.coverage.writes(buffer, buffer.address, buffer.end, buffer.is_padded)
        self._writes.append((buffer.address, buffer.end))

    def changes(self, buffer: Place) -> None:
        """Notes that a part of a buffer is written: the rest is kept, as if it were read."""
        self.reads(buffer)
        self._writes.append((buffer.address, buffer.end))

    def _touch(self, buffer: Place) -> None:
        self.elements = max(self.elements, math.prod(buffer.shape))
        self._touched.append((buffer.address, buffer.end))

    @property
    def places(self) -> tuple[Interval, ...]:
        """Where the buffers are that an iteration may write, each place as small as can be: no
        buffer of the body is in two of them, or in one and beside it."""
        found: list[Interval] = []
        for low, high in sorted(self._touched):
            if found and low < found[-1][1]:
                found[-1] = (found[-1][0], max(found[-1][1], high))
            else:
                found.append((low, high))
        return tuple(place for place in found if _meet([place], self._writes))

    @property
    def is_alone(self) -> bool:
        """Whether it sees nothing of what other iterations write."""
        return not _meet(self.coverage.unwritten, self._writes)


def _meet(some: Sequence[Interval], others: Sequence[Interval]) -> bool:
    """Whether they have a byte in common."""
    return any(low < end and start < high for low, high in some for start, end in others)
