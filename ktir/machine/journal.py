"""What memories held before a launch, for a launch that has to begin again.

Owns `Journal`: copies of the arrays of device memory that a kernel writes to, made at its first
write, and of the histories of memories.
"""

from __future__ import annotations

from torch import Tensor

from ktir.machine.memory import Allocation, DeviceMemory


class Journal:
    """What one launch has changed in device memory so far."""

    def __init__(self, device: DeviceMemory) -> None:
        self._device = device
        self._copies: dict[int, tuple[Allocation, Tensor]] = {}
        self._codes = None if device.shadow is None else device.shadow.save()

    def before_write(self, array: Allocation) -> None:
        """Keeps what an array holds, if that was not done yet."""
        if array.start not in self._copies:
            self._copies[array.start] = (array, self._device.bytes(array).clone())

    def restore(self) -> None:
        """Undoes all writes."""
        for array, copy in self._copies.values():
            self._device.bytes(array).copy_(copy)
        if self._device.shadow is not None and self._codes is not None:
            self._device.shadow.restore(self._codes)
