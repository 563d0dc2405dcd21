"""What stands where a program defines no value: tiles of `tensor.empty`, results of deliveries on
cores that receive none, bytes of a scratchpad that nobody has written.

Owns `Garbage`, the contents that check "full" gives to all of them in one run. Whether a kernel
depends on them is found out by another run with other contents, see `definedness`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from ktir.machine.location import Place

FRESH = 0xFF
"""The value of every byte that nothing was written to: NaN, -1."""


@dataclasses.dataclass(frozen=True)
class Origin:
    """Where undefined contents come from: an op, or bytes of scratchpads; and in words."""

    where: Place | tuple[int, int]
    text: str


class Garbage:
    """Undefined contents of one run: fresh bytes, or any bytes at all for the origins `changed`.

    `used` are the origins that were asked for, in order.
    """

    def __init__(self, changed: Collection[Origin] = ()) -> None:
        self.used: dict[Origin, None] = {}
        self._changed = changed
        self._random = torch.Generator().manual_seed(0)

    def bytes(self, origin: Origin, count: int) -> Tensor:
        """Contents as bytes, uint8 [count]."""
        self.used[origin] = None
        if origin in self._changed:
            return torch.randint(256, (count,), dtype=torch.uint8, generator=self._random)
        return torch.full((count,), FRESH, dtype=torch.uint8)

    def tensor(self, origin: Origin, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
        """Contents as a tensor of this shape."""
        return as_tensor(
            self.bytes(origin, torch.Size(shape).numel() * dtype.itemsize), shape, dtype
        )


def as_tensor(contents: Tensor, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Bytes, uint8 [n], as elements; of a bool, the last bit counts."""
    if dtype is torch.bool:
        return contents.bitwise_and(1).ne(0).view(*shape)
    return contents.view(dtype).view(*shape)
