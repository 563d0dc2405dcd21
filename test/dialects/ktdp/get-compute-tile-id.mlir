// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// One result a dimension of the grid, fewer, or more; without a grid there is one tile.

// CHECK-LABEL: func.func @no_grid
// CHECK: ktdp.get_compute_tile_id : index
func.func @no_grid() -> index {
  %id = ktdp.get_compute_tile_id : index
  return %id : index
}

// CHECK-LABEL: func.func @fewer_results
// CHECK: ktdp.get_compute_tile_id : index
func.func @fewer_results() attributes {grid = [32, 1]} {
  %id = ktdp.get_compute_tile_id : index
  return
}

// CHECK-LABEL: func.func @three
// Each of several results has a name.
// CHECK: %core0, %core1, %core2 = ktdp.get_compute_tile_id : index, index, index
// CHECK: return %core2, %core0
func.func @three() -> (index, index) attributes {grid = [2, 4, 4]} {
  %id:3 = ktdp.get_compute_tile_id : index, index, index
  return %id#2, %id#0 : index, index
}

// CHECK-LABEL: func.func @more_results
// CHECK: ktdp.get_compute_tile_id : index, index
func.func @more_results() attributes {grid = [1]} {
  %i, %j = ktdp.get_compute_tile_id : index, index
  return
}
