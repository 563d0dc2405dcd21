"""What memories held before a launch, for a launch that has to begin again.

Owns `Journal`: copies of the arrays of device memory that a kernel writes to, made at its first
write, and of the histories of memories.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
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

    def restore(self, contents: Mapping[int, Tensor] | None = None, history: bool = False) -> None:
        """Undoes all writes, or puts back the `contents` that `present` gave; and the history of
        bytes, if asked for."""
        for start, (array, copy) in self._copies.items():
            before = copy if contents is None else contents.get(start, copy)
            self._device.bytes(array).copy_(before)
        if history and self._device.shadow is not None and self._codes is not None:
            self._device.shadow.restore(self._codes)

    def present(self) -> dict[int, Tensor]:
        """What the arrays written so far hold now, by their first byte."""
        found = self._copies.items()
        return {start: self._device.bytes(array).clone() for start, (array, _) in found}

    def holds(self, contents: Mapping[int, Tensor]) -> bool:
        """Whether all arrays hold the `contents` that `present` gave; what they held before, if it
        does not tell of them."""
        return all(
            torch.equal(self._device.bytes(array), contents.get(start, copy))
            for start, (array, copy) in self._copies.items()
        )
