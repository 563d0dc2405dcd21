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


class Device:
    """Device memory: nothing but the arrays."""

    def __init__(self) -> None:
        self._arrays: list[Array] = []
        self._end = GAP

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
        array.data[position] = value

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


class Scratchpad:
    """The scratchpad of one core; fresh bytes are 0xFF."""

    def __init__(self) -> None:
        self._elements: dict[int, tuple[str, Any]] = {}

    def read(self, address: int, element: str) -> Any:
        """The element at an address, counted in elements of its type."""
        found = self._elements.get(self._byte(address, element))
        if found is None:
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
