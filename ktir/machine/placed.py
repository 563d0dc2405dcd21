"""Where the arrays of a launch lie in device memory.

Owns their places, which follow from their sizes alone, the memory that is filled with arrays, and
what comes back. What an array is, is in `arrays`, what a number is, in `scalar_arguments`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import BoundsError, InputError
from ktir.layout import STICK_BYTES, round_up
from ktir.machine import arrays
from ktir.machine.footprint import TileBytes
from ktir.machine.launch import Parameter
from ktir.machine.memory import DeviceMemory
from ktir.machine.patterns import Offsets
from ktir.machine.scalar_arguments import scalar

GUARD_BYTES = 4096
"""Bytes between arrays that belong to none, so that a step past an end does not land in a
neighbour."""

_SMALL_BYTES = 1 << 16
"""Device memory that is filled as a whole sooner than gap by gap."""

LENT_BYTES = 1 << 26
"""From how many bytes on an array is read where it is, unless a kernel writes to it."""

Name = str | int
"""What an array was given under: the key of an argument, or an address."""


class Placement:
    """The places of arrays, and the arguments as the kernel takes them.

    `given`: key and value of each argument, in order; `device`: arrays at constant addresses;
    `capacity`: bytes of device memory. `names` and `arguments` are those of arrays, in order, and
    one tensor [1] a parameter. Keeps no array. Raises InputError for what does not fit, BoundsError
    for an address that is not on a whole stick, if `tracked`.
    """

    def __init__(
        self,
        given: Sequence[tuple[str, Any]],
        parameters: Sequence[Parameter],
        device: Mapping[int, Any],
        capacity: int,
        tracked: bool,
    ) -> None:
        self.names: list[Name] = []
        self._bytes: list[tuple[int, int]] = []
        end = 0
        for address, array in device.items():
            start = self._at(address, array, capacity, tracked)
            end = max(end, start + arrays.byte_count(array))
        self.arguments: list[Tensor] = []
        for (key, value), parameter in zip(given, parameters, strict=True):
            if not arrays.is_array(value):
                self.arguments.append(scalar(value, parameter.type_text, parameter.promises, key))
                continue
            _check_pointer(value, parameter, key)
            start = round_up(end + GUARD_BYTES, STICK_BYTES)
            self._add(key, value, start)
            end = start + arrays.byte_count(value)
            self.arguments.append(torch.tensor([start // int(value.dtype.itemsize)]))
        self._size = end + GUARD_BYTES
        self._order = sorted(range(len(self.names)), key=lambda number: self._bytes[number][0])
        self._gaps = list(self._between())

    def _at(self, address: int, array: Any, capacity: int, tracked: bool) -> int:
        """Adds an array at a constant address; returns its first byte."""
        if not arrays.is_array(array):
            raise InputError(f"device[{address}] is no array")
        arrays.element_type(array)
        start = address * int(array.dtype.itemsize)
        stop = start + arrays.byte_count(array)
        self._add(address, array, start)
        if start < 0 or stop > capacity:
            raise InputError(
                f"device[{address}] at bytes {start} to {stop - 1} is outside device memory of "
                f"{capacity} bytes"
            )
        if tracked and start % STICK_BYTES:
            raise BoundsError(
                f"device[{address}] begins at byte {start}; arrays begin on whole sticks, "
                f"multiples of {STICK_BYTES} bytes"
            )
        return start

    def _add(self, name: Name, array: Any, start: int) -> None:
        self.names.append(name)
        self._bytes.append((start, arrays.byte_count(array)))

    def _between(self) -> Iterable[tuple[int, int]]:
        """Bytes that belong to no array: start and size."""
        filled = 0
        for number in self._order:
            start, size = self._bytes[number]
            if start > filled:
                yield filled, start - filled
            filled = max(filled, start + size)
        yield filled, round_up(self._size, STICK_BYTES) - filled

    def filled(self, given: Sequence[Any], tracked: bool) -> DeviceMemory:
        """Fresh memory with the arrays in it, one a name. Raises InputError if they overlap.

        Large arrays are lent to it, if it is not `tracked`.
        """
        memory = DeviceMemory(self._size, fresh=False, tracked=tracked)
        if memory.size <= _SMALL_BYTES:
            memory.refill(0, memory.size)
        else:
            for start, size in self._gaps:
                memory.refill(start, size)
        data = memory.typed(torch.uint8)
        for number in self._order:
            name, array, (start, size) = self.names[number], given[number], self._bytes[number]
            try:
                text = f"device[{name}]" if isinstance(name, int) else name
                region = memory.add_region(text, start, size)
            except BoundsError as error:
                raise InputError(str(error)) from error
            lent = arrays.bytes_of(array) if size >= LENT_BYTES and not tracked else None
            if lent is not None:
                memory.lend(region, lent)
                continue
            arrays.put_bytes(array, data, start)
            if memory.shadow is not None and not isinstance(array, arrays.Unwritten):
                memory.shadow.give(TileBytes.of(Offsets([start]), (size,), (1,), 1))
        return memory

    def results(self, memory: DeviceMemory, given: Sequence[Any]) -> dict[Name, Any]:
        """Every array as it is now, in memory that was filled with these. One that was lent, and
        not written, is the one that was given."""
        data = memory.typed(torch.uint8)
        places = zip(self.names, given, self._bytes, strict=True)
        return {
            name: array if memory.is_lent(start) else arrays.from_bytes(data, array, start)
            for name, array, (start, _) in places
        }


def _check_pointer(array: Any, parameter: Parameter, key: str) -> None:
    if parameter.type_text != "index":
        raise InputError(
            f"argument '{key}' is a scalar of type {parameter.type_text}, not an array"
        )
    found, wanted = arrays.element_type(array), parameter.element
    if wanted is not None and not arrays.fits(array, wanted):
        raise InputError(
            f"argument '{key}': the kernel views it as {wanted}, the array given holds {found}"
        )
