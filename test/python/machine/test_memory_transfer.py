"""Moving tiles for all cores at once, against one element at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ktir.machine import transfer
from ktir.machine.patterns import Offsets, combine, progressions
from ktir.machine.sticks import element_sticks, tile_sticks


def places(offset: int, sizes: Sequence[int], strides: Sequence[int]) -> Iterator[int]:
    for point in itertools.product(*map(range, sizes)):
        yield offset + sum(i * s for i, s in zip(point, strides, strict=True))


OFFSETS = st.one_of(
    st.lists(st.integers(60, 200), min_size=1, max_size=6),
    # a grid: y * dy + x * dx
    st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(-9, 30), st.integers(-9, 30)).map(
        lambda g: [90 + y * g[2] + x * g[3] for y in range(g[0]) for x in range(g[1])]
    ),
)
TILES = st.lists(st.tuples(st.integers(0, 4), st.integers(-6, 20)), min_size=0, max_size=3)


@given(offsets=OFFSETS, tile=TILES)
def test_read_is_a_copy_of_every_element(offsets: list[int], tile: list[tuple[int, int]]) -> None:
    sizes, strides = [n for n, _ in tile], [s for _, s in tile]
    flat = torch.arange(400, dtype=torch.int32)
    found = transfer.read(flat, Offsets(offsets), tuple(sizes), tuple(strides))
    expected = [[int(flat[p]) for p in places(o, sizes, strides)] for o in offsets]
    assert found.shape[1:] == torch.Size(sizes)
    assert found.expand(len(offsets), *sizes).reshape(len(offsets), -1).tolist() == expected
    assert found.is_contiguous()
    assert not found.numel() or found.data_ptr() != flat.data_ptr()


@given(offsets=OFFSETS, tile=TILES, per_core=st.booleans())
def test_write_leaves_the_last_cores_values(
    offsets: list[int], tile: list[tuple[int, int]], per_core: bool
) -> None:
    sizes, strides = [n for n, _ in tile], [s for _, s in tile]
    flat, expected = torch.full((400,), -1), [-1] * 400
    data = torch.arange(1000)[: (len(offsets) if per_core else 1) * torch.Size(sizes).numel()]
    data = data.view(-1, *sizes) if 0 not in sizes else torch.zeros((1, *sizes), dtype=torch.int64)
    transfer.write(flat, Offsets(offsets), tuple(sizes), tuple(strides), data)
    for core, offset in enumerate(offsets):
        values = data[core if len(data) > 1 else 0].flatten().tolist()
        for place, value in zip(places(offset, sizes, strides), values, strict=True):
            expected[place] = value
    assert flat.tolist() == expected


@settings(deadline=None)
@given(
    starts=st.lists(st.tuples(st.integers(-5, 9), st.integers(-5, 9)), min_size=1, max_size=5),
    limits=st.tuples(st.integers(-2, 3), st.integers(2, 8), st.integers(-2, 3), st.integers(2, 8)),
    same_row=st.booleans(),
)
def test_clipped_tiles(
    starts: list[tuple[int, int]], limits: tuple[int, int, int, int], same_row: bool
) -> None:
    sizes, strides, bounds = (3, 4), (16, 1), (limits[:2], limits[2:])
    rows = [starts[0][0]] if same_row else [r for r, _ in starts]
    coordinates = [rows, [c for _, c in starts]]
    offsets = combine([128], coordinates, [[stride] for stride in strides])
    flat = torch.arange(512)
    written, expected_memory = torch.full((512,), -1), [-1] * 512
    clips = transfer.clip(coordinates, sizes, tuple(([low], [high]) for low, high in bounds))
    data = torch.arange(len(offsets) * 12).view(len(offsets), 3, 4) + 1000
    expected = torch.zeros((len(offsets), 3, 4), dtype=torch.int64)
    whole = True
    for core in range(len(offsets)):
        for i, j in itertools.product(range(3), range(4)):
            row, column = rows[0 if same_row else core] + i, coordinates[1][core] + j
            if bounds[0][0] <= row < bounds[0][1] and bounds[1][0] <= column < bounds[1][1]:
                expected[core, i, j] = 128 + row * 16 + column
                expected_memory[128 + row * 16 + column] = int(data[core, i, j])
            else:
                whole = False
    assert (clips is None) == whole
    if clips is None:
        return
    found = transfer.read_clipped(flat, offsets, sizes, strides, clips)
    assert found.tolist() == expected.tolist()
    transfer.write_clipped(written, offsets, strides, clips, data)
    assert written.tolist() == expected_memory


def test_clip_of_strided_coordinates() -> None:
    # coordinates 1, 4, 7, 10 within [2, 10): the two in the middle
    assert transfer.clip([[1]], [4], (([2], [10]),), [3]) == [((1, 3),)]
    assert transfer.clip([[1]], [4], (([1], [11]),), [3]) is None
    assert transfer.clip([[1]], [4], (([1], [10]),), [3]) == [((0, 3),)]


def test_clip_of_one_tile_for_all_cores() -> None:
    clips = transfer.clip([[6], [0]], [4, 8], (([0], [8]), ([0], [8])))
    assert clips == [((0, 2), (0, 8))]
    flat = torch.arange(64)
    assert transfer.read_clipped(flat, Offsets([48]), (4, 8), (8, 1), clips)[0, :, 0].tolist() == [
        48,
        56,
        0,
        0,
    ]


def test_uniform_offsets_give_one_tile() -> None:
    assert transfer.read(torch.arange(10), Offsets([2, 2, 2]), (3,), (1,)).tolist() == [[2, 3, 4]]


def test_progressions() -> None:
    assert progressions([5]) == []
    assert progressions([5, 8, 11]) == [(3, 3)]
    assert progressions([0, 1, 10, 11, 20, 21]) == [(3, 10), (2, 1)]
    assert progressions([0, 0, 7, 7]) == [(2, 7), (2, 0)]
    assert progressions([0, 1, 5]) is None
    assert progressions([3, 1]) is None


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.sampled_from([1, 2, 4]))
def test_scatter_of_runs(index: list[int], spread: int) -> None:
    """Runs of 4 that are apart, equal, or overlap in part."""
    index = [place * spread for place in index]
    flat, expected = torch.full((40,), -1), [-1] * 40
    data = torch.arange(len(index) * 4)
    for number, place in enumerate(index):
        expected[place : place + 4] = data[number * 4 : number * 4 + 4].tolist()
    transfer.scatter(flat, torch.tensor([index]), None, data[None], run=4)
    assert flat.tolist() == expected


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.booleans())
def test_scatter_keeps_the_last_of_equal_places(index: list[int], masked: bool) -> None:
    inside = [bool((i * 7 + k) % 3) for k, i in enumerate(index)]
    flat, expected = torch.full((6,), -1), [-1] * 6
    for value, (place, kept) in enumerate(zip(index, inside, strict=True)):
        if kept or not masked:
            expected[place] = value
    mask = torch.tensor([inside]) if masked else None
    transfer.scatter(flat, torch.tensor([index]), mask, torch.arange(len(index))[None])
    assert flat.tolist() == expected


def test_gather_reads_zero_outside() -> None:
    index, inside = torch.tensor([[1, 900, 2]]), torch.tensor([[True, False, True]])
    assert transfer.gather(torch.arange(5), index, inside).tolist() == [[[1], [0], [2]]]
    assert transfer.gather(torch.arange(9), index, inside, run=2).tolist() == [
        [[1, 2], [0, 0], [2, 3]]
    ]


@pytest.mark.parametrize(
    ("offsets", "sizes", "strides", "item", "expected"),
    [
        pytest.param([0], [64], [1], 2, 1, id="one-stick"),
        pytest.param([1], [64], [1], 2, 2, id="across-two"),
        pytest.param([0, 64], [4, 64], [1024, 1], 2, 8, id="rows"),
        pytest.param([0], [4, 32], [32, 1], 2, 2, id="rows-that-continue"),
        pytest.param([0], [4, 32], [64, 1], 2, 4, id="half-rows"),
        pytest.param([0], [3, 65], [96, 1], 2, 6, id="rows-at-different-places"),
        pytest.param([0], [64, 1], [1024, 1], 2, 64, id="a-column"),
        pytest.param([0], [64, 2], [1, 1024], 2, 2, id="transposed"),
        pytest.param([0], [8, 64], [0, 1], 2, 1, id="repeated-row"),
        pytest.param([0], [32], [2], 2, 1, id="every-second-element"),
        pytest.param([0], [], [], 4, 1, id="scalar"),
        pytest.param([0], [0, 5], [5, 1], 4, 0, id="nothing"),
    ],
)
def test_sticks(
    offsets: list[int], sizes: list[int], strides: list[int], item: int, expected: int
) -> None:
    assert tile_sticks(Offsets(offsets), tuple(sizes), tuple(strides), item)[0] == expected


def test_sticks_that_other_cores_touch_too() -> None:
    assert tile_sticks(Offsets([0, 64, 0, 0]), (2, 64), (64, 1), 2) == (8, 4)


def test_element_sticks() -> None:
    assert element_sticks(torch.tensor([[0, 1, 63, 64, 0]]), None, 2) == 3
    assert element_sticks(torch.tensor([[0, 64, 32], [1, 2, 3]]), None, 2, run=64) == 4 + 6
    inside = torch.tensor([[True, True, False], [False, False, False]])
    assert element_sticks(torch.tensor([[0, 64, 500]]), inside, 2) == 2
