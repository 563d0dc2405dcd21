"""What an iteration of a loop does to the scratchpad.

Owns the question whether iterations can have buffers of their own: whatever one reads it has
written itself, or no iteration writes. It follows the order in which the ops of the body are
decoded.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Protocol

from ktir.machine.coverage import Coverage, Interval, merged


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
        self._writes: list[Interval] = []

    def reads(self, buffer: Place) -> None:
        """Notes a read of a buffer."""
        self.elements = max(self.elements, math.prod(buffer.shape))
        self.coverage.reads(buffer, buffer.address, buffer.end)

    def writes(self, buffer: Place) -> None:
        """Notes that all elements of a buffer are written."""
        self.elements = max(self.elements, math.prod(buffer.shape))
        self.coverage.writes(buffer, buffer.address, buffer.end, buffer.is_padded)
        self._writes.append((buffer.address, buffer.end))

    def changes(self, buffer: Place) -> None:
        """Notes that a part of a buffer is written: the rest is kept, as if it were read."""
        self.reads(buffer)
        self._writes.append((buffer.address, buffer.end))

    @property
    def written(self) -> tuple[Interval, ...]:
        """The bytes that an iteration may write, as intervals apart from each other, in order."""
        return merged(self._writes)

    @property
    def is_alone(self) -> bool:
        """Whether it sees nothing of what other iterations write."""
        return not any(
            low < end and start < high
            for low, high in self.coverage.unwritten
            for start, end in self.written
        )
