"""Kernels whose work is done by functions that they call."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ktir
from ktir.describe import describe_chosen

STAGES = """
#row = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

module {
  func.func @negate(%from: index, %to: index) attributes {grid = [4]} {
    %z = arith.constant 0 : index
    %core = ktdp.get_compute_tile_id : index
    %v = ktdp.construct_memory_view %from, sizes: [4, 8], strides: [8, 1] {
      coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<4x8xf32>
    %a = ktdp.construct_access_tile %v[%core, %z] {access_tile_set = #row, access_tile_order = #id}
        : memref<4x8xf32> -> !ktdp.access_tile<1x8xindex>
    %t = ktdp.load %a : !ktdp.access_tile<1x8xindex> -> tensor<1x8xf32>
    %n = arith.negf %t : tensor<1x8xf32>
    %w = ktdp.construct_memory_view %to, sizes: [1, 8], strides: [8, 1] {
      coordinate_set = #row, memory_space = #ktdp.memory_space<ct_local>} : memref<1x8xf32>
    %b = ktdp.construct_access_tile %w[%z, %z] {access_tile_set = #row, access_tile_order = #id}
        : memref<1x8xf32> -> !ktdp.access_tile<1x8xindex>
    ktdp.store %n, %b : tensor<1x8xf32>, !ktdp.access_tile<1x8xindex>
    return
  }
  func.func @put(%from: index, %to: index) attributes {grid = [4]} {
    %z = arith.constant 0 : index
    %core = ktdp.get_compute_tile_id : index
    %w = ktdp.construct_memory_view %from, sizes: [1, 8], strides: [8, 1] {
      coordinate_set = #row, memory_space = #ktdp.memory_space<ct_local>} : memref<1x8xf32>
    %b = ktdp.construct_access_tile %w[%z, %z] {access_tile_set = #row, access_tile_order = #id}
        : memref<1x8xf32> -> !ktdp.access_tile<1x8xindex>
    %t = ktdp.load %b : !ktdp.access_tile<1x8xindex> -> tensor<1x8xf32>
    %v = ktdp.construct_memory_view %to, sizes: [4, 8], strides: [8, 1] {
      coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<4x8xf32>
    %a = ktdp.construct_access_tile %v[%core, %z] {access_tile_set = #row, access_tile_order = #id}
        : memref<4x8xf32> -> !ktdp.access_tile<1x8xindex>
    ktdp.store %t, %a : tensor<1x8xf32>, !ktdp.access_tile<1x8xindex>
    return
  }
  func.func @both(%x: index, %y: index) attributes {grid = [4]} {
    %at = arith.constant 4096 : index
    func.call @negate(%x, %at) : (index, index) -> ()
    func.call @put(%at, %y) : (index, index) -> ()
    return
  }
}
"""


@pytest.mark.parametrize("level", ["ktir", "sdf"])
@pytest.mark.parametrize("check", ["bounds", "full"])
def test_stages_that_meet_in_the_scratchpad(tmp_path: Path, level: str, check: str) -> None:
    """Their views make the kernel's arguments pointers, and say how large an output is."""
    file = tmp_path / "stages.mlir"
    file.write_text(STAGES)
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    found = ktir.run_kernel(file, "both", level=level, check=check, x=x)
    np.testing.assert_array_equal(found["y"], -x)


def test_what_a_kernel_takes_is_said_by_the_functions_that_it_calls(tmp_path: Path) -> None:
    file = tmp_path / "stages.mlir"
    file.write_text(STAGES)
    found = describe_chosen(file, "both")
    assert [(a.name, a.role, a.kind) for a in found.arguments] == [
        ("x", "in", "f32"),
        ("y", "out", "f32"),
    ]
