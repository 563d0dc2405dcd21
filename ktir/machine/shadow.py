"""What happened to every byte of a memory: who wrote it, and who read it since.

Owns the faults that need this: reads of what nobody wrote, and accesses of different cores, or of
different points of one transfer, that nothing orders. Order comes from `clocks`; the bytes of a
transfer are a `Footprint`. Kept for check "full" only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import NoReturn

import numpy as np
import torch
from torch import Tensor

from ktir.errors import MachineError
from ktir.machine.clocks import Clocks
from ktir.machine.footprint import BITS, Footprint

_GIVEN, _UNWRITTEN, _CORE = 0, 1, 2
"""Codes of a byte: written before this kernel, written by nobody, and (plus its number) by a core
of this kernel."""


MOST_CORES = 62
"""Cores of which one word of 64 bits can tell who read a byte."""


@dataclasses.dataclass(frozen=True)
class Actor:
    """Who accesses a memory: the cores of a group, in order, and how to speak of them.

    `by` starts a message about the core at a position of the group; `where` is the place of a point
    of its tile, in words.
    """

    numbers: Tensor
    clocks: Clocks
    by: Callable[[int], str]
    where: Callable[[int, int], str]


@dataclasses.dataclass(frozen=True, eq=False)
class _Read:
    """A read that no write has met yet."""

    footprint: Footprint
    numbers: Tensor
    phase: int
    low: int
    high: int


@dataclasses.dataclass(frozen=True, eq=False)
class _Mask:
    """Who read each byte in one phase, one bit a core; `epochs`: those the cores were in."""

    bits: Tensor
    epochs: Tensor


class Shadow:
    """The history of a memory of `size` bytes. Nothing of it is written at first."""

    def __init__(self, size: int) -> None:
        self._codes = torch.full((size,), _UNWRITTEN, dtype=torch.uint8)
        self._begin_kernel()

    def _begin_kernel(self) -> None:
        self._epochs: Tensor | None = None
        self._written: list[tuple[int, int]] = []
        self._reads: list[_Read] = []
        self._masks: dict[int, _Mask] = {}
        self._phases: dict[int, Tensor] = {}

    def end_kernel(self) -> None:
        """What cores wrote is given for what comes next."""
        for low, high in _merged(self._written):
            part = self._codes[low:high]
            part[part >= _CORE] = _GIVEN
        self._begin_kernel()

    def save(self) -> Tensor:
        """The codes of all bytes, for `restore`, between kernels."""
        return self._codes.clone()

    def restore(self, codes: Tensor) -> None:
        """Goes back to what was saved; forgets what the present kernel did."""
        self._codes.copy_(codes)
        self._begin_kernel()

    def forget(self, start: int, end: int) -> None:
        """The bytes [start, end) are fresh again."""
        self._codes[start:end] = _UNWRITTEN

    def give(self, footprint: Footprint) -> None:
        """The host writes, between kernels."""
        footprint.put(self._codes, torch.zeros((1, 1, 1), dtype=torch.uint8))

    def unwritten(self, footprint: Footprint) -> int | None:
        """The first point, of the first row, that nobody wrote."""
        found = (footprint.take(self._codes)[0] == _UNWRITTEN).any(-1).nonzero()
        return int(found[0]) if len(found) else None

    def read(self, footprint: Footprint, actor: Actor) -> None:
        """Cores read. Raises MachineError for what nobody wrote, and for races with writes."""
        codes = footprint.take(self._codes)
        if not _any(codes):
            self._note_read(footprint, actor)
            return
        missing = codes == _UNWRITTEN
        if bool(missing.any()):
            row, point = _first(missing.any(-1))
            raise MachineError(
                f"{_place(footprint, actor, row, point)}, which nobody has written; a load may "
                "read what the host gave and what a store before it wrote"
            )
        for position, racing in self._unordered_writes(footprint, codes, actor):
            row, point = _first(racing)
            core = int(codes[row, point].max()) - _CORE
            what = f"which core {core} writes in this kernel"
            _race(footprint, actor, position + row, point, what)
        self._note_read(footprint, actor)

    def _note_read(self, footprint: Footprint, actor: Actor) -> None:
        phase = actor.clocks.phase
        if phase not in self._phases:
            self._phases[phase] = actor.clocks.epochs()
        ends = [pair for pair in footprint.ends() if pair[0] < pair[1]]
        if ends:
            low, high = min(a for a, _ in ends), max(b for _, b in ends)
            self._reads.append(_Read(footprint, actor.numbers, phase, low, high))

    def write(
        self,
        footprint: Footprint,
        actor: Actor,
        data: Tensor,
        current: Callable[[], Tensor],
        perform: Callable[[], None],
    ) -> None:
        """Cores write `data` [1 or rows, points] by calling `perform`; `current` reads the elements
        [rows, points].

        Raises MachineError for races with writes of other values and with reads, and for points of
        the transfer that coincide and bring different values.
        """
        ends = [pair for pair in footprint.ends() if pair[0] < pair[1]]
        if not ends:
            perform()
            return
        low, high = min(a for a, _ in ends), max(b for _, b in ends)
        codes = footprint.take(self._codes)
        for position, racing in self._unordered_writes(footprint, codes, actor):
            new = data if data.shape[0] in (1, racing.shape[0]) else data[position : position + 1]
            racing &= _differs(current(), new)
            if bool(racing.any()):
                row, point = _first(racing)
                core = int(codes[row, point].max()) - _CORE
                what = f"where core {core} writes another value in this kernel"
                _race(footprint, actor, position + row, point, what)
        self._meet_reads(footprint, actor, low, high)
        perform()
        self._note_write(footprint, actor, low, high)
        self._refuse_collisions(footprint, actor, data, current)

    def _unordered_writes(
        self, footprint: Footprint, codes: Tensor, actor: Actor
    ) -> Iterator[tuple[int, Tensor]]:
        """Where another core wrote, in no order to now: marks [rows, points], and the position of
        the core that the first of these rows is for."""
        if not codes.numel() or int(codes.max()) < _CORE:
            return
        writers = codes.to(torch.int64) - _CORE
        written = writers >= 0
        writers.clamp_(min=0)
        epochs = torch.zeros(()) if self._epochs is None else footprint.take(self._epochs)
        for position, numbers in _by_row(actor.numbers, footprint.rows):
            known = actor.clocks.ordered(writers, epochs, numbers.view(-1, 1, 1))
            racing = (written & ~known).any(-1)
            if bool(racing.any()):
                yield position, racing

    def _meet_reads(self, footprint: Footprint, actor: Actor, low: int, high: int) -> None:
        """Raises MachineError if another core reads what is about to be written, in no order."""
        met = [read for read in self._reads if read.low < high and low < read.high]
        for read in met:
            self._paint(read)
        if met:
            self._reads = [read for read in self._reads if not any(read is m for m in met)]
        for mask in self._masks.values():
            bits = footprint.take(mask.bits)
            if not _any(bits):
                continue
            for position, numbers in _by_row(actor.numbers, footprint.rows):
                forbidden = [
                    self._unordered_readers(mask.epochs, actor.clocks, number)
                    for number in numbers.tolist()
                ]
                wrong = bits & torch.tensor(forbidden).view(-1, 1, 1)
                if bool(wrong.any()):
                    row, point = _first(wrong.any(-1))
                    found = int(wrong[row, point].max())
                    core = (found & -found).bit_length() - 1
                    what = f"which core {core} reads in this kernel"
                    _race(footprint, actor, position + row, point, what)

    @staticmethod
    def _unordered_readers(epochs: Tensor, clocks: Clocks, number: int) -> int:
        """The bits of the cores whose reads in a phase are in no order to `number` now."""
        cores = torch.arange(len(epochs))
        known = clocks.ordered(cores, epochs, torch.tensor(number))
        return sum(1 << core for core in cores[~known].tolist())

    def _paint(self, read: _Read) -> None:
        mask = self._masks.get(read.phase)
        if mask is None:
            # Pages of zeros that nobody touches take no memory.
            bits = torch.from_numpy(np.zeros(self._codes.shape[0], dtype=np.int64))
            mask = self._masks[read.phase] = _Mask(bits, self._phases[read.phase])
        rows = read.footprint.rows
        for row in range(rows):
            own = read.footprint.row(row)
            numbers = read.numbers if rows == 1 else read.numbers[row : row + 1]
            bits = sum(1 << number for number in set(numbers.tolist()))
            own.put(mask.bits, own.take(mask.bits) | bits)

    def _note_write(self, footprint: Footprint, actor: Actor, low: int, high: int) -> None:
        self._written.append((low, high))
        numbers = actor.numbers if footprint.rows > 1 else actor.numbers[-1:]
        footprint.put(self._codes, (numbers + _CORE).to(torch.uint8).view(-1, 1, 1))
        if actor.clocks.phase and self._epochs is None:
            self._epochs = torch.from_numpy(np.zeros(self._codes.shape[0], dtype=np.int64))
        if self._epochs is not None:
            footprint.put(self._epochs, actor.clocks.epochs()[numbers].view(-1, 1, 1))
        for mask in self._masks.values():
            footprint.put(mask.bits, torch.zeros((1, 1, 1), dtype=torch.int64))

    def _refuse_collisions(
        self, footprint: Footprint, actor: Actor, data: Tensor, current: Callable[[], Tensor]
    ) -> None:
        """Raises MachineError where another point of the same transfer left another value."""
        codes = footprint.take(self._codes)
        wrong = _differs(current(), data) & codes.any(-1)
        if not bool(wrong.any()):
            return
        row, point = _first(wrong)
        at = 0 if footprint.rows == 1 else row
        last = int(codes[at, point].max()) - _CORE
        alone = last == int(actor.numbers[row])
        other = "another point of the same store" if alone else f"the same store on core {last}"
        raise MachineError(
            f"{_place(footprint, actor, row, point)}, where {other} writes another value; points "
            "that coincide have no order, so their values must be equal"
        )


def _any(codes: Tensor) -> bool:
    """Whether a dense array holds anything but zeros."""
    flat = codes.reshape(-1)
    wide = flat.view(torch.int64) if flat.numel() * flat.element_size() % 8 == 0 else flat
    return bool(wide.any())


def _first(marks: Tensor) -> tuple[int, int]:
    """Row and point of the first mark in [rows, points]."""
    row, point = marks.nonzero()[0].tolist()
    return row, point


def _by_row(numbers: Tensor, rows: int) -> list[tuple[int, Tensor]]:
    """The cores to look at together, and the position of the first: one a row; or one after the
    other, each once, where they share a row."""
    if rows > 1:
        return [(0, numbers)]
    listed = numbers.tolist()
    return [(listed.index(number), torch.tensor([number])) for number in sorted(set(listed))]


def _place(footprint: Footprint, actor: Actor, row: int, point: int) -> str:
    at = min(row, footprint.rows - 1)
    return f"{actor.by(row)} {actor.where(row, point)}, byte {footprint.address(at, point)}"


def _race(footprint: Footprint, actor: Actor, row: int, point: int, what: str) -> NoReturn:
    raise MachineError(
        f"{_place(footprint, actor, row, point)}, {what}; nothing orders the two: let the first "
        "core produce after its access and the other take delivery before its own, or use other "
        "memory or another kernel"
    )


def _differs(found: Tensor, data: Tensor) -> Tensor:
    """Whether elements differ in their bits."""
    bits = BITS[data.dtype.itemsize]
    return found.view(bits) != data.view(bits)


def _merged(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(intervals):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged
