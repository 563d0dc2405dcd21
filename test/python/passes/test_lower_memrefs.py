"""`memref` ops of a kernel at level `sdf`: views of views, constants of the module, elements.

Compared with numpy: level `ktir` runs only views that `ktdp` makes.
"""

from __future__ import annotations

import numpy as np
from ktdp_text import box, identity
from sdf_kernels import half
from test_lower_to_sdf import lower

from ktir.machine.kernel import run
from ktir.machine.source_names import argument_names
from ktir.mlir import ir

WEIGHTS = np.arange(8, dtype=np.float16).reshape(2, 4) * np.float16(0.5)

TEXT = f"""
module {{
memref.global "private" constant @weights : memref<2x4xf16> = dense<{WEIGHTS.tolist()}>
func.func @kernel(%x: index, %y: index) attributes {{grid = [4]}} {{
  %core = ktdp.get_compute_tile_id : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = ktdp.construct_memory_view %x, sizes: [16, 16], strides: [16, 1] {{
    coordinate_set = {box(16, 16)}, memory_space = #ktdp.memory_space<global>}} : memref<16x16xf16>
  %part = memref.subview %v[%core, 2] [4, 6] [2, 1]
      : memref<16x16xf16> to memref<4x6xf16, strided<[32, 1], offset: ?>>
  %row = memref.subview %part[1, 1] [1, 4] [1, 1] : memref<4x6xf16, strided<[32, 1], offset: ?>>
      to memref<4xf16, strided<[1], offset: ?>>
  %rt = ktdp.construct_access_tile %row[0] {{access_tile_set = {box(4)},
      access_tile_order = {identity(1)}}} : memref<4xf16, strided<[1], offset: ?>>
      -> !ktdp.access_tile<4xindex>
  %a = ktdp.load %rt : <4xindex> -> tensor<4xf16>
  %w = memref.get_global @weights : memref<2x4xf16>
  %wt = ktdp.construct_access_tile %w[%half, 0] {{access_tile_set = {box(1, 4)},
      access_tile_order = {identity(2)}}} : memref<2x4xf16> -> !ktdp.access_tile<1x4xindex>
  %b = ktdp.load %wt : <1x4xindex> -> tensor<1x4xf16>
  %e = memref.load %w[%c1, %core] : memref<2x4xf16>
  %f = memref.load %part[%c2, %core] : memref<4x6xf16, strided<[32, 1], offset: ?>>
  %g = arith.addf %e, %f : f16
  %s = tensor.splat %g : tensor<4xf16>
  %d = tensor.collapse_shape %b [[0, 1]] : tensor<1x4xf16> into tensor<4xf16>
  %p = arith.mulf %a, %d : tensor<4xf16>
  %q = arith.addf %p, %s : tensor<4xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [4, 5], strides: [5, 1] {{
    coordinate_set = {box(4, 5)}, memory_space = #ktdp.memory_space<global>}} : memref<4x5xf16>
  %out = memref.subview %yv[%core, 0] [1, 4] [1, 1]
      : memref<4x5xf16> to memref<1x4xf16, strided<[5, 1], offset: ?>>
  %ot = ktdp.construct_access_tile %out[0, 0] {{access_tile_set = {box(1, 4)},
      access_tile_order = {identity(2)}}} : memref<1x4xf16, strided<[5, 1], offset: ?>>
      -> !ktdp.access_tile<1x4xindex>
  %r = tensor.expand_shape %q [[0, 1]] output_shape [1, 4] : tensor<4xf16> into tensor<1x4xf16>
  ktdp.store %r, %ot : tensor<1x4xf16>, <1x4xindex>
  %c4 = arith.constant 4 : index
  memref.store %g, %yv[%core, %c4] : memref<4x5xf16>
  return
}}
}}
""".replace("  %w = memref", "  %half = arith.divui %core, %c2 : index\n  %w = memref")


def test_views_of_views_globals_and_elements() -> None:
    module = ir.Module.parse(TEXT, ir.Context()).operation
    arguments = {"x": half(16, 16), "y": half(4, 5)}
    names = argument_names(TEXT)
    left = run(module, None, arguments, names=names, level="sdf", lower=lower).arrays
    x = half(16, 16).numpy()
    expected = np.empty((4, 5), np.float16)
    for core in range(4):
        part = x[core : core + 8 : 2, 2:8]
        element = WEIGHTS[1, core] + part[2, core]
        expected[core, :4] = part[1, 1:5] * WEIGHTS[core // 2] + element
        expected[core, 4] = element
    assert np.array_equal(np.asarray(left["y"]), expected)
