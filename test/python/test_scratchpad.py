"""The allocator of scratchpad addresses: its promises on random buffers, and patterns that defeat
simple allocators (torch-spyre's scratchpad test patterns, in own words)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ktir.errors import PlanError
from ktir.scratchpad import Buffer, allocate, peak_live

LIMIT = 1 << 40


@st.composite
def buffer_lists(draw: st.DrawFn) -> list[Buffer]:
    rows = draw(
        st.lists(
            st.tuples(st.integers(1, 3000), st.integers(0, 20), st.integers(0, 8)), max_size=24
        )
    )
    return [
        Buffer(f"b{i}", size, start, start + length) for i, (size, start, length) in enumerate(rows)
    ]


@given(buffer_lists(), st.sampled_from([1, 64, 128]))
@settings(max_examples=300, deadline=None)
def test_buffers_alive_together_lie_apart(buffers: list[Buffer], alignment: int) -> None:
    allocation = allocate(buffers, LIMIT, alignment)
    for i, a in enumerate(buffers):
        assert allocation.addresses[a.name] % alignment == 0
        for b in buffers[:i]:
            together = a.start <= b.end and b.start <= a.end
            at, bt = allocation.addresses[a.name], allocation.addresses[b.name]
            assert not together or at + a.size <= bt or bt + b.size <= at


@given(buffer_lists())
@settings(max_examples=200, deadline=None)
def test_peak_is_the_highest_end_and_not_below_the_live_bytes(buffers: list[Buffer]) -> None:
    allocation = allocate(buffers, LIMIT, 1)
    ends = [allocation.addresses[b.name] + b.size for b in buffers]
    assert allocation.peak == max(ends, default=0)
    assert allocation.peak >= peak_live(buffers, 1)


@given(buffer_lists(), st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 900)), max_size=4))
@settings(max_examples=200, deadline=None)
def test_reserved_ranges_stay_free(buffers: list[Buffer], rows: list[tuple[int, int]]) -> None:
    reserved = [(begin, begin + length) for begin, length in rows]
    allocation = allocate(buffers, LIMIT, reserved=reserved)
    for buffer in buffers:
        begin = allocation.addresses[buffer.name]
        assert all(begin + buffer.size <= low or high <= begin for low, high in reserved)


def test_an_overflow_names_what_is_reserved() -> None:
    allocate([Buffer("x", 256, 0, 0)], 512, reserved=[(256, 512)])
    with pytest.raises(PlanError, match="bytes 128 to 383 are reserved; they would fit"):
        allocate([Buffer("x", 256, 0, 0)], 512, reserved=[(200, 300)])


@given(buffer_lists())
@settings(max_examples=100, deadline=None)
def test_equal_questions_get_equal_answers(buffers: list[Buffer]) -> None:
    assert allocate(buffers, LIMIT) == allocate(list(buffers), LIMIT)


@given(buffer_lists())
@settings(max_examples=100, deadline=None)
def test_capacity_of_the_peak_is_enough_and_one_byte_less_is_not(buffers: list[Buffer]) -> None:
    peak = allocate(buffers, LIMIT).peak
    assert allocate(buffers, peak).peak == peak
    if buffers:
        with pytest.raises(PlanError):
            allocate(buffers, peak - 1)


def simple_fragmentation() -> list[Buffer]:
    """Sizes in thirds of the memory; a value is free to be reused by what its last reader makes."""
    third = 128
    return [
        Buffer("a", third, 0, 2),
        Buffer("b", third, 1, 4),
        Buffer("d", 2 * third, 3, 3),
        Buffer("c", 2 * third, 4, 5),
        Buffer("e", third, 5, 5),
    ]


def staircase(steps: int = 7) -> list[Buffer]:
    """Step i makes two buffers of size i; one of them survives to the end."""
    buffers = []
    for i in range(1, steps + 1):
        buffers.append(Buffer(f"temporary{i}", 128 * i, 2 * i, 2 * i + 1))
        buffers.append(Buffer(f"survivor{i}", 128 * i, 2 * i + 1, 2 * steps + 2))
    return buffers


def downward_staircase(steps: int = 5) -> list[Buffer]:
    """The mirror image: sizes fall, and a small buffer lives all the time."""
    buffers = [Buffer("blocker", 128, 0, 2 * steps + 2)]
    for i in range(steps, 0, -1):
        at = 2 * (steps - i) + 1
        buffers.append(Buffer(f"temporary{i}", 128 * i, at, at + 1))
        buffers.append(Buffer(f"survivor{i}", 128 * i, at + 1, 2 * steps + 2))
    return buffers


def simple_eviction() -> list[Buffer]:
    """Two tensors that fill the memory alternate; each return is a buffer of its own."""
    return [Buffer("a", 384, 0, 1), Buffer("b", 384, 2, 3), Buffer("a again", 384, 4, 5)]


def eviction_reallocation() -> list[Buffer]:
    """Three thirds together, then each of them beside two thirds."""
    buffers = [Buffer(name, 128, 0, 0) for name in ("a", "b", "c")]
    for i, name in enumerate(("a", "b", "c")):
        buffers.append(Buffer(f"{name} again", 128, i + 1, i + 1))
        buffers.append(Buffer(f"beside {name}", 256, i + 1, i + 1))
    return buffers


@pytest.mark.parametrize(
    ("pattern", "optimum"),
    [
        (simple_fragmentation(), 384),
        (staircase(), 128 * 7 * 10 // 2),
        (downward_staircase(), peak_live(downward_staircase())),
        (simple_eviction(), 384),
        (eviction_reallocation(), 384),
    ],
    ids=[
        "simple_fragmentation",
        "staircase",
        "downward_staircase",
        "simple_eviction",
        "eviction_reallocation",
    ],
)
def test_patterns_are_placed_optimally(pattern: list[Buffer], optimum: int) -> None:
    assert allocate(pattern, optimum).peak == optimum


def test_many_random_problems_stay_close_to_the_lower_bound() -> None:
    """Quality: 60 problems of 60 buffers need at most 3 % more than the bytes alive on average."""
    generator = random.Random(7)
    excess = []
    for _ in range(60):
        buffers = []
        for i in range(60):
            start = generator.randrange(100)
            size = 128 * generator.randrange(1, 40)
            buffers.append(Buffer(f"b{i}", size, start, start + generator.randrange(1, 25)))
        excess.append(allocate(buffers, LIMIT).peak / peak_live(buffers))
    assert sum(excess) / len(excess) < 1.03


def test_an_overflow_names_what_is_alive_and_how_much() -> None:
    buffers = [Buffer("gone", 128, 0, 1), Buffer("x", 300, 0, 4), Buffer("y", 130, 2, 3)]
    with pytest.raises(PlanError) as raised:
        allocate(buffers, 512)
    text = str(raised.value)
    assert "640 bytes live, 512 bytes there" in text
    assert "alive at the fullest point are x (384 bytes), y (256 bytes)" in text
    assert "gone" not in text


def test_an_overflow_by_fragmentation_says_so() -> None:
    """Seven buffers whose best placement (over all orders) is one stick above the bytes alive."""
    rows = [(1, 2, 4), (3, 4, 6), (1, 3, 3), (3, 3, 3), (2, 1, 2), (2, 1, 3), (2, 0, 2)]
    buffers = [Buffer(f"b{i}", 128 * n, start, end) for i, (n, start, end) in enumerate(rows)]
    assert allocate(buffers, 8 * 128).peak == 8 * 128
    with pytest.raises(PlanError, match="they would fit, but no placement found"):
        allocate(buffers, 7 * 128)


@pytest.mark.parametrize(("size", "start", "end"), [(0, 0, 0), (-1, 0, 0), (128, 3, 2)])
def test_impossible_buffers_are_refused(size: int, start: int, end: int) -> None:
    with pytest.raises(ValueError, match="buffer 'x'"):
        Buffer("x", size, start, end)


def test_equal_names_are_refused() -> None:
    with pytest.raises(ValueError, match="two buffers are named 'x'"):
        allocate([Buffer("x", 1, 0, 0), Buffer("x", 1, 1, 1)], LIMIT)


def test_no_buffers_need_no_bytes() -> None:
    assert allocate([], 0).peak == 0
    assert peak_live([]) == 0
