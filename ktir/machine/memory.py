"""The memories of the machine: bytes, typed views of them, and the regions that addresses may
touch.

Owns device memory with its named regions, and the scratchpads of a kernel's cores. Fresh bytes are
0xFF (NaN, -1), so that what nobody wrote shows. How tiles of many cores move in and out is in
`transfer`.
"""

from __future__ import annotations

import bisect
import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ktir.errors import BoundsError, MachineError
from ktir.layout import STICK_BYTES, round_up
from ktir.machine.coverage import Interval
from ktir.machine.footprint import TileBytes
from ktir.machine.garbage import FRESH
from ktir.machine.patterns import Offsets
from ktir.machine.shadow import Shadow


def item_bytes(dtype: torch.dtype) -> int:
    """Bytes of one element in memory."""
    return dtype.itemsize


@dataclasses.dataclass
class Allocation:
    """Bytes [start, end) of device memory that belong to one array.

    `written`: by a core; `read`: by anyone; `is_late`: something was written after a read.
    """

    start: int
    end: int
    name: str
    written: bool = False
    read: bool = False
    is_late: bool = False

    def touch(self, writes: bool) -> None:
        """Notes that someone reads or writes."""
        if writes:
            self.is_late |= self.read
        else:
            self.read = True

    def forget(self) -> None:
        """Starts anew, as for a new run."""
        self.written = self.read = self.is_late = False


def _allocated(size: int) -> Tensor:
    """Bytes of device memory. Raises MachineError if this computer does not have them."""
    try:
        return torch.empty(size, dtype=torch.uint8)
    except RuntimeError as error:
        raise MachineError(
            f"this computer has no room for device memory up to byte {size - 1}; use lower "
            "addresses, or estimate without values"
        ) from error


class DeviceMemory:
    """Device memory: `size` bytes, or none at all where only sizes and times are wanted
    (`values=False`).

    Only addresses inside a region may be touched; a transfer stays inside one. Without `fresh`, the
    bytes are whatever they are until someone writes or refills them. `shadow` is the history of the
    bytes if the memory is `tracked`. Raises MachineError for more bytes than this computer has.

    A region may be `lend` the bytes of an array of the caller: they are read where they are, and
    copied when the first write comes.
    """

    def __init__(
        self, size: int, values: bool = True, fresh: bool = True, tracked: bool = False
    ) -> None:
        self.size = round_up(max(size, 1), STICK_BYTES)
        self._bytes: Tensor | None = None
        if values:
            self._bytes = _allocated(self.size)
        self.shadow = Shadow(self.size) if tracked and values else None
        if fresh:
            self.refill(0, self.size)
        self._typed: dict[torch.dtype, Tensor] = {}
        self._lent: dict[int, Tensor] = {}
        self._starts: list[int] = []
        self.regions: list[Allocation] = []

    def typed(self, dtype: torch.dtype) -> Tensor:
        """The whole memory as one flat tensor of `dtype`, sharing its bytes."""
        flat = self._typed.get(dtype)
        if flat is None:
            if self._bytes is None:
                raise MachineError(
                    "the values of device memory were asked for in a run without values"
                )
            flat = self._typed[dtype] = self._bytes.view(dtype)
        return flat

    def bytes(self, array: Allocation) -> Tensor:
        """The bytes of an array in place, uint8 [n]."""
        self._take_over(array.start, array.end)
        return self.typed(torch.uint8)[array.start : array.end]

    def lend(self, region: Allocation, data: Tensor) -> None:
        """Has a region hold these bytes, uint8 [n] from the start of their storage, which stay
        where they are and are never written."""
        self._lent[region.start] = data

    def is_lent(self, start: int) -> bool:
        """Whether the region from byte `start` on still holds bytes of someone else."""
        return start in self._lent

    @property
    def is_whole(self) -> bool:
        """Whether all bytes are its own."""
        return not self._lent

    def window(
        self, dtype: torch.dtype, ends: Callable[[], tuple[int, int]], writes: bool
    ) -> tuple[Tensor, int]:
        """A flat tensor that has all elements between `ends`, to be read or written, and the
        element of the memory that it begins with."""
        if not self._lent:
            return self.typed(dtype), 0
        first, last = ends()
        low, high = first * item_bytes(dtype), (last + 1) * item_bytes(dtype)
        region = None if writes else self.region_of(low, high)
        lent = None if region is None else self._lent.get(region.start)
        if region is None or lent is None:
            self._take_over(low, high)
            return self.typed(dtype), 0
        return lent.view(dtype), region.start // item_bytes(dtype)

    def _take_over(self, low: int, high: int) -> None:
        """Copies what is lent to regions with bytes in [low, high)."""
        for start, data in list(self._lent.items()):
            end = start + data.numel()
            if start < high and low < end:
                self.typed(torch.uint8)[start:end] = data
                del self._lent[start]

    def add_region(self, name: str, start: int, size: int) -> Allocation:
        """Lets transfers touch `size` bytes from `start`. Raises BoundsError on overlap or past the
        end of memory."""
        region = Allocation(start, start + size, name)
        if start < 0 or region.end > self.size:
            raise BoundsError(
                f"'{name}' at bytes {start} to {region.end - 1} is outside device memory of "
                f"{self.size} bytes"
            )
        at = bisect.bisect_right(self._starts, start)
        for other in self.regions[max(at - 1, 0) : at + 1]:
            if start < other.end and other.start < region.end:
                raise BoundsError(
                    f"'{name}' at bytes {start} to {region.end - 1} overlaps '{other.name}' at "
                    f"bytes {other.start} to {other.end - 1}"
                )
        self._starts.insert(at, start)
        self.regions.insert(at, region)
        return region

    def region_of(self, low: int, high: int) -> Allocation | None:
        """The region that holds all bytes [low, high)."""
        at = bisect.bisect_right(self._starts, low) - 1
        if at < 0 or high > self.regions[at].end:
            return None
        return self.regions[at]

    def describe(self, low: int) -> str:
        """What lies at or next to byte `low`, for messages."""
        at = bisect.bisect_right(self._starts, low) - 1
        near = self.regions[max(at, 0) : max(at, 0) + 2]
        if not near:
            return "device memory has no arrays"
        return " and ".join(
            f"'{r.name}' holds bytes {r.start} to {r.end - 1}"
            if r.end > r.start
            else f"'{r.name}' holds no bytes"
            for r in near
        )

    def view(
        self, start: int, shape: Sequence[int], strides: Sequence[int], dtype: torch.dtype
    ) -> Tensor:
        """A strided view of the bytes from `start`; strides in elements."""
        return self.typed(dtype).as_strided(
            tuple(shape), tuple(strides), start // item_bytes(dtype)
        )

    def refill(self, start: int, size: int) -> None:
        """Makes bytes fresh again."""
        if self._bytes is not None:
            self._bytes[start : start + size] = FRESH
        if self.shadow is not None:
            self.shadow.forget(start, start + size)


class _Place(NamedTuple):
    """A buffer in place, [cores, *shape], and the first byte after it."""

    rows: Tensor
    end: int


class Scratchpad:
    """The scratchpads of `cores` cores: [cores, size] bytes, none at all with `values=False`.
    `fresh`: the bytes that are fresh, if not all of them need be. `shadow` is the history of the
    bytes, one core after the other, if those of the intervals `tracked` of each core have one.

    Bytes that are equal on all cores (what all of them read from one place, and what follows from
    it) are kept in the first row only; `_alike` lists such intervals. `touched` is where transfers
    went, which get memory from `typed`.
    """

    def __init__(
        self,
        cores: int,
        size: int,
        values: bool = True,
        tracked: Sequence[Interval] = (),
        fresh: Sequence[Interval] | None = None,
    ) -> None:
        self.cores = cores
        self.size = round_up(max(size, STICK_BYTES), STICK_BYTES)
        self._bytes: Tensor | None = None
        if values:
            self._bytes = torch.empty((cores, self.size), dtype=torch.uint8)
        self._places: dict[tuple[int, tuple[int, ...], torch.dtype], _Place] = {}
        self._alike: list[tuple[int, int]] = [] if cores == 1 else [(0, self.size)]
        self._tracked = tuple(tracked)
        self.shadow: Shadow | None = None
        self.touched: tuple[int, int] | None = None
        for start, end in [(0, self.size)] if fresh is None else fresh:
            self.refill(start, end)
        if tracked and values:
            self.shadow = Shadow(cores * self.size)

    def history(self, start: int, end: int) -> Shadow | None:
        """The history of the bytes, if any of [start, end) of a core has one."""
        if any(low < end and start < high for low, high in self._tracked):
            return self.shadow
        return None

    def typed(self, dtype: torch.dtype, start: int = 0, end: int | None = None) -> Tensor:
        """All scratchpads as [cores, elements] of `dtype`, sharing their bytes, of which those at
        [start, end) of each core may be touched; all if not given."""
        if self._bytes is None:
            raise MachineError("the values of a scratchpad were asked for in a run without values")
        start, end = max(start, 0), self.size if end is None else min(end, self.size)
        low, high = self.touched or (start, end)
        self.touched = (min(low, start), max(high, end))
        self._spread(start, end)
        return self._bytes.view(dtype)

    def get(self, address: int, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        """The buffer at byte `address`, in place: [cores, *shape], or [1, *shape] if all are alike.

        Rows lie on whole sticks, see `buffer_strides`.
        """
        place = self._place(address, shape, dtype)
        if not self._alike:
            return place.rows
        end = place.end
        if any(low <= address and end <= high for low, high in self._alike):
            return place.rows[:1]
        self._spread(address, end)
        return place.rows

    def put(self, address: int, shape: tuple[int, ...], dtype: torch.dtype, alike: bool) -> Tensor:
        """The buffer to overwrite as a whole, in place: [1, *shape] if all cores will be alike."""
        place = self._place(address, shape, dtype)
        if self.cores == 1:
            return place.rows
        end = place.end
        if not alike and shape and shape[-1] * item_bytes(dtype) % STICK_BYTES:
            # The padding of rows is not written and keeps its bytes.
            self._spread(address, end)
        self._alike = [part for old in self._alike for part in _without(old, address, end)]
        if not alike:
            return place.rows
        self._alike.append((address, end))
        return place.rows[:1]

    def shaped(self, address: int, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        """A buffer whose elements do not matter, [cores, *shape]."""
        return self._place(address, shape, dtype).rows

    def spread(
        self,
        address: int,
        shape: tuple[int, ...],
        dtype: torch.dtype,
        rows: Tensor | None = None,
    ) -> Tensor:
        """The buffer of every core to change in part, in place: [cores, *shape]. `rows`: those
        that will change, None for all."""
        place = self._place(address, shape, dtype)
        self._spread(address, place.end)
        return place.rows

    def _place(self, address: int, shape: tuple[int, ...], dtype: torch.dtype) -> _Place:
        key = (address, shape, dtype)
        found = self._places.get(key)
        if found is None:
            if self._bytes is None:
                raise MachineError("a scratchpad's values were asked for in a run without values")
            flat = self._bytes.view(dtype)
            strides = (flat.stride(0), *buffer_strides(shape, dtype))
            rows = flat.as_strided((self.cores, *shape), strides, address // item_bytes(dtype))
            found = self._places[key] = _Place(rows, address + buffer_bytes(shape, dtype))
        return found

    def _spread(self, start: int, end: int) -> None:
        """Copies what is alike in [start, end) to all cores."""
        if not any(low < end and start < high for low, high in self._alike):
            return
        assert self._bytes is not None
        for low, high in self._alike:
            low, high = max(low, start), min(high, end)
            if low < high:
                self._bytes[1:, low:high] = self._bytes[:1, low:high]
        self._alike = [part for old in self._alike for part in _without(old, start, end)]

    def give(self, core: int, start: int, data: Tensor) -> None:
        """Puts bytes, uint8 [n], into the scratchpad of a core before it begins."""
        end = start + data.numel()
        self._spread(start, end)
        if self._bytes is None:
            raise MachineError("a scratchpad's values were given to a run without values")
        self._bytes[core, start:end] = data
        if self.shadow is not None:
            at = core * self.size + start
            self.shadow.give(TileBytes.of(Offsets([at]), (data.numel(),), (1,), 1))

    def refill(self, start: int, end: int, contents: Tensor | None = None) -> None:
        """Makes the bytes [start, end) fresh again; they hold `contents`, uint8 [n], if given."""
        if self.cores > 1:
            self._alike = [part for old in self._alike for part in _without(old, start, end)]
            self._alike.append((start, end))
        if self._bytes is not None:
            self._bytes[0, start:end] = FRESH if contents is None else contents
        if self.shadow is not None:
            for core in range(self.cores):
                self.shadow.forget(core * self.size + start, core * self.size + end)


def _without(interval: tuple[int, int], start: int, end: int) -> list[tuple[int, int]]:
    """What of an interval lies outside [start, end)."""
    low, high = interval
    return [(a, b) for a, b in ((low, min(high, start)), (max(low, end), high)) if a < b]


def buffer_strides(shape: Sequence[int], dtype: torch.dtype) -> tuple[int, ...]:
    """Strides, in elements, of a scratchpad buffer: row-major, every row padded to whole sticks."""
    strides = [1] * len(shape)
    row = round_up(max(shape[-1], 1), STICK_BYTES // item_bytes(dtype)) if shape else 1
    for dim in range(len(shape) - 2, -1, -1):
        strides[dim] = row
        row *= max(shape[dim], 1)
    return tuple(strides)


def buffer_bytes(shape: Sequence[int], dtype: torch.dtype) -> int:
    """Bytes of a scratchpad buffer with its padding; at least one stick."""
    row = round_up(max(shape[-1], 1) * item_bytes(dtype), STICK_BYTES) if shape else STICK_BYTES
    return max(row * math.prod(shape[:-1]), STICK_BYTES)
