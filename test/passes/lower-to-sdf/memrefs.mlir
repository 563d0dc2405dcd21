// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s

// Views of views, constants of the module and single elements.

memref.global "private" constant @weights : memref<2x4xf16> = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]>

#all = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 3 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: sdf.program @memrefs
func.func @memrefs(%x: index, %n: index) attributes {grid = [2]} {
  // CHECK: sdf.constant #sdf.buffer<[[WEIGHTS:[0-9]+]], 2x4xf16>, dense<{{.*}}> : tensor<2x4xf16>
  // CHECK: %[[OWN:.*]] = sdf.by_core dense<[0, 1]>
  %c1 = arith.constant 1 : index
  %w = memref.get_global @weights : memref<2x4xf16>
  %wt = ktdp.construct_access_tile %w[0, 0] {access_tile_set = #tile, access_tile_order = #id}
      : memref<2x4xf16> -> !ktdp.access_tile<2x4xindex>
  // CHECK: sdf.read #sdf.buffer<[[TILE:[0-9]+]], 2x4xf16> from %[[BASE:c[0-9]+]]{{.*}}[0, 0] bounds [2, 4] strides [4, 1] in core %[[OWN]]
  %a = ktdp.load %wt : <2x4xindex> -> tensor<2x4xf16>
  // CHECK: sdf.read #[[ONE:sdf.buffer<[0-9]+, 1x1xf16>]] from %[[BASE]]{{.*}}[%arg1, 1] bounds [2, 4] strides [4, 1] in core %[[OWN]]
  // CHECK-NEXT: %[[S:.*]] = sdf.extract #[[ONE]][0, 0] : f16
  %s = memref.load %w[%n, %c1] : memref<2x4xf16>
  %v = ktdp.construct_memory_view %x, sizes: [16, 16], strides: [16, 1] {
    coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<16x16xf16>
  // CHECK: sdf.compute vector ins() scalars(%[[S]] : f16) outs(#[[TWO:sdf.buffer<[0-9]+, 1x1xf16>]])
  // CHECK: sdf.write #[[TWO]] to %arg0[%arg1, 1] bounds [16, 16] strides [16, 1]
  memref.store %s, %v[%n, %c1] : memref<16x16xf16>
  %part = memref.subview %v[%n, 2] [4, 8] [2, 1] : memref<16x16xf16> to memref<4x8xf16, strided<[32, 1], offset: ?>>
  %pt = ktdp.construct_access_tile %part[%c1, 3] {access_tile_set = #tile, access_tile_order = #id}
      : memref<4x8xf16, strided<[32, 1], offset: ?>> -> !ktdp.access_tile<2x4xindex>
  // CHECK: %[[ROW:.*]] = arith.addi %arg1, %c2
  // CHECK: sdf.scatter #sdf.buffer<[[TILE]], 2x4xf16> to %arg0[%[[ROW]], 5] via [#map{{[0-9]*}}, _] bounds [16, 16] strides [16, 1]
  ktdp.store %a, %pt : tensor<2x4xf16>, <2x4xindex>
  return
}
