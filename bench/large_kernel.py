"""y = x + x over so many elements of f16, in a process of its own: `python -m bench.large_kernel
LEVEL ELEMENTS`. Fails if a value is wrong.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import ktir

TILE = 4096
CORES = 32

KERNEL = """
#all = affine_set<(d0) : (d0 >= 0, -d0 + {last} >= 0)>
#tile = affine_set<(d0) : (d0 >= 0, -d0 + {tile_last} >= 0)>
#order = affine_map<(d0) -> (d0)>
func.func @double(%x_ptr: index, %y_ptr: index) attributes {{grid = [{cores}]}} {{
  %size = arith.constant {tile} : index
  %step = arith.constant {step} : index
  %end = arith.constant {elements} : index
  %core = ktdp.get_compute_tile_id : index
  %first = arith.muli %core, %size : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [{elements}], strides: [1] {{
    coordinate_set = #all, memory_space = #ktdp.spyre_memory_space<HBM>}} : memref<{elements}xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [{elements}], strides: [1] {{
    coordinate_set = #all, memory_space = #ktdp.spyre_memory_space<HBM>}} : memref<{elements}xf16>
  scf.for %i = %first to %end step %step {{
    %from = ktdp.construct_access_tile %x[%i] {{
      access_tile_set = #tile, access_tile_order = #order
    }} : memref<{elements}xf16> -> !ktdp.access_tile<{tile}xindex>
    %to = ktdp.construct_access_tile %y[%i] {{
      access_tile_set = #tile, access_tile_order = #order
    }} : memref<{elements}xf16> -> !ktdp.access_tile<{tile}xindex>
    %v = ktdp.load %from : !ktdp.access_tile<{tile}xindex> -> tensor<{tile}xf16>
    %w = arith.addf %v, %v : tensor<{tile}xf16>
    ktdp.store %w, %to : tensor<{tile}xf16>, !ktdp.access_tile<{tile}xindex>
  }}
  return
}}
"""


def main(level: str, elements: int) -> None:
    """Runs the kernel on an array that counts."""
    tile = min(TILE, elements // CORES)
    text = KERNEL.format(
        elements=elements,
        last=elements - 1,
        tile=tile,
        tile_last=tile - 1,
        step=tile * CORES,
        cores=CORES,
    )
    x = np.empty(elements, np.float16)
    x.reshape(-1, tile)[:] = np.arange(tile) % 512
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "double.mlir"
        file.write_text(text)
        y = ktir.run_kernel(file, level=level, x_ptr=x)["y_ptr"]
    for start in range(0, elements, tile * CORES):
        part = slice(start, start + tile * CORES)
        if not np.array_equal(y[part], x[part] * 2):
            raise SystemExit(f"wrong values from element {start} on")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
