"""Device memory, its regions, and scratchpads."""

from __future__ import annotations

import pytest
import torch

from ktir.errors import BoundsError, MachineError
from ktir.machine.memory import DeviceMemory, Scratchpad, buffer_bytes


def test_fresh_memory_is_poison() -> None:
    memory = DeviceMemory(256)
    assert memory.typed(torch.float16).isnan().all()
    assert (memory.typed(torch.int32) == -1).all()
    assert Scratchpad(2, 128).view(0, (4,), torch.float32).isnan().all()


def test_typed_views_share_bytes() -> None:
    memory = DeviceMemory(128)
    memory.typed(torch.int32)[1] = 7
    assert memory.typed(torch.int16)[2:4].tolist() == [7, 0]
    assert memory.view(4, (2,), (1,), torch.int16).tolist() == [7, 0]
    memory.refill(0, 128)
    assert (memory.typed(torch.int32) == -1).all()


def test_regions_may_not_overlap_or_leave_memory() -> None:
    memory = DeviceMemory(1024)
    memory.add_region("a", 128, 256)
    memory.add_region("b", 384, 128)
    with pytest.raises(
        BoundsError, match=r"'c' at bytes 300 to 399 overlaps 'a' at bytes 128 to 383"
    ):
        memory.add_region("c", 300, 100)
    with pytest.raises(BoundsError, match="overlaps 'a'"):
        memory.add_region("c", 0, 129)
    with pytest.raises(BoundsError, match="outside device memory of 1024 bytes"):
        memory.add_region("c", 1000, 100)
    memory.remove_region("a")
    memory.add_region("c", 0, 384)


def test_region_of_needs_all_bytes_in_one() -> None:
    memory = DeviceMemory(1024)
    memory.add_region("a", 128, 256)
    memory.add_region("b", 384, 128)
    inside = memory.region_of(200, 384)
    assert inside is not None
    assert inside.name == "a"
    assert memory.region_of(200, 385) is None
    assert memory.region_of(0, 4) is None
    assert memory.region_of(512, 516) is None
    assert "'a' holds bytes 128 to 383" in memory.describe(200)


def test_scratchpad_rows_lie_on_whole_sticks() -> None:
    pad = Scratchpad(3, 1024)
    view = pad.view(128, (2, 10), torch.float16)
    assert view.shape == (3, 2, 10)
    assert view.stride() == (512, 64, 1)
    view[1, 1, 9] = 5.0
    assert pad.typed(torch.float16)[1, 64 + 64 + 9] == 5.0
    assert buffer_bytes((2, 10), torch.float16) == 256
    assert buffer_bytes((2, 3, 65), torch.float16) == 2 * 3 * 256
    assert buffer_bytes((), torch.float32) == 128
    pad.refill()
    assert view.isnan().all()


def test_without_values_there_are_no_bytes() -> None:
    with pytest.raises(MachineError, match="without values"):
        DeviceMemory(1 << 40, values=False).typed(torch.float16)
    with pytest.raises(MachineError, match="without values"):
        Scratchpad(32, 1 << 21, values=False).typed(torch.float16)
