// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s

// Sizes, strides and bounds may be values; a tile's own lower bound and affine subscripts add up to an offset; an order
// of columns first reads them as the rows of the buffer; runtime arguments arrive as their values.

#dynamic = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#shifted = affine_set<(d0, d1) : (d0 - 1 >= 0, -d0 + 4 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#plain = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: sdf.program @views(%arg0: index, %arg1: index, %arg2: index) grid [8] {
func.func @views(%x: index, %n: !ktdp.runtime_arg<index, granularity = 4, upperbound = 4096>, %stride: index)
    attributes {grid = [8]} {
  // CHECK: %[[CORE:.*]] = sdf.core_id : index
  %core = ktdp.get_compute_tile_id : index
  %rows = ktdp.runtime_arg_extract value from %n
      : !ktdp.runtime_arg<index, granularity = 4, upperbound = 4096> -> index
  %g = ktdp.runtime_arg_extract granularity from %n
      : !ktdp.runtime_arg<index, granularity = 4, upperbound = 4096> -> index
  %xv = ktdp.construct_memory_view %x, sizes: [%rows, 64], strides: [%stride, 1] {
    coordinate_set = #dynamic, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?x64xf16>
  // CHECK: %[[SCALED:.*]] = arith.muli %[[CORE]], %c2 : index
  // CHECK: %[[ROW:.*]] = arith.addi %[[SCALED]], %c5 : index
  %from = ktdp.construct_access_tile %xv[2 * %core + %g, 32] {access_tile_set = #shifted, access_tile_order = #id}
      : memref<?x64xf16> -> !ktdp.access_tile<4x32xindex>
  // CHECK: sdf.read #sdf.buffer<[[A:.*]], 4x32xf16> from %arg0[%[[ROW]], 32] bounds [%arg1, 64] strides [%arg2, 1]
  %a = ktdp.load %from : <4x32xindex> -> tensor<4x32xf16>
  %across = ktdp.construct_access_tile %xv[0, 0] {access_tile_set = #plain, access_tile_order = #columns}
      : memref<?x64xf16> -> !ktdp.access_tile<32x4xindex>
  // CHECK: sdf.read #sdf.buffer<{{.*}}, 32x4xf16> from %arg0[0, 0] bounds [64, %arg1] strides [1, %arg2]
  %b = ktdp.load %across : <32x4xindex> -> tensor<32x4xf16>
  %typed = ktdp.construct_access_tile %xv[0, 0] {access_tile_set = #plain, access_tile_order = #id}
      : memref<?x64xf16> -> !ktdp.access_tile<32x4xindex>
  // CHECK: sdf.reshape #sdf.buffer<{{.*}}, 32x4xf16> to #sdf.buffer<[[R:.*]], 4x32xf16>
  // CHECK-NEXT: sdf.write #sdf.buffer<[[R]], 4x32xf16> to %arg0[0, 0] bounds [%arg1, 64] strides [%arg2, 1]
  ktdp.store %b, %typed : tensor<32x4xf16>, <32x4xindex>
  // CHECK: sdf.write #sdf.buffer<[[A]], 4x32xf16>
  ktdp.store %a, %from : tensor<4x32xf16>, <4x32xindex>
  return
}
