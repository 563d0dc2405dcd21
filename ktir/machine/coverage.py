"""Which bytes of the scratchpad a kernel may read before it has written them.

Owns that analysis, which follows the order in which ops are decoded. Only such bytes have to be
made fresh before a launch; what else earlier kernels left there nobody can see.
"""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Iterator

Interval = tuple[int, int]
"""Bytes [start, end)."""


class Coverage:
    """What the ops decoded so far are sure to have written, whatever way control took."""

    def __init__(self) -> None:
        self._written: list[Interval] = []
        self._buffers: set[Hashable] = set()
        self._unwritten: list[Interval] = []

    @property
    def unwritten(self) -> tuple[Interval, ...]:
        """The bytes that may be read first, as intervals apart from each other, in order."""
        return merged(self._unwritten)

    def reads(self, buffer: Hashable, start: int, end: int) -> None:
        """Notes a read of a buffer in the bytes [start, end)."""
        covered = any(low <= start and end <= high for low, high in merged(self._written))
        if not covered and buffer not in self._buffers:
            self._unwritten.append((start, end))

    def writes(self, buffer: Hashable, start: int, end: int, padded: bool) -> None:
        """Notes that all elements of a buffer are written; if it is `padded`, not all its bytes."""
        self._buffers.add(buffer)
        if not padded:
            self._written.append((start, end))

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """A block that may run any number of times: what it writes counts inside it only."""
        written, buffers = list(self._written), set(self._buffers)
        try:
            yield
        finally:
            self._written, self._buffers = written, buffers


def merged(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """The bytes of any of the intervals, as intervals apart from each other, in order."""
    found: list[Interval] = []
    for low, high in sorted(intervals):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)
