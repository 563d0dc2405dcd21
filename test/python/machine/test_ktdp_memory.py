"""Scratchpads, distributed views, gathers, and what is out of bounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kernel_text import run
from ktdp_copies import matrix
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.errors import BoundsError, MachineError
from ktir.machine.kernel import Result

KERNELS = Path(__file__).parent / "kernels"
LX = "#ktdp.spyre_memory_space<LX>"


def scratchpad_kernel(space: str) -> str:
    """Core c puts row c of x at element 64 of its scratchpad and stores what `space` has there."""
    return kernel(
        view("a", "%x", "4, 16", "16, 1", box(4, 16), "4x16xf16")
        + view("b", "%y", "4, 16", "16, 1", box(4, 16), "4x16xf16")
        + "%core = ktdp.get_compute_tile_id : index\n%c64 = arith.constant 64 : index\n"
        + view("own", "%c64", "1, 16", "16, 1", box(1, 16), "1x16xf16", LX)
        + view("lx", "%c64", "1, 16", "16, 1", box(1, 16), "1x16xf16", space)
        + tile("from", "%a[%core, 0]", "4x16xf16", box(1, 16), identity(2), "1x16")
        + tile("in", "%own[0, 0]", "1x16xf16", box(1, 16), identity(2), "1x16")
        + tile("out", "%lx[0, 0]", "1x16xf16", box(1, 16), identity(2), "1x16")
        + tile("to", "%b[%core, 0]", "4x16xf16", box(1, 16), identity(2), "1x16")
        + load("d", "from", "1x16")
        + store("d", "in", "1x16")
        + load("e", "out", "1x16")
        + store("e", "to", "1x16"),
        grid="[4]",
    )


@pytest.mark.parametrize(
    ("space", "rows"),
    [
        ("#ktdp.spyre_memory_space<LX>", [0, 1, 2, 3]),
        ("#ktdp.memory_space<ct_local>", [0, 1, 2, 3]),
        ("#ktdp.spyre_memory_space<LX, core = 2>", [2, 2, 2, 2]),
        ("#ktdp.memory_space<ct_local, ct_id = 0>", [0, 0, 0, 0]),
    ],
)
def test_scratchpads_of_cores(space: str, rows: list[int]) -> None:
    x = matrix()[:4]
    result = run(scratchpad_kernel(space), args=[x, np.zeros_like(x)])
    np.testing.assert_array_equal(result.arrays["y"], x[rows])
    assert result.profile.read_bytes == 4 * 128


def test_scratchpad_ends() -> None:
    text = scratchpad_kernel("#ktdp.spyre_memory_space<LX>").replace(
        "%c64 = arith.constant 64", "%c64 = arith.constant 1048564"
    )
    with pytest.raises(BoundsError, match=r"core 0 writes .* a scratchpad has bytes 0 to 2097151"):
        run(text, args=[matrix()[:4], np.zeros((4, 16), np.float16)])


def distributed(second: str, tile_at: str = "0") -> Result:
    """x is columns 0..15 and z columns 16..31 of a view of 8 x 32, which is copied to y."""
    first = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 15 >= 0)>"
    text = kernel(
        view("a", "%x", "8, 16", "16, 1", first, "8x16xf16")
        + view("b", "%z", "8, 16", "1, 8", second, "8x16xf16")
        + "%v = ktdp.construct_distributed_memory_view "
        "(%a, %b : memref<8x16xf16>, memref<8x16xf16>) : memref<8x32xf16>\n"
        + view("o", "%y", "8, 32", "32, 1", box(8, 32), "8x32xf16")
        + tile("from", f"%v[0, {tile_at}]", "8x32xf16", box(8, 32), identity(2), "8x32")
        + tile("to", "%o[0, 0]", "8x32xf16", box(8, 32), identity(2), "8x32")
        + load("d", "from", "8x32")
        + store("d", "to", "8x32"),
        "%x: index, %z: index, %y: index",
    )
    z = -matrix().T.copy()
    return run(text, args=[matrix(), z, np.zeros((8, 32), np.float16)])


RIGHT_HALF = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 - 16 >= 0, -d1 + 31 >= 0)>"


def test_distributed_view() -> None:
    np.testing.assert_array_equal(
        distributed(RIGHT_HALF).arrays["y"], np.hstack([matrix(), -matrix()])
    )


def test_distributed_view_by_points_gives_the_same() -> None:
    """A part whose set is no box: its odd and even rows are named by one constraint each."""
    odd = RIGHT_HALF[:-2] + ", (d0 + d1) mod 1 == 0)>"
    np.testing.assert_array_equal(distributed(odd).arrays["y"], np.hstack([matrix(), -matrix()]))


@pytest.mark.parametrize(
    ("second", "at", "error", "message"),
    [
        (RIGHT_HALF.replace("16", "15").replace("31", "30"), "0", MachineError, "must be disjoint"),
        (RIGHT_HALF.replace("31", "30"), "0", BoundsError, "hold 248 of them"),
        (RIGHT_HALF, "1", BoundsError, "must cover what is accessed"),
        (RIGHT_HALF.replace("31", "40"), "0", MachineError, "has 16 elements along that dimension"),
    ],
)
def test_bad_distributed_views(second: str, at: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        distributed(second, at)


def test_gather_and_scatter_by_index() -> None:
    x = np.arange(96, dtype=np.float16).reshape(6, 16)
    rows = np.array([5, 0, 0, 3], np.int32)
    result = run(KERNELS / "past_index.mlir", args=[x, rows, np.zeros((4, 16), np.float16)])
    np.testing.assert_array_equal(result.arrays["y_ptr"], x[rows])


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        (
            "past_view",
            (8, 64),
            r"past_view\.mlir:\d+:\d+: core 3 reads the view of %x_ptr at coordinates \[8, 0\], "
            r"which is outside the view; legal are \[0\.\.7, 0\.\.63\]",
        ),
        (
            "past_array",
            (64,),
            r"past_array\.mlir:\d+:\d+: core 1 reads the view of %x_ptr at bytes \d+ to \d+, which "
            r"is outside what it may touch; 'x_ptr' holds bytes \d+ to \d+",
        ),
    ],
)
def test_out_of_bounds_and_the_legal_neighbour(
    name: str, shape: tuple[int, ...], message: str
) -> None:
    dtype = np.float16 if name == "past_view" else np.float32
    arrays = [np.ones(shape, dtype), np.zeros(shape, dtype)][: 2 if name == "past_view" else 1]
    run(KERNELS / f"{name}.mlir", "inside", arrays)
    with pytest.raises(BoundsError, match=message):
        run(KERNELS / f"{name}.mlir", "outside", arrays)


@pytest.mark.parametrize("index", [6, -1])
def test_index_out_of_bounds(index: int) -> None:
    args = [np.zeros((6, 16), np.float16), np.array([5, 0, index, 3], np.int32)]
    with pytest.raises(BoundsError, match=rf"core 0 reads .*%x_ptr at coordinates \[{index}, 0\]"):
        run(KERNELS / "past_index.mlir", args=[*args, np.zeros((4, 16), np.float16)])


def test_without_checks_a_step_past_an_array_lands_in_the_gap() -> None:
    result = run(KERNELS / "past_array.mlir", "outside", [np.ones(64, np.float32)], check="off")
    assert result.arrays["x_ptr"].tolist() == [1.0] * 32 + [2.0] * 32
