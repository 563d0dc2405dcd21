"""Device memory as the caller's arrays, and one scratchpad a core; one element at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .errors import Fault, OracleLimit
from .formats import byte_size, is_float, poison, width

SCRATCHPAD_BYTES = 2 << 20
"""Bytes of a core's scratchpad, as the public documents of the device say."""

GAP = 1 << 16
"""Bytes between arrays of the caller, which nobody may touch."""


@dataclass
class Array:
    """An array of the caller: its element type, and its elements in row-major order."""

    element: str
    data: list[Any]
    start: int = field(default=0)
    """The byte at which it lies in device memory."""

    @property
    def end(self) -> int:
        """The byte behind it."""
        return self.start + len(self.data) * byte_size(self.element)


@dataclass
class Report:
    """What is suspicious about a run, though its values are as the ops say.

    `contested`: writes to elements of device memory in which another core had put another value;
    `unwritten`: reads of elements
    of a scratchpad that nobody had written. `core` is the one that runs now.
    """

    contested: int = 0
    unwritten: int = 0
    core: int = 0


class Device:
    """Device memory: nothing but the arrays."""

    def __init__(self, report: Report) -> None:
        self._arrays: list[Array] = []
        self._end = GAP
        self._report = report
        self._writers: dict[tuple[int, int], int] = {}

    def place(self, array: Array) -> int:
        """Puts an array somewhere; returns its address in elements."""
        array.start, size = self._end, byte_size(array.element)
        self._end = (array.end + GAP + 127) // 128 * 128
        self._arrays.append(array)
        return array.start // size

    def fix(self, array: Array, address: int) -> None:
        """Puts an array at an address, in elements."""
        array.start = address * byte_size(array.element)
        self._end = max(self._end, (array.end + GAP + 127) // 128 * 128)
        self._arrays.append(array)

    def read(self, address: int, element: str) -> Any:
        """The element at an address, counted in elements of its type."""
        array, position = self._find(address, element)
        return array.data[position]

    def write(self, address: int, element: str, value: Any) -> None:
        """Replaces the element at an address."""
        array, position = self._find(address, element)
        place, core = (array.start, position), self._report.core
        if self._writers.get(place, core) != core:
            self._report.contested += _differ(array.data[position], value)
        array.data[position] = value
        self._writers[place] = core

    def _find(self, address: int, element: str) -> tuple[Array, int]:
        size = byte_size(element)
        byte = address * size
        for array in self._arrays:
            if array.start <= byte and byte + size <= array.end:
                if not _alike(array.element, element):
                    raise OracleLimit(f"an array of {array.element} seen as {element}")
                return array, (byte - array.start) // size
        raise Fault(f"element {address} of type {element} is in no array")


def _alike(a: str, b: str) -> bool:
    if is_float(a) or is_float(b):
        return a == b
    return width(a) == width(b)


def _differ(a: Any, b: Any) -> bool:
    """Whether two values are different; NaN is NaN."""
    return bool(a != b and not (a != a and b != b))


class Scratchpad:
    """The scratchpad of one core; fresh bytes are 0xFF."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._elements: dict[int, tuple[str, Any]] = {}

    def read(self, address: int, element: str) -> Any:
        """The element at an address, counted in elements of its type."""
        found = self._elements.get(self._byte(address, element))
        if found is None:
            self._report.unwritten += 1
            return poison(element)
        if not _alike(found[0], element):
            raise OracleLimit(f"{found[0]} in a scratchpad seen as {element}")
        return found[1]

    def write(self, address: int, element: str, value: Any) -> None:
        """Replaces the element at an address."""
        self._elements[self._byte(address, element)] = (element, value)

    def _byte(self, address: int, element: str) -> int:
        byte = address * byte_size(element)
        if not 0 <= byte <= SCRATCHPAD_BYTES - byte_size(element):
            raise Fault(f"element {address} of type {element} is outside the scratchpad")
        return byte
