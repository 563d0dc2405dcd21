"""Scratchpad buffers of iterations that run at once: each has its own, as it would have had in its
turn.

Owns their memory and what is left of them when the iterations are done. That no iteration sees what
another one left there is known before, see `coverage`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from ktir.machine.coverage import Interval
from ktir.machine.memory import Scratchpad

_Key = tuple[int, tuple[int, ...], torch.dtype]
"""A buffer: its byte address, shape and dtype."""


class StackedBuffers:
    """The buffers of `count` iterations for each of some rows of the memory around: row
    `i * count + k` is iteration k of the row `rows[i]` there. Of `places`, the bytes that
    iterations write, each has its own; other bytes are those around.

    `is_whole`: whether `rows` are all those around.
    """

    def __init__(
        self,
        around: Buffers,
        rows: Tensor,
        is_whole: bool,
        count: int,
        places: Sequence[Interval],
    ) -> None:
        self.count = count
        self._around, self._rows, self._is_whole = around, rows, is_whole
        self._origins = rows.repeat_interleave(count)
        size = rows.shape[0] * count
        self._parts = [
            (start, end, Scratchpad(size, end - start, fresh=())) for start, end in places
        ]
        self._written: dict[_Key, Tensor | None] = {}

    def get(self, address: int, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        """As `Scratchpad.get`."""
        for start, end, own in self._parts:
            if start <= address < end:
                return own.get(address - start, shape, dtype)
        data = self._around.get(address, shape, dtype)
        return data if data.shape[0] == 1 else data[self._origins]

    def shaped(self, address: int, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        """As `Scratchpad.shaped`."""
        start, own = self._own(address)
        return own.shaped(address - start, shape, dtype)

    def put(self, address: int, shape: tuple[int, ...], dtype: torch.dtype, alike: bool) -> Tensor:
        """As `Scratchpad.put`."""
        self._written[(address, shape, dtype)] = None
        start, own = self._own(address)
        return own.put(address - start, shape, dtype, alike)

    def spread(
        self, address: int, shape: tuple[int, ...], dtype: torch.dtype, rows: Tensor | None
    ) -> Tensor:
        """As `Scratchpad.spread`."""
        key = (address, shape, dtype)
        if rows is None:
            self._written[key] = None
        elif key not in self._written or self._written[key] is not None:
            known = self._written.get(key)
            if known is None:
                known = self._written[key] = torch.zeros(len(self._origins), dtype=torch.bool)
            known[rows] = True
        start, own = self._own(address)
        return own.spread(address - start, shape, dtype, rows)

    def _own(self, address: int) -> tuple[int, Scratchpad]:
        for start, end, own in self._parts:
            if start <= address < end:
                return start, own
        raise AssertionError("the places of a loop are all that its iterations write")

    def commit(self) -> None:
        """Leaves around what the last iteration that wrote a buffer left there, as if they had run
        one after the other; then begins anew."""
        changes = [change for key in self._written for change in self._last(key)]
        # An iteration's bytes are those it left, so only the order of iterations matters.
        for number, key, positions in sorted(changes, key=lambda change: change[0]):
            self._leave(key, number, positions)
        self._written.clear()

    def _last(self, key: _Key) -> Iterator[tuple[int, _Key, Tensor | None]]:
        """The iterations that were the last to write a buffer, and for which of the rows around;
        None for all."""
        rows = self._written[key]
        if rows is None:
            yield self.count - 1, key, None
            return
        order = torch.arange(1, self.count + 1)
        last = (rows.view(-1, self.count) * order).amax(1) - 1
        for number in sorted(set(last.tolist()) - {-1}):
            yield number, key, (last == number).nonzero().flatten()

    def _leave(self, key: _Key, number: int, positions: Tensor | None) -> None:
        data = self.get(*key)
        if positions is None and self._is_whole:
            own = data if data.shape[0] == 1 else data[number :: self.count]
            self._around.put(*key, alike=data.shape[0] == 1).copy_(own)
            return
        if positions is None:
            positions = torch.arange(len(self._rows))
        own = data if data.shape[0] == 1 else data[positions * self.count + number]
        rows = self._rows[positions]
        self._around.spread(*key, rows)[rows] = own


Buffers = Scratchpad | StackedBuffers
"""Where the buffers of a program are at present."""
