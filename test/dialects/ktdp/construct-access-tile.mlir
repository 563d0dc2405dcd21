// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#rows = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#row_major = affine_map<(d0, d1) -> (d0, d1)>
#column_major = affine_map<(d0, d1) -> (d1, d0)>

// A tile may have the dimensions of its box in any order, whatever the order map says.
// CHECK-LABEL: func.func @orders
func.func @orders(%v: memref<32x64xf16>, %i: index, %j: index) {
  // CHECK: ktdp.construct_access_tile %{{.*}}[%{{.*}}, %{{.*}}] {access_tile_order = #{{.*}}, access_tile_set = #{{.*}}} : memref<32x64xf16> -> !ktdp.access_tile<16x32xindex>
  %a = ktdp.construct_access_tile %v[%i, %j] {
    access_tile_set = #box, access_tile_order = #row_major
  } : memref<32x64xf16> -> !ktdp.access_tile<16x32xindex>
  // CHECK: !ktdp.access_tile<32x16xindex>
  %b = ktdp.construct_access_tile %v[%i, %j] {
    access_tile_set = #box, access_tile_order = #row_major
  } : memref<32x64xf16> -> !ktdp.access_tile<32x16xindex>
  // CHECK: !ktdp.access_tile<16x32xindex>
  %c = ktdp.construct_access_tile %v[%i, %j] {
    access_tile_set = #box, access_tile_order = #column_major
  } : memref<32x64xf16> -> <16x32xindex>
  return
}

// CHECK-LABEL: func.func @symbols
// CHECK: [%{{.*}}, 0] symbols(%[[N:.*]]) {
// CHECK-SAME: !ktdp.access_tile<?x64xindex>
func.func @symbols(%v: tensor<32x64xf16>, %i: index, %n: index) {
  %a = ktdp.construct_access_tile %v[%i, 0] symbols(%n) {
    access_tile_set = #rows, access_tile_order = #row_major
  } : tensor<32x64xf16> -> !ktdp.access_tile<?x64xindex>
  return
}

// Sets that are no boxes: a triangle, every second column.
// CHECK-LABEL: func.func @other_sets
func.func @other_sets(%v: memref<32x64xf16>) {
  // CHECK: !ktdp.access_tile<8x8xindex>
  %a = ktdp.construct_access_tile %v[0, 0] {
    access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, d0 - d1 >= 0)>,
    access_tile_order = #row_major
  } : memref<32x64xf16> -> !ktdp.access_tile<8x8xindex>
  // CHECK: !ktdp.access_tile<1x32xindex>
  %b = ktdp.construct_access_tile %v[0, 0] {
    access_tile_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 63 >= 0, d1 mod 2 == 0)>,
    access_tile_order = #row_major
  } : memref<32x64xf16> -> !ktdp.access_tile<1x32xindex>
  return
}
