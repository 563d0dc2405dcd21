// RUN: ktir-opt %s --ktir-lower-to-sdf --split-input-file | filecheck %s

// Tiles that leave out coordinates: strides where all are in bounds, maps where a bound can cut them
// off, a table for what is no grid.

#all = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#even = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d0 mod 2 == 0, d1 >= 0, -d1 + 15 >= 0)>
#skewed = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 - d0 >= 0, d0 - d1 + 7 >= 0)>
#triangle = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, d0 - d1 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK: #[[DOUBLE:.*]] = affine_map<(d0, d1) -> (d0 * 2)>
// CHECK: #[[SUM:.*]] = affine_map<(d0, d1) -> (d0 + d1)>
// CHECK-LABEL: sdf.program @sets
func.func @sets(%x: index, %n: index) {
  %v = ktdp.construct_memory_view %x, sizes: [16, 16], strides: [16, 1] {
    coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<16x16xf16>
  // CHECK: %[[BASE:.*]] = arith.addi %{{.*}}, %c48
  // CHECK: sdf.read #sdf.buffer<0, 4x16xf16> from %[[BASE]][0, 0] bounds [4, 16] strides [32, 1]
  %t = ktdp.construct_access_tile %v[3, 0] {access_tile_set = #even, access_tile_order = #id}
      : memref<16x16xf16> -> !ktdp.access_tile<4x16xindex>
  %a = ktdp.load %t : <4x16xindex> -> tensor<4x16xf16>
  // CHECK: sdf.gather #sdf.buffer<0, 4x16xf16> from %{{.*}}[%{{[a-z0-9]+}}, 0]
  // CHECK-SAME: via [#[[DOUBLE]], _] bounds [16, 16] strides [16, 1]
  %u = ktdp.construct_access_tile %v[%n, 0] {access_tile_set = #even, access_tile_order = #id}
      : memref<16x16xf16> -> !ktdp.access_tile<4x16xindex>
  %b = ktdp.load %u : <4x16xindex> -> tensor<4x16xf16>
  // CHECK: sdf.gather #sdf.buffer<0, 4x8xf16> from %{{.*}}[0, 0]
  // CHECK-SAME: via [_, #[[SUM]]] bounds [16, 16] strides [16, 1]
  %w = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #skewed, access_tile_order = #id}
      : memref<16x16xf16> -> !ktdp.access_tile<4x8xindex>
  %c = ktdp.load %w : <4x8xindex> -> tensor<4x8xf16>
  // CHECK: sdf.gather #sdf.buffer<0, 6x1xf16> from %{{.*}}[%{{[a-z0-9]+}}, 2] via
  // CHECK-SAME{LITERAL}: [dense<[[0], [1], [1], [2], [2], [2]]> : tensor<6x1xi64>, dense<[[0], [0], [1], [0], [1], [2]]> : tensor<6x1xi64>]
  // CHECK-SAME: bounds [16, 16] strides [16, 1]
  %y = ktdp.construct_access_tile %v[%n, 2] {access_tile_set = #triangle, access_tile_order = #id}
      : memref<16x16xf16> -> !ktdp.access_tile<6x1xindex>
  %d = ktdp.load %y : <6x1xindex> -> tensor<6x1xf16>
  return
}

// -----

// A view that is no box: a constraint that bounds do not say is a dimension of stride 0; one that
// divides where the tile starts at a value is computed for every element.

#lower = affine_set<(d0, d1) : (d0 - 1 >= 0, -d0 + 15 >= 0, d1 >= 0, d0 - d1 >= 0)>
#odd = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d0 mod 2 == 1, d1 >= 0, -d1 + 15 >= 0)>
#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK: #[[MASK:.*]] = affine_map<(d0, d1) -> (d0 - d1)>
// CHECK-LABEL: sdf.program @views
func.func @views(%x: index, %n: index) {
  // CHECK: %[[BASE:.*]] = arith.addi %{{.*}}, %c16
  // CHECK: sdf.gather #sdf.buffer<0, 4x16xf16> from %[[BASE]][%{{[a-z0-9]+}}, 0, %{{[a-z0-9]+}}]
  // CHECK-SAME: via [_, _, #[[MASK]]]
  // CHECK-SAME: bounds [15, 16, 4611686018427387904] strides [16, 1, 0]
  %v = ktdp.construct_memory_view %x, sizes: [16, 16], strides: [16, 1] {
    coordinate_set = #lower, memory_space = #ktdp.memory_space<global>} : memref<16x16xf16>
  %t = ktdp.construct_access_tile %v[%n, 0] {access_tile_set = #box, access_tile_order = #id}
      : memref<16x16xf16> -> !ktdp.access_tile<4x16xindex>
  %a = ktdp.load %t : <4x16xindex> -> tensor<4x16xf16>
  // CHECK: sdf.compute vector ins() scalars({{.*}}) outs(#[[MARKS:sdf.buffer<[0-9]+, 4x16xi8>]])
  // CHECK: sdf.gather {{.*}} via [_, _, #[[MARKS]]{{.*}}]
  %w = ktdp.construct_memory_view %x, sizes: [16, 16], strides: [16, 1] {
    coordinate_set = #odd, memory_space = #ktdp.memory_space<global>} : memref<16x16xf16>
  %u = ktdp.construct_access_tile %w[%n, 0] {access_tile_set = #box, access_tile_order = #id}
      : memref<16x16xf16> -> !ktdp.access_tile<4x16xindex>
  %b = ktdp.load %u : <4x16xindex> -> tensor<4x16xf16>
  return
}

// -----

// A symbol that bounds a set on one side: the tile's size says which points there are.

#all = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#holes = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 >= 0, -(d0 mod 3) + 1 >= 0)>
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: sdf.program @symbol
func.func @symbol(%x: index, %n: index, %last: index) {
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
    coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %t = ktdp.construct_access_tile %v[%n] symbols(%last) {access_tile_set = #holes, access_tile_order = #id}
      : memref<64xf16> -> !ktdp.access_tile<5xindex>
  // CHECK: sdf.gather #sdf.buffer<0, 5xf16> from %arg0[%arg1] via [dense<[0, 1, 3, 4, 6]> : tensor<5xi64>] bounds [64] strides [1]
  %d = ktdp.load %t : <5xindex> -> tensor<5xf16>
  return
}

// -----

// Any other set whose symbols are values is listed when the program runs.

#all = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#skew = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + 3 >= 0, d1 - d0 - s0 >= 0, d0 - d1 + s0 + 3 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: sdf.program @listed
func.func @listed(%x: index, %n: index) {
  %v = ktdp.construct_memory_view %x, sizes: [16, 16], strides: [16, 1] {
    coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<16x16xf16>
  // CHECK: sdf.points #[[ROWS:sdf.buffer<[0-9]+, 4x4xi64>]], #[[COLUMNS:sdf.buffer<[0-9]+, 4x4xi64>]] of #{{.*}}[%arg1] order #{{.*}}
  // CHECK: sdf.gather #{{.*}} from %arg0[0, 0] via [#[[ROWS]][#{{.*}}], #[[COLUMNS]][#{{.*}}]] bounds [16, 16] strides [16, 1] within [0, 16, 0, 16]
  %t = ktdp.construct_access_tile %v[0, 0] symbols(%n) {access_tile_set = #skew, access_tile_order = #id}
      : memref<16x16xf16> -> !ktdp.access_tile<4x4xindex>
  %d = ktdp.load %t : <4x4xindex> -> tensor<4x4xf16>
  return
}
