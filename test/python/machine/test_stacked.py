"""Loops whose iterations run at once do what they do one after the other."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_text import run
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.errors import BoundsError
from ktir.machine import stacked
from ktir.machine.batch import Batch
from ktir.machine.profile import KernelProfile

SIZE = 256
WIDTH = 4
Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True)
class Move:
    """Iteration i loads 4 elements at `source` and stores them, plus `add`, at `target`; both are
    (factor, constant) of i. `only_odd`: in odd iterations."""

    source: tuple[int, int]
    target: tuple[int, int]
    add: int
    only_odd: bool


def place(name: str, at: tuple[int, int]) -> str:
    return (
        f"%{name}f = arith.constant {at[0]} : index\n%{name}c = arith.constant {at[1]} : index\n"
        f"%{name}m = arith.muli %i, %{name}f : index\n"
        f"%{name} = arith.addi %{name}m, %{name}c : index\n"
    )


def move(number: int, entry: Move) -> str:
    n = f"n{number}"
    body = (
        place(f"{n}a", entry.source)
        + place(f"{n}b", entry.target)
        + tile(f"{n}s", f"%v[%{n}a]", f"{SIZE}xf16", box(WIDTH), identity(1), str(WIDTH))
        + tile(f"{n}t", f"%v[%{n}b]", f"{SIZE}xf16", box(WIDTH), identity(1), str(WIDTH))
        + load(f"{n}d", f"{n}s", str(WIDTH))
        + f"%{n}k = arith.constant dense<{float(entry.add)}> : tensor<{WIDTH}xf16>\n"
        + f"%{n}e = arith.addf %{n}d, %{n}k : tensor<{WIDTH}xf16>\n"
        + store(f"{n}e", f"{n}t", str(WIDTH))
    )
    return f"scf.if %odd {{\n{body}}}\n" if entry.only_odd else body


def loop(moves: list[Move], trips: int) -> str:
    return kernel(
        f"%trips = arith.constant {trips} : index\n%c1 = arith.constant 1 : index\n"
        + "%c2 = arith.constant 2 : index\n"
        + view("v", "%x", str(SIZE), "1", box(SIZE), f"{SIZE}xf16")
        + "scf.for %i = %c0 to %trips step %c1 {\n"
        + "%rest = arith.remui %i, %c2 : index\n%odd = arith.cmpi eq, %rest, %c1 : index\n"
        + "".join(move(number, entry) for number, entry in enumerate(moves))
        + "}\n",
        "%x: index",
    )


def in_order(x: Array, moves: list[Move], trips: int) -> Array:
    x = x.copy()
    for i in range(trips):
        for entry in moves:
            if entry.only_odd and i % 2 == 0:
                continue
            a, b = (factor * i + constant for factor, constant in (entry.source, entry.target))
            x[b : b + WIDTH] = x[a : a + WIDTH] + entry.add
    return x


places = st.tuples(st.integers(0, 6), st.integers(0, 60))
moves = st.builds(Move, places, places, st.integers(0, 3), st.booleans())


@settings(deadline=None, max_examples=150)
@given(st.lists(moves, min_size=1, max_size=3), st.integers(0, 30))
def test_any_loads_and_stores(entries: list[Move], trips: int) -> None:
    x = np.random.default_rng(0).integers(0, 100, SIZE).astype(np.float16)
    found = run(loop(entries, trips), args=[x]).arrays["x"]
    np.testing.assert_array_equal(found, in_order(x, entries, trips))


def commits(monkeypatch: pytest.MonkeyPatch, text: str, *args: Any, **options: Any) -> list[int]:
    """Runs a kernel; how many stores every batch committed."""
    found: list[int] = []
    commit = Batch.commit

    def counted(batch: Batch) -> None:
        commit(batch)
        found.append(len(batch._stores))

    monkeypatch.setattr(Batch, "commit", counted)
    run(text, args=args, **options)
    return found


APART = Move((4, 0), (4, 128), 1, only_odd=False)
IN_PLACE = Move((4, 0), (4, 0), 1, only_odd=False)
FIBONACCI = Move((4, 0), (4, 4), 1, only_odd=False)


@pytest.mark.parametrize(
    ("moves", "batches"),
    [
        ([APART], [1]),
        ([IN_PLACE], [1]),
        ([dataclasses.replace(APART, only_odd=True)], [1]),
        ([APART, Move((4, 64), (4, 192), 2, only_odd=False)], [2]),
        # Each iteration reads what the one before it wrote.
        ([FIBONACCI], []),
        # All write to one place, of which the last value stays.
        ([Move((4, 0), (0, 200), 0, only_odd=False)], []),
        # A store that is loaded again in the same iteration.
        ([APART, Move((4, 128), (4, 192), 2, only_odd=False)], []),
    ],
)
def test_what_runs_at_once(
    monkeypatch: pytest.MonkeyPatch, moves: list[Move], batches: list[int]
) -> None:
    x = np.arange(SIZE, dtype=np.float16)
    # The first iteration runs alone, to see how large its tiles are.
    assert commits(monkeypatch, loop(moves, 13), x) == batches
    np.testing.assert_array_equal(
        run(loop(moves, 13), args=[x]).arrays["x"], in_order(x, moves, 13)
    )


def test_large_tiles_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.arange(SIZE, dtype=np.float16)
    monkeypatch.setattr(stacked, "STACKED_ELEMENTS", 3 * WIDTH)
    assert commits(monkeypatch, loop([APART], 13), x) == [1, 1, 1, 1]
    monkeypatch.setattr(stacked, "STACKED_ELEMENTS", 2 * WIDTH - 1)
    assert commits(monkeypatch, loop([APART], 13), x) == []


def rows(trips: str, body: str) -> str:
    """Cores take rows id, id + 4, .. of a matrix of 30 x 16."""
    matrix = "30x16xf16"
    return kernel(
        "%id = ktdp.get_compute_tile_id : index\n%c4 = arith.constant 4 : index\n"
        "%c8 = arith.constant 8 : index\n%c16 = arith.constant 16 : index\n"
        f"%n = arith.constant {trips} : index\n"
        + view("a", "%x", "30, 16", "16, 1", box(30, 16), matrix)
        + view("b", "%y", "30, 16", "16, 1", box(30, 16), matrix)
        + view("w", "%z", "1, 16", "16, 1", box(1, 16), "1x16xf16")
        + "scf.for %row = %id to %n step %c4 {\n"
        + body
        + "}\n",
        "%x: index, %y: index, %z: index",
        "[4]",
    )


SCALE = (
    tile("from", "%a[%row, %c0]", "30x16xf16", box(1, 16), identity(2), "1x16")
    + tile("to", "%b[%row, %c0]", "30x16xf16", box(1, 16), identity(2), "1x16")
    + tile("by", "%w[%c0, %c0]", "1x16xf16", box(1, 16), identity(2), "1x16")
    + load("d", "from", "1x16")
    + load("k", "by", "1x16")
    + "%r = arith.mulf %d, %k : tensor<1x16xf16>\n"
    + store("r", "to", "1x16")
)

COLUMNS = (
    "scf.for %col = %c0 to %c16 step %c4 {\n"
    + tile("from", "%a[%row, %col]", "30x16xf16", box(1, 4), identity(2), "1x4")
    + tile("to", "%b[%row, %col]", "30x16xf16", box(1, 4), identity(2), "1x4")
    + tile("by", "%w[%c0, %col]", "1x16xf16", box(1, 4), identity(2), "1x4")
    + load("d", "from", "1x4")
    + load("k", "by", "1x4")
    + "%r = arith.mulf %d, %k : tensor<1x4xf16>\n"
    + store("r", "to", "1x4")
    + "}\n"
)


def counted(profile: KernelProfile) -> tuple[int, int, int]:
    return profile.read_bytes, profile.shared_bytes, profile.written_bytes


@pytest.mark.parametrize("body", [SCALE, COLUMNS])
def test_trips_that_differ_by_core(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    x = np.random.default_rng(0).standard_normal((30, 16)).astype(np.float16)
    w = np.arange(16, dtype=np.float16)[None]
    args = [x, np.zeros_like(x), w]
    assert commits(monkeypatch, rows("30", body), *args)
    result = run(rows("30", body), args=args)
    np.testing.assert_array_equal(result.arrays["y"], x * w)
    # What is counted is the same where nothing runs at once.
    alone = run(rows("30", body), args=args, check="full")
    assert counted(result.profile.kernels[0]) == counted(alone.profile.kernels[0])


@pytest.mark.parametrize("body", [SCALE, COLUMNS])
def test_faults_are_those_of_one_iteration_after_the_other(body: str) -> None:
    x = np.ones((30, 16), np.float16)
    args = [x, np.zeros_like(x), np.ones((1, 16), np.float16)]
    with pytest.raises(BoundsError, match=r"core 2 reads the view of %x at coordinates \[30, 0\]"):
        run(rows("33", body), args=args)
