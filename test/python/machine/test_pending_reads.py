"""`Reads`: what a write finds, and how much it looks at."""

from __future__ import annotations

import pytest
import torch

from ktir.machine.footprint import TileBytes
from ktir.machine.patterns import Offsets
from ktir.machine.pending_reads import Read, Reads, Touch


def read_of(*starts: int, cores: tuple[int, ...] = (0,)) -> Read:
    """Four elements of two bytes from each start on, a core each."""
    footprint = TileBytes.of(Offsets(starts), (4,), (1,), 2)
    numbers = torch.tensor(cores)
    touch = Touch.of(footprint, numbers)
    assert touch is not None
    return Read(footprint, numbers, 0, touch)


def reads_of(count: int) -> Reads:
    """Reads of core 0, one after the other, each a second time."""
    reads = Reads()
    for number in (*range(count), *range(count)):
        read = read_of(4 * number)
        if read.footprint.key() not in reads:
            reads.add(read.footprint.key(), read)
    return reads


def test_a_write_takes_away_the_reads_of_others_that_it_meets() -> None:
    reads = reads_of(1000)
    assert not list(reads.pop(read_of(400, cores=(0,)).touch))
    found = list(reads.pop(read_of(402, cores=(1,)).touch))
    assert sorted(read.touch.ends for read in found) == [(800, 808), (808, 816)]
    assert not list(reads.pop(read_of(402, cores=(1,)).touch))
    assert found[0].footprint.key() not in reads


def test_a_write_looks_at_few_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def meets(self: Touch, other: Touch) -> bool:
        seen.append(self)
        return False

    reads = reads_of(1000)
    monkeypatch.setattr(Touch, "meets", meets)
    list(reads.pop(read_of(402, cores=(1,)).touch))
    assert 0 < len(seen) <= Reads.PILE


def test_what_tells_footprints_apart() -> None:
    tiles = [
        TileBytes.of(Offsets([0]), (4,), (1,), 2),
        TileBytes.of(Offsets([0]), (2,), (3,), 2),
        TileBytes.of(Offsets([1]), (4,), (1,), 2),
        TileBytes.of(Offsets([0]), (4,), (1,), 2, [((0, 3),)]),
        TileBytes.of(Offsets([0]), (4,), (1,), 1),
    ]
    assert len({tile.key() for tile in tiles}) == len(tiles)
    assert tiles[0].key() == TileBytes.of(Offsets([0]), (4,), (1,), 2).key()
