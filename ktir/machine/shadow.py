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
from ktir.machine.coverage import merged
from ktir.machine.footprint import BITS, Footprint
from ktir.machine.pending_reads import Read, Reads, Touch

_UNWRITTEN, _GIVEN, _CORE = 0, 1, 2
"""Codes of a byte: written by nobody, before this kernel, and (plus its number) by a core of it."""

_EIGHT_GIVEN = int.from_bytes(bytes([_GIVEN] * 8), "little")

_MOST_NARROW = 255 - _CORE
"""The greatest core whose code fits into a byte; codes become wider once a greater one writes."""

_WORD = 62
"""Cores whose reads one word of 64 bits tells."""


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
class _Mask:
    """Who read each byte in one phase, one bit for each of `_WORD` cores from `first` on; `epochs`:
    those that all cores were in."""

    first: int
    bits: Tensor
    epochs: Tensor


class Shadow:
    """The history of a memory of `size` bytes. Nothing of it is written at first."""

    def __init__(self, size: int) -> None:
        self._codes = _zeros(size, np.uint8)
        self._begin_kernel()

    def _begin_kernel(self) -> None:
        self._epochs: Tensor | None = None
        self._written: list[tuple[int, int]] = []
        self._reads = Reads()
        self._masks: dict[tuple[int, int], _Mask] = {}
        self._phases: dict[int, Tensor] = {}

    def end_kernel(self) -> None:
        """What cores wrote is given for what comes next."""
        for low, high in merged(self._written):
            part = self._codes[low:high]
            part.clamp_(max=_GIVEN)
        self._begin_kernel()

    def save(self) -> Tensor:
        """The codes of all bytes, for `restore`, between kernels."""
        return self._codes.clone()

    def restore(self, codes: Tensor) -> None:
        """Goes back to what was saved; forgets what the present kernel did."""
        self._codes = codes.clone()
        self._begin_kernel()

    def forget(self, start: int, end: int) -> None:
        """The bytes [start, end) are fresh again."""
        self._codes[start:end] = _UNWRITTEN

    def give(self, footprint: Footprint) -> None:
        """The host writes, between kernels."""
        footprint.put(self._codes, torch.full((1, 1, 1), _GIVEN, dtype=self._codes.dtype))

    def unwritten(self, footprint: Footprint) -> int | None:
        """The first point, of the first row, that nobody wrote."""
        found = (footprint.take(self._codes)[0] == _UNWRITTEN).any(-1).nonzero()
        return int(found[0]) if len(found) else None

    def read(self, footprint: Footprint, actor: Actor) -> None:
        """Cores read. Raises MachineError for what nobody wrote, and for races with writes."""
        codes = footprint.take(self._codes, outside=_GIVEN)
        if _all_given(codes):
            self._note_read(footprint, actor)
            return
        missing = codes == _UNWRITTEN
        if bool(missing.any()):
            row, point = _first(missing.any(-1))
            raise MachineError(
                f"{place(footprint, actor, row, point)}, which nobody has written; a load may "
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
        key = (footprint.key(), tuple(actor.numbers.tolist()), phase)
        if key in self._reads:
            return
        touch = Touch.of(footprint, actor.numbers)
        if touch is not None:
            self._reads.add(key, Read(footprint, actor.numbers, phase, touch))

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
        touch = Touch.of(footprint, actor.numbers)
        if touch is None:
            perform()
            return
        codes = footprint.take(self._codes, outside=_GIVEN)
        for position, racing in self._unordered_writes(footprint, codes, actor):
            new = data if data.shape[0] in (1, racing.shape[0]) else data[position : position + 1]
            racing &= _differs(current(), new)
            if bool(racing.any()):
                row, point = _first(racing)
                core = int(codes[row, point].max()) - _CORE
                what = f"where core {core} writes another value in this kernel"
                _race(footprint, actor, position + row, point, what)
        self._meet_reads(footprint, actor, touch)
        perform()
        self._note_write(footprint, actor, touch)
        if not footprint.is_disjoint or (footprint.rows == 1 and data.shape[0] > 1):
            self._refuse_collisions(footprint, actor, data, current)

    def _unordered_writes(
        self, footprint: Footprint, codes: Tensor, actor: Actor
    ) -> Iterator[tuple[int, Tensor]]:
        """Where another core wrote, in no order to now: marks [rows, points], and the position of
        the core that the first of these rows is for."""
        if not codes.numel() or int(codes.max()) < _CORE:
            return
        written = codes >= _CORE
        if footprint.rows > 1 or len(actor.numbers) == 1:
            own = (actor.numbers + _CORE).view(-1, 1, 1)
            written &= codes != own.clamp(max=torch.iinfo(codes.dtype).max).to(codes.dtype)
            if not bool(written.any()):
                return
        writers = (codes.to(torch.int64) - _CORE).clamp_(min=0)
        epochs = torch.zeros(()) if self._epochs is None else footprint.take(self._epochs)
        for position, numbers in _by_row(actor.numbers, footprint.rows):
            known = actor.clocks.ordered(writers, epochs, numbers.view(-1, 1, 1))
            racing = (written & ~known).any(-1)
            if bool(racing.any()):
                yield position, racing

    def _meet_reads(self, footprint: Footprint, actor: Actor, touch: Touch) -> None:
        """Raises MachineError if another core reads what is about to be written, in no order."""
        for read in self._reads.pop(touch):
            self._paint(read)
        for mask in self._masks.values():
            bits = footprint.take(mask.bits)
            if not bool(bits.any()):
                continue
            for position, numbers in _by_row(actor.numbers, footprint.rows):
                forbidden = [
                    self._unordered_readers(mask, actor.clocks, number)
                    for number in numbers.tolist()
                ]
                wrong = bits & torch.tensor(forbidden).view(-1, 1, 1)
                if bool(wrong.any()):
                    row, point = _first(wrong.any(-1))
                    found = int(wrong[row, point].max())
                    core = mask.first + (found & -found).bit_length() - 1
                    what = f"which core {core} reads in this kernel"
                    _race(footprint, actor, position + row, point, what)

    @staticmethod
    def _unordered_readers(mask: _Mask, clocks: Clocks, number: int) -> int:
        """The bits of the cores whose reads in a mask are in no order to `number` now."""
        cores = torch.arange(len(mask.epochs))[mask.first : mask.first + _WORD]
        known = clocks.ordered(cores, mask.epochs[cores], torch.tensor(number))
        return sum(1 << core - mask.first for core in cores[~known].tolist())

    def _paint(self, read: Read) -> None:
        """Puts a read into the masks of its phase."""
        rows = read.footprint.rows
        for row in range(rows):
            own = read.footprint.row(row)
            numbers = read.numbers if rows == 1 else read.numbers[row : row + 1]
            words: dict[int, int] = {}
            for number in set(numbers.tolist()):
                word, bit = divmod(number, _WORD)
                words[word] = words.get(word, 0) | 1 << bit
            for word, bits in words.items():
                mask = self._mask(read.phase, word)
                own.put(mask.bits, own.take(mask.bits) | bits)

    def _mask(self, phase: int, word: int) -> _Mask:
        mask = self._masks.get((phase, word))
        if mask is None:
            bits = _zeros(self._codes.shape[0], np.int64)
            mask = _Mask(word * _WORD, bits, self._phases[phase])
            self._masks[phase, word] = mask
        return mask

    def _note_write(self, footprint: Footprint, actor: Actor, touch: Touch) -> None:
        self._written += zip(touch.low.tolist(), touch.high.tolist(), strict=True)
        numbers = actor.numbers if footprint.rows > 1 else actor.numbers[-1:]
        if int(numbers.max()) > _MOST_NARROW and self._codes.dtype is torch.uint8:
            self._codes = self._codes.to(torch.int32)
        footprint.put(self._codes, (numbers + _CORE).to(self._codes.dtype).view(-1, 1, 1))
        if actor.clocks.phase and self._epochs is None:
            self._epochs = _zeros(self._codes.shape[0], np.int64)
        if self._epochs is not None:
            footprint.put(self._epochs, actor.clocks.epochs()[numbers].view(-1, 1, 1))
        for mask in self._masks.values():
            footprint.put(mask.bits, torch.zeros((1, 1, 1), dtype=torch.int64))

    def _refuse_collisions(
        self, footprint: Footprint, actor: Actor, data: Tensor, current: Callable[[], Tensor]
    ) -> None:
        """Raises MachineError where another point of the same transfer left another value."""
        codes = footprint.take(self._codes)
        wrong = _differs(current(), data) & (codes >= _CORE).any(-1)
        if not bool(wrong.any()):
            return
        row, point = _first(wrong)
        at = 0 if footprint.rows == 1 else row
        last = int(codes[at, point].max()) - _CORE
        alone = last == int(actor.numbers[row])
        other = "another point of the same store" if alone else f"the same store on core {last}"
        raise MachineError(
            f"{place(footprint, actor, row, point)}, where {other} writes another value; points "
            "that coincide have no order, so their values must be equal"
        )


def _zeros(size: int, dtype: type[np.generic]) -> Tensor:
    """Zeros; pages of them that nobody touches take no memory."""
    return torch.from_numpy(np.zeros(size, dtype=dtype))


def _all_given(codes: Tensor) -> bool:
    """Whether all bytes were written before this kernel."""
    flat = codes.reshape(-1)
    if flat.dtype is torch.uint8 and flat.numel() % 8 == 0:
        return bool((flat.view(torch.int64) == _EIGHT_GIVEN).all())
    return bool((flat == _GIVEN).all())


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


def place(footprint: Footprint, actor: Actor, row: int, point: int) -> str:
    """Who accesses what at a point of an access, and its first byte."""
    at = min(row, footprint.rows - 1)
    return f"{actor.by(row)} {actor.where(row, point)}, byte {footprint.address(at, point)}"


def _race(footprint: Footprint, actor: Actor, row: int, point: int, what: str) -> NoReturn:
    raise MachineError(
        f"{place(footprint, actor, row, point)}, {what}; nothing orders the two: let the first "
        "core produce after its access and the other take delivery before its own, or use other "
        "memory or another kernel"
    )


def _differs(found: Tensor, data: Tensor) -> Tensor:
    """Whether elements differ in their bits."""
    bits = BITS[data.dtype.itemsize]
    return found.view(bits) != data.view(bits)
