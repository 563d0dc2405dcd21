"""Grids that a kernel does not state, given at a launch or meant where none is stated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ktir
from ktir.errors import VerifyError

LEVELS = pytest.mark.parametrize("level", ["ktir", "sdf"])

GATHER = """
#some = affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>
#first = affine_set<(i)[g] : (i == 0)>
#one = affine_set<(g) : (g == 0)>
#box = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#id = affine_map<(d0) -> (d0)>

func.func @gather(%out: index) {grid} {{
  %z = arith.constant 0 : index
  %core = ktdp.get_compute_tile_id : index
  %i = arith.index_cast %core : index to i32
  %t = tensor.from_elements %i, %i : tensor<2xi32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #some
      -> <(tensor<2xi32>), groups = #one> {{
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<2xi32>
  }}
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #first, gather_dimensions = [0]
      : <(tensor<2xi32>), groups = #one> -> tensor<8xi32>
  %v = ktdp.construct_memory_view %out, sizes: [8], strides: [1] {{
    coordinate_set = #box, memory_space = #ktdp.memory_space<global>}} : memref<8xi32>
  %at = ktdp.construct_access_tile %v[%z] {{access_tile_set = #box, access_tile_order = #id}}
      : memref<8xi32> -> !ktdp.access_tile<8xindex>
  %is_first = arith.cmpi eq, %core, %z : index
  scf.if %is_first {{
    ktdp.store %r, %at : tensor<8xi32>, !ktdp.access_tile<8xindex>
  }}
  return
}}
"""


def gather(folder: Path, grid: str = "") -> Path:
    """A kernel that joins two elements of each of four cores, where there are so many."""
    file = folder / "gather.mlir"
    attributes = f"attributes {{grid = {grid}}}" if grid else ""
    file.write_text(GATHER.format(grid=attributes))
    return file


@LEVELS
@pytest.mark.parametrize("grid", [[4], [8]])
def test_a_kernel_without_a_grid_runs_on_the_given_one(
    tmp_path: Path, level: str, grid: list[int]
) -> None:
    found = ktir.run_kernel(gather(tmp_path), grid=grid, level=level, out=np.zeros(8, np.int32))
    assert found["out"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


@LEVELS
@pytest.mark.parametrize(
    ("stated", "given", "message"),
    [
        (
            "[4]",
            [2],
            r"@gather does not fit grid \[2\]: .*gather.mlir:18:8: .*expected 4 coord.*R12",
        ),
        ("", None, r"@gather does not fit grid \[1\], meant where none is stated: .*expected 2"),
        ("", [3], r"@gather does not fit grid \[3\], meant where none is stated: .*expected 6"),
    ],
)
def test_exchanges_that_do_not_fit_the_grid(
    tmp_path: Path, level: str, stated: str, given: list[int] | None, message: str
) -> None:
    with pytest.raises(VerifyError, match=message):
        ktir.run_kernel(
            gather(tmp_path, stated), grid=given, level=level, out=np.zeros(8, np.int32)
        )


def test_other_kernels_of_a_file_are_not_lowered(tmp_path: Path) -> None:
    """They may hold what cannot be lowered; functions that the kernel calls are."""
    file = tmp_path / "two.mlir"
    file.write_text(
        """
func.func @stays(%n: index) {
  %t = ktdp.get_compute_tile_id : index
  %m = memref.alloc(%n) : memref<?xf32>
  return
}
func.func private @twice(%n: index) -> index {
  %m = arith.addi %n, %n : index
  return %m : index
}
func.func @runs(%out: index) attributes {grid = [2]} {
  %core = ktdp.get_compute_tile_id : index
  %at = func.call @twice(%core) : (index) -> index
  %i = arith.index_cast %at : index to i32
  %t = tensor.from_elements %i : tensor<1xi32>
  %v = ktdp.construct_memory_view %out, sizes: [3], strides: [1] {
    coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>,
    memory_space = #ktdp.memory_space<global>} : memref<3xi32>
  %a = ktdp.construct_access_tile %v[%at] {
    access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>,
    access_tile_order = affine_map<(d0) -> (d0)>} : memref<3xi32> -> !ktdp.access_tile<1xindex>
  ktdp.store %t, %a : tensor<1xi32>, !ktdp.access_tile<1xindex>
  return
}
"""
    )
    found = ktir.run_kernel(file, "runs", level="sdf", out=np.ones(3, np.int32))
    assert found["out"].tolist() == [0, 1, 2]
