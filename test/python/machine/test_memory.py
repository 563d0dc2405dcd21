"""Device memory, its regions, and scratchpads."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ktir.errors import BoundsError, MachineError
from ktir.machine.memory import DeviceMemory, Scratchpad, buffer_bytes


def test_fresh_memory_is_poison() -> None:
    memory = DeviceMemory(256)
    assert memory.typed(torch.float16).isnan().all()
    assert (memory.typed(torch.int32) == -1).all()
    assert Scratchpad(2, 128).typed(torch.float32).isnan().all()


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


def test_memory_that_this_computer_does_not_have() -> None:
    with pytest.raises(MachineError, match=rf"no room for device memory up to byte {2**60 - 1};"):
        DeviceMemory(2**60)
    assert DeviceMemory(2**60, values=False).size == 2**60


def test_lent_bytes_are_read_where_they_are_and_never_written() -> None:
    memory = DeviceMemory(1024)
    memory.lend(
        memory.add_region("a", 128, 256), torch.arange(64, dtype=torch.int32).view(torch.uint8)
    )
    memory.add_region("b", 384, 128)
    flat, start = memory.window(torch.int32, lambda: (40, 50), writes=False)
    assert (start, flat[40 - start].item(), flat.numel()) == (32, 8, 64)
    # Bytes of several arrays, or of none, are those of the memory.
    flat, start = memory.window(torch.int32, lambda: (96, 99), writes=False)
    assert (start, flat.numel(), memory.is_lent(128)) == (0, 256, True)
    flat, start = memory.window(torch.int32, lambda: (95, 96), writes=False)
    assert (start, flat[32:96].tolist(), memory.is_whole) == (0, list(range(64)), True)


def test_a_write_takes_lent_bytes_over() -> None:
    memory, given = DeviceMemory(512), torch.arange(32, dtype=torch.int32)
    memory.lend(memory.add_region("a", 0, 128), given.view(torch.uint8))
    flat, start = memory.window(torch.int32, lambda: (3, 3), writes=True)
    flat[3] = -7
    assert (start, memory.is_lent(0), given[3].item()) == (0, False, 3)
    assert flat[:5].tolist() == [0, 1, 2, -7, 4]
    memory = DeviceMemory(512)
    region = memory.add_region("a", 0, 128)
    memory.lend(region, given.view(torch.uint8))
    assert memory.bytes(region).view(torch.int32).tolist() == given.tolist()
    assert memory.is_whole


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
    memory.add_region("empty", 640, 0)
    assert memory.describe(700).endswith("'empty' holds no bytes")


def test_scratchpad_rows_lie_on_whole_sticks() -> None:
    pad = Scratchpad(3, 1024)
    view = pad.put(128, (2, 10), torch.float16, alike=False)
    assert view.shape == (3, 2, 10)
    assert view.stride() == (512, 64, 1)
    view.zero_()
    view[1, 1, 9] = 5.0
    assert pad.typed(torch.float16)[1, 64 + 64 + 9] == 5.0
    assert pad.typed(torch.float16)[:, 64 + 64 + 10 :].isnan().all()
    assert buffer_bytes((2, 10), torch.float16) == 256
    assert buffer_bytes((2, 3, 65), torch.float16) == 2 * 3 * 256
    assert buffer_bytes((), torch.float32) == 128
    pad.put(512, (64,), torch.float16, alike=True).zero_()
    pad.refill(128, 384)
    assert pad.get(128, (2, 10), torch.float16).isnan().all()
    assert not pad.get(512, (64,), torch.float16).any()


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["put", "change"]), st.integers(0, 3), st.integers(1, 4), st.booleans()
        ),
        max_size=8,
    )
)
def test_bytes_that_are_alike_are_kept_once(ops: list[tuple[str, int, int, bool]]) -> None:
    """Whatever is written to some or all cores, reads see what plain memory would hold."""
    pad, plain = Scratchpad(3, 512), torch.full((3, 512), 255, dtype=torch.uint8)
    for value, (kind, stick, sticks, alike) in enumerate(ops):
        start, size = stick * 128, min(sticks, 4 - stick) * 128
        data = torch.full((1 if alike else 3, size), value, dtype=torch.uint8)
        if not alike:
            data += torch.arange(3, dtype=torch.uint8)[:, None] * 50
        if kind == "put":
            pad.put(start, (size,), torch.uint8, alike).copy_(data)
            plain[:, start : start + size] = data
        else:
            view = pad.spread(start, (size,), torch.uint8)
            view[1:] = data[-1]
            plain[1:, start : start + size] = data[-1]
        for low in range(0, 512, 128):
            for end in range(low + 128, 513, 128):
                seen = pad.get(low, (end - low,), torch.uint8)
                if seen.shape[0] == 1:
                    seen = seen.expand(3, -1)
                # Looking must not change what is kept.
                assert torch.equal(seen, plain[:, low:end])


def test_without_values_there_are_no_bytes() -> None:
    with pytest.raises(MachineError, match="without values"):
        DeviceMemory(1 << 40, values=False).typed(torch.float16)
    with pytest.raises(MachineError, match="without values"):
        Scratchpad(32, 1 << 21, values=False).typed(torch.float16)
