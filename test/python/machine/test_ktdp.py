"""Kernels of level `ktir`: views, tiles, loads and stores against numpy."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from kernel_text import run
from ktdp_copies import Array, copy_through, matrix
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.errors import KtirError

EXAMPLES = Path(__file__).parents[3] / "examples" / "kernels"
MIB = 1 << 20


@pytest.mark.parametrize(
    ("points", "order", "shape", "expected"),
    [
        pytest.param(box(8, 16), identity(2), "8x16", matrix(), id="all"),
        pytest.param(
            "affine_set<(d0, d1) : (d0 - 2 >= 0, -d0 + 4 >= 0, d1 - 5 == 0)>",
            identity(2),
            "3x1",
            matrix()[2:5, 5:6],
            id="inner-box",
        ),
        pytest.param(
            box(8, 16),
            "affine_map<(d0, d1) -> (d1, d0)>",
            "16x8",
            matrix().T,
            id="column-by-column",
        ),
        pytest.param(box(8, 16), identity(2), "16x8", matrix().reshape(16, 8), id="other-shape"),
        pytest.param(
            "affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 15 >= 0, d1 mod 4 == 0)>",
            identity(2),
            "8x4",
            matrix()[:, ::4],
            id="every-fourth-column",
        ),
        pytest.param(
            "affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, d0 - d1 >= 0)>",
            identity(2),
            "2x5",
            np.array([matrix()[i, j] for i in range(4) for j in range(i + 1)]).reshape(2, 5),
            id="triangle",
        ),
        pytest.param(
            "affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 - d0 >= 0, -d1 + d0 + 2 >= 0)>",
            "affine_map<(d0, d1) -> (d1, d0)>",
            "3x4",
            np.array(
                [matrix()[i, j] for j in range(6) for i in range(4) if 0 <= j - i <= 2]
            ).reshape(3, 4),
            id="band-by-columns",
        ),
    ],
)
def test_tiles_name_points_in_order(points: str, order: str, shape: str, expected: Array) -> None:
    out = np.zeros(expected.shape, np.float16)
    result = run(copy_through(points, order, shape), args={"x": matrix(), "y": out})
    np.testing.assert_array_equal(result.arrays["y"], expected)


def test_wrong_number_of_points_is_refused() -> None:
    triangle = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, d0 - d1 >= 0)>"
    with pytest.raises(KtirError, match="point"):
        run(
            copy_through(triangle, identity(2), "1x11"),
            args={"x": matrix(), "y": np.zeros((1, 11), np.float16)},
        )


@pytest.mark.parametrize(
    ("dtype", "element"),
    [
        (np.float16, "f16"),
        (np.float32, "f32"),
        (np.float64, "f64"),
        (np.int8, "i8"),
        (np.uint8, "ui8"),
        (np.int16, "si16"),
        (np.int32, "i32"),
        (np.int64, "i64"),
        (np.int64, "index"),
        (np.bool_, "i1"),
    ],
)
def test_element_types(dtype: type[np.generic], element: str) -> None:
    x = (np.arange(128).reshape(8, 16) % 7 % 2 if dtype is np.bool_ else matrix()).astype(dtype)
    text = copy_through(box(8, 16), identity(2), "8x16", element)
    result = run(text, args={"x": x, "y": np.zeros_like(x)})
    np.testing.assert_array_equal(result.arrays["y"], x)
    assert result.arrays["y"].dtype == dtype


def add_kernel() -> str:
    rows = "affine_map<(d0, d1) -> (d0, d1)>"
    sets = box(2048, 1024)
    part = box(64, 1024)
    views = "".join(
        view(name, f"%{name}_ptr", "2048, 1024", "1024, 1", sets, "2048x1024xf16")
        for name in ("a", "b", "c")
    )
    tiles = "".join(
        tile(f"{name}t", f"%{name}[64 * %core, 0]", "2048x1024xf16", part, rows, "64x1024")
        for name in ("a", "b", "c")
    )
    return kernel(
        "%core = ktdp.get_compute_tile_id : index\n"
        + views
        + tiles
        + load("da", "at", "64x1024")
        + load("db", "bt", "64x1024")
        + "%dc = arith.addf %da, %db : tensor<64x1024xf16>\n"
        + store("dc", "ct", "64x1024"),
        "%a_ptr: index, %b_ptr: index, %c_ptr: index",
        "[32]",
    )


def test_add_moves_each_byte_once() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((2048, 1024)).astype(np.float16) for _ in range(2))
    result = run(add_kernel(), args=[a, b, np.zeros_like(a)])
    np.testing.assert_array_equal(result.arrays["c_ptr"], a + b)
    assert (result.profile.read_bytes, result.profile.written_bytes) == (8 * MIB, 4 * MIB)
    assert result.profile.kernels[0].shared_bytes == 0


def test_a_tile_that_all_cores_read_counts_for_each() -> None:
    text = kernel(
        view("a", "%x", "4, 64", "64, 1", box(4, 64), "4x64xf16")
        + view("b", "%y", "4, 64", "64, 1", box(4, 64), "4x64xf16")
        + "%core = ktdp.get_compute_tile_id : index\n"
        + tile("from", "%a[0, 0]", "4x64xf16", box(1, 64), identity(2), "1x64")
        + tile("to", "%b[%core, 0]", "4x64xf16", box(1, 64), identity(2), "1x64")
        + load("d", "from", "1x64")
        + store("d", "to", "1x64"),
        grid="[4]",
    )
    x = np.arange(256, dtype=np.float16).reshape(4, 64)
    result = run(text, args=[x, np.zeros_like(x)])
    np.testing.assert_array_equal(result.arrays["y"], np.tile(x[:1], (4, 1)))
    assert result.profile.read_bytes == 4 * 128
    assert result.profile.kernels[0].shared_bytes == 3 * 128


def test_core_numbers_have_dimension_0_fastest() -> None:
    text = kernel(
        view("b", "%y", "6", "1", box(6), "6xi32")
        + """
        %i, %j = ktdp.get_compute_tile_id : index, index
        %c10 = arith.constant 10 : index
        %tens = arith.muli %i, %c10 : index
        %both = arith.addi %tens, %j : index
        %value = arith.index_cast %both : index to i32
        %d = tensor.from_elements %value : tensor<1xi32>
        """
        + tile("to", "%b[%i + 3 * %j]", "6xi32", box(1), identity(1), "1")
        + store("d", "to", "1", "i32"),
        "%y: index",
        "[3, 2]",
    )
    result = run(text, args=[np.zeros(6, np.int32)])
    assert result.arrays["y"].tolist() == [0, 10, 20, 1, 11, 21]


def test_of_cores_that_store_to_one_place_the_last_wins() -> None:
    text = kernel(
        view("b", "%y", "2", "1", box(2), "2xi32")
        + """
        %i = ktdp.get_compute_tile_id : index
        %value = arith.index_cast %i : index to i32
        %d = tensor.from_elements %value, %value : tensor<2xi32>
        """
        + tile("to", "%b[0]", "2xi32", box(2), identity(1), "2")
        + store("d", "to", "2", "i32"),
        "%y: index",
        "[5]",
    )
    assert run(text, args=[np.zeros(2, np.int32)]).arrays["y"].tolist() == [4, 4]


def test_loops_that_differ_by_core() -> None:
    """Core c takes rows c, c + 3, ..; of 8 rows core 2 has one fewer."""
    text = kernel(
        view("a", "%x", "8, 16", "16, 1", box(8, 16), "8x16xf16")
        + view("b", "%y", "8, 16", "16, 1", box(8, 16), "8x16xf16")
        + "%core = ktdp.get_compute_tile_id : index\n"
        + "%c3 = arith.constant 3 : index\n%c8 = arith.constant 8 : index\n"
        + "scf.for %r = %core to %c8 step %c3 {\n"
        + tile("from", "%a[%r, 0]", "8x16xf16", box(1, 16), identity(2), "1x16")
        + tile("to", "%b[%r, 0]", "8x16xf16", box(1, 16), identity(2), "1x16")
        + load("d", "from", "1x16")
        + "%e = arith.addf %d, %d : tensor<1x16xf16>\n"
        + store("e", "to", "1x16")
        + "}\n",
        grid="[3]",
    )
    result = run(text, args=[matrix(), np.zeros_like(matrix())])
    np.testing.assert_array_equal(result.arrays["y"], matrix() * 2)
    assert result.profile.read_bytes == 8 * 128


def test_views_with_other_strides_and_an_offset() -> None:
    """A column-major view of a part of the array, and one that repeats a row."""
    text = kernel(
        "%c16 = arith.constant 16 : index\n%p = arith.addi %x, %c16 : index\n"
        + view("a", "%p", "16, 4", "1, 16", box(16, 4), "16x4xf16")
        + view("r", "%x", "16, 4", "0, 1", box(16, 4), "16x4xf16")
        + view("b", "%y", "16, 4", "4, 1", box(16, 4), "16x4xf16")
        + tile("from", "%a[0, 0]", "16x4xf16", box(16, 4), identity(2), "16x4")
        + tile("row", "%r[0, 0]", "16x4xf16", box(16, 4), identity(2), "16x4")
        + tile("to", "%b[0, 0]", "16x4xf16", box(16, 4), identity(2), "16x4")
        + load("d", "from", "16x4")
        + load("e", "row", "16x4")
        + "%s = arith.addf %d, %e : tensor<16x4xf16>\n"
        + store("s", "to", "16x4")
    )
    result = run(text, args=[matrix(), np.zeros((16, 4), np.float16)])
    np.testing.assert_array_equal(result.arrays["y"], matrix()[1:5].T + matrix()[0, :4])


def test_coordinates_outside_the_set_read_zero_and_are_not_written() -> None:
    """Padded sizes 8 x 64, of which 5 x 40 are valid."""
    valid = box(5, 40)
    text = kernel(
        view("a", "%x", "8, 64", "64, 1", valid, "8x64xf16")
        + view("b", "%y", "8, 64", "64, 1", box(8, 64), "8x64xf16")
        + view("c", "%z", "8, 64", "64, 1", valid, "8x64xf16")
        + "%core = ktdp.get_compute_tile_id : index\n"
        + "".join(
            tile(f"{v}t", f"%{v}[4 * %core, 0]", "8x64xf16", box(4, 64), identity(2), "4x64")
            for v in "abc"
        )
        + load("d", "at", "4x64")
        + store("d", "bt", "4x64")
        + store("d", "ct", "4x64"),
        "%x: index, %y: index, %z: index",
        "[2]",
    )
    x = np.arange(512, dtype=np.float16).reshape(8, 64) + 1
    result = run(text, args=[x, np.full_like(x, -1), np.full_like(x, -1)])
    inside = np.zeros((8, 64), bool)
    inside[:5, :40] = True
    np.testing.assert_array_equal(result.arrays["y"], np.where(inside, x, 0))
    np.testing.assert_array_equal(result.arrays["z"], np.where(inside, x, -1))
    # One stick a valid row is read; all rows of y and the valid ones of z are written.
    assert result.profile.read_bytes == 5 * 128
    assert result.profile.written_bytes == (8 + 5) * 128


def test_sets_that_are_no_boxes_mask_too() -> None:
    triangle = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, d0 - d1 >= 0)>"
    text = kernel(
        view("a", "%x", "8, 16", "16, 1", triangle, "8x16xf16")
        + view("b", "%y", "8, 16", "16, 1", box(8, 16), "8x16xf16")
        + tile("from", "%a[0, 0]", "8x16xf16", box(8, 16), identity(2), "8x16")
        + tile("to", "%b[0, 0]", "8x16xf16", box(8, 16), identity(2), "8x16")
        + load("d", "from", "8x16")
        + store("d", "to", "8x16")
    )
    result = run(text, args=[matrix(), matrix()])
    np.testing.assert_array_equal(result.arrays["y"], np.tril(matrix()))


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("rows", "cols"), [(1, 1), (3, 2), (128, 1024), (5, 63), (130, 65), (129, 1000), (1000, 777)]
)
def test_softmax_rows_of_any_size(rows: int, cols: int) -> None:
    oracle = example("softmax_rows").ORACLE
    given = oracle.inputs({"rows": rows, "cols": cols}, 0)
    found = run(EXAMPLES / "softmax_rows.mlir", args=given).arrays["y_ptr"]
    np.testing.assert_allclose(found, oracle.expected(given)["y_ptr"], rtol=2e-3, atol=1e-6)


def test_softmax_of_512_rows_moves_2_mib() -> None:
    given = example("softmax_rows").ORACLE.inputs({"rows": 512, "cols": 1024}, 0)
    result = run(EXAMPLES / "softmax_rows.mlir", args=given)
    assert (result.profile.read_bytes, result.profile.written_bytes) == (MIB, MIB)
