"""Texts that upstream's parser refuses and `ktir.modules` takes; where their problems are shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ktir.errors import VerifyError
from ktir.machine import kernel
from ktir.mlir import ir
from ktir.modules import parse_file, parse_module

LATE = """\
// The definitions are put before this line.
module {
  func.func @first() attributes {set = #late} {
    return
  }
}
#late = affine_set<(d0) : (d0 >= 0,
                           -d0 + 7 >= 0)>
module {
  func.func private @second(!ktdp.tile_future<tensor<8xf16>,
      groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>>)
}
"""

COUNT = """\
func.func @count(%x: index, %y: index) attributes {grid = [1]} {
  %from = ktdp.construct_memory_view %x, sizes: [4], strides: [1] {
    memory_space = #ktdp.memory_space<global>} : memref<4xf32>
  %to = ktdp.construct_memory_view %y, sizes: [4], strides: [1] {
    memory_space = #ktdp.memory_space<global>} : memref<4xf32>
  %in = ktdp.construct_access_tile %from[0] {
    access_tile_order = #order, access_tile_set = #whole} : memref<4xf32> -> <4xindex>
  %out = ktdp.construct_access_tile %to[0] {
    access_tile_order = #order, access_tile_set = #whole} : memref<4xf32> -> <4xindex>
  %a = ktdp.load %in : <4xindex> -> tensor<4xf32>
  %b = arith.addf %a, %a : tensor<4xf32>
  ktdp.store %b, %out : tensor<4xf32>, <4xindex>
  return
}
#order = affine_map<(d0) -> (d0)>
#whole = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
"""


def test_lines_and_names_stay(tmp_path: Path) -> None:
    path = tmp_path / "late.mlir"
    path.write_text(LATE)
    module = parse_file(path, ir.Context())
    first, second = module.regions[0].blocks[0].operations
    assert str(first.location) == f'loc("{path}":2:1)'
    assert str(second.location) == f'loc("{path}":9:1)'
    (declared,) = second.regions[0].blocks[0].operations
    assert str(declared.location) == f'loc("{path}":10:3)'


def test_a_problem_is_shown_where_it_stands() -> None:
    text = LATE.replace("return", "unknown.op")
    with pytest.raises(VerifyError) as caught:
        parse_module(text, "the text", ir.Context())
    assert "the text:4:5" in str(caught.value)
    assert "    unknown.op" in str(caught.value)


def test_two_meanings_of_a_name_are_refused() -> None:
    text = LATE + "#late = affine_set<(d0) : (d0 == 0)>\n"
    with pytest.raises(VerifyError, match="undefined symbol alias id 'late'"):
        parse_module(text, "the text", ir.Context())


def test_a_view_without_a_set_is_whole() -> None:
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, dtype=np.float32)
    module = parse_module(COUNT, "the text", ir.Context())
    result = kernel.run(module, "count", {"x": x, "y": y}, names={"count": ["x", "y"]})
    np.testing.assert_array_equal(result.arrays["y"], 2 * x)
