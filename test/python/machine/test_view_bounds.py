"""Coordinates outside a view of known size are a fault at both levels, the last ones inside not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ktir
from ktir.mlir._mlir_libs import _ktir
from ktir.modules import new_context, parse_file, text_of

KERNEL = """
#view = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + {valid} >= 0)>
#tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, {columns})>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @move(%x: index, %y: index, %row: index, %column: index) {{
  %v = ktdp.construct_memory_view %x, sizes: [8, 64], strides: [64, 1] {{
    coordinate_set = #view, memory_space = #ktdp.spyre_memory_space<HBM>}} : memref<8x64xf16>
  %w = ktdp.construct_memory_view %y, sizes: [8, 64], strides: [64, 1] {{
    coordinate_set = #view, memory_space = #ktdp.spyre_memory_space<HBM>}} : memref<8x64xf16>
  %t = ktdp.construct_access_tile %v[%row, %column] {{
    access_tile_set = #tile, access_tile_order = #id
  }} : memref<8x64xf16> -> !ktdp.access_tile<4x32xindex>
  %a = ktdp.load %t : !ktdp.access_tile<4x32xindex> -> tensor<4x32xf16>
  %u = ktdp.construct_access_tile %w[%row, %column] {{
    access_tile_set = #tile, access_tile_order = #id
  }} : memref<8x64xf16> -> !ktdp.access_tile<4x32xindex>
  ktdp.store %a, %u : tensor<4x32xf16>, !ktdp.access_tile<4x32xindex>
  return
}}
"""

COLUMNS = {
    "box": ("d1 >= 0, -d1 + 31 >= 0", 31),
    "steps": ("d1 >= 0, -d1 + 62 >= 0, d1 mod 2 == 0", 62),
    "skewed": ("d1 - d0 >= 0, -d1 + d0 + 31 >= 0", 34),
}
"""Sets of 4 x 32 points, and the greatest second coordinate of each."""


Run = Callable[..., dict[str, Any]]


@pytest.fixture(params=["ktir", "sdf"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    """Runs the kernel with a set of columns, at a row and a column."""

    def launch(columns: str, row: int, column: int, valid: int = 63) -> dict[str, Any]:
        file = tmp_path / "move.mlir"
        file.write_text(KERNEL.format(columns=columns, valid=valid))
        x = np.arange(8 * 64, dtype=np.float16).reshape(8, 64)
        y = np.zeros_like(x)
        return ktir.run_kernel(file, x=x, y=y, row=row, column=column, level=request.param)

    return launch


@pytest.mark.parametrize("kind", COLUMNS)
def test_last_legal_place(run: Run, kind: str) -> None:
    columns, greatest = COLUMNS[kind]
    result = run(columns, row=4, column=63 - greatest)
    assert np.count_nonzero(result["y"]) == 4 * 32
    assert np.array_equal(result["y"][result["y"] != 0], result["x"][result["y"] != 0])


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize(("row", "more"), [(5, 0), (-1, 0), (4, 1)])
def test_first_illegal_place(run: Run, kind: str, row: int, more: int) -> None:
    columns, greatest = COLUMNS[kind]
    with pytest.raises(ktir.KtirError, match="outside the view"):
        run(columns, row=row, column=63 - greatest + more)


def test_within_the_size_but_not_in_the_set(run: Run) -> None:
    result = run(COLUMNS["box"][0], row=4, column=32, valid=50)
    assert np.count_nonzero(result["y"]) == 4 * (51 - 32)
    with pytest.raises(ktir.KtirError, match="outside the view"):
        run(COLUMNS["box"][0], row=4, column=33, valid=50)


PARTS = """
#low = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#high = affine_set<(d0) : (d0 - 8 >= 0, -d0 + 15 >= 0)>
#tile = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#id = affine_map<(d0) -> (d0)>
func.func @copy(%x: index, %y: index, %z: index, %start: index) {
  %zero = arith.constant 0 : index
  %a = ktdp.construct_memory_view %x, sizes: [8], strides: [1] {
    coordinate_set = #low, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xf16>
  %b = ktdp.construct_memory_view %y, sizes: [8], strides: [1] {
    coordinate_set = #high, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xf16>
  %v = ktdp.construct_distributed_memory_view (%a, %b : memref<8xf16>, memref<8xf16>)
      : memref<16xf16>
  %t = ktdp.construct_access_tile %v[%start] {access_tile_set = #tile, access_tile_order = #id}
      : memref<16xf16> -> !ktdp.access_tile<4xindex>
  %d = ktdp.load %t : !ktdp.access_tile<4xindex> -> tensor<4xf16>
  %w = ktdp.construct_memory_view %z, sizes: [4], strides: [1] {
    coordinate_set = #tile, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4xf16>
  %u = ktdp.construct_access_tile %w[%zero] {access_tile_set = #tile, access_tile_order = #id}
      : memref<4xf16> -> !ktdp.access_tile<4xindex>
  ktdp.store %d, %u : tensor<4xf16>, !ktdp.access_tile<4xindex>
  return
}
"""


@pytest.mark.parametrize("level", ["ktir", "sdf"])
def test_outside_a_distributed_view(tmp_path: Path, level: str) -> None:
    file = tmp_path / "copy.mlir"
    file.write_text(PARTS)
    low, high = np.arange(8, dtype=np.float16), np.arange(8, 16, dtype=np.float16)
    for start in (0, 6, 12):
        left = ktir.run_kernel(file, level=level, x=low, y=high, start=start)
        assert left["z"].tolist() == list(range(start, start + 4))
    for start in (-1, 13):
        with pytest.raises(ktir.KtirError, match=r"outside the view|parts hold 3 of them"):
            ktir.run_kernel(file, level=level, x=low, y=high, start=start)


OPEN = """
#view = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#tile = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#id = affine_map<(d0) -> (d0)>
func.func @copy(%x: index, %y: index) {
  %zero = arith.constant 0 : index
  %n = arith.constant 3 : index
  %v = ktdp.construct_memory_view %x, sizes: [%n], strides: [1] {
    coordinate_set = #view, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?xf16>
  %w = ktdp.construct_memory_view %y, sizes: [%n], strides: [1] {
    coordinate_set = #view, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?xf16>
  %t = ktdp.construct_access_tile %v[%zero] {access_tile_set = #tile, access_tile_order = #id}
      : memref<?xf16> -> !ktdp.access_tile<4xindex>
  %a = ktdp.load %t : !ktdp.access_tile<4xindex> -> tensor<4xf16>
  %b = arith.addf %a, %a : tensor<4xf16>
  %u = ktdp.construct_access_tile %w[%zero] {access_tile_set = #tile, access_tile_order = #id}
      : memref<?xf16> -> !ktdp.access_tile<4xindex>
  ktdp.store %b, %u : tensor<4xf16>, !ktdp.access_tile<4xindex>
  return
}
"""


@pytest.mark.parametrize("level", ["ktir", "sdf"])
@pytest.mark.parametrize("is_folded", [False, True])
def test_an_open_size_that_is_a_constant(tmp_path: Path, level: str, is_folded: bool) -> None:
    file = tmp_path / "copy.mlir"
    file.write_text(OPEN)
    if is_folded:
        module = parse_file(file, new_context())
        assert _ktir.run_pipeline(module, "builtin.module(canonicalize)")[0]
        file.write_text(text_of(module, locations=False))
        assert "sizes: [3]" in file.read_text()
    x, y = np.arange(1, 5, dtype=np.float16), np.full(4, 9, np.float16)
    arrays: dict[str, Any] = {"arg0": x, "arg1": y} if is_folded else {"x": x, "y": y}
    assert list(ktir.run_kernel(file, level=level, **arrays).values())[1].tolist() == [2, 4, 6, 9]


def test_an_expression_without_end(tmp_path: Path) -> None:
    file = tmp_path / "copy.mlir"
    terms = " + ".join(f"d0 floordiv {n}" for n in range(2, 3000))
    file.write_text(
        OPEN.replace("affine_set<(d0) : (d0 >= 0,", f"affine_set<(d0) : ({terms} >= 0,")
    )
    with pytest.raises(ktir.UnsupportedError, match=r"copy.mlir:.* more than 200 nested"):
        ktir.run_kernel(file, x=np.zeros(4, np.float16), y=np.zeros(4, np.float16))
