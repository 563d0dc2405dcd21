// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s

// The rectangle of the index view that a tile can ask for is read beside it; parts of subscripts in captured values
// become offsets, those in variables maps.

#pages = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 99 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#table = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#space = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK: #[[PAGE:.*]] = affine_map<(d0, d1) -> (0, d0 floordiv 16)>
// CHECK: #[[TOKEN:.*]] = affine_map<(d0, d1) -> (d0 mod 16)>
// CHECK: #[[LANE:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: sdf.program @paged
func.func @paged(%x: index, %t: index, %y: index, %b: index) attributes {grid = [4]} {
  %core = ktdp.get_compute_tile_id : index
  %xv = ktdp.construct_memory_view %x, sizes: [100, 16, 64], strides: [1024, 64, 1] {
    coordinate_set = #pages, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<100x16x64xf16>
  %tv = ktdp.construct_memory_view %t, sizes: [4, 8], strides: [8, 1] {
    coordinate_set = #table, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x8xi32>
  // CHECK: sdf.read #sdf.buffer<[[I:.*]], 1x2xi32> from %arg1[%{{.*}}, %{{.*}}] bounds [4, 8] strides [8, 1]
  %tile = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k)
      %xv[ind(%tv[%core, %b + 1 + %m floordiv 16]), (%m mod 16), (%k)] {
    variables_space_set = #space, variables_space_order = #id
  } : memref<100x16x64xf16>, memref<4x8xi32> -> !ktdp.access_tile<32x64xindex>
  // CHECK-NEXT: sdf.gather #sdf.buffer<[[D:.*]], 32x64xf16> from %arg0[0, 0, 0]
  // CHECK-SAME: via [#sdf.buffer<[[I]], 1x2xi32>[#[[PAGE]]], #[[TOKEN]], #[[LANE]]] bounds [100, 16, 64] strides [1024, 64, 1]
  %a = ktdp.load %tile : <32x64xindex> -> tensor<32x64xf16>
  // CHECK-NEXT: sdf.compute vector ins(#sdf.buffer<[[D]], 32x64xf16>) outs(#sdf.buffer<[[E:.*]], 32x64xf16>)
  %r = math.exp %a : tensor<32x64xf16>
  // CHECK: sdf.scatter #sdf.buffer<[[E]], 32x64xf16> to %arg0[0, 0, 0]
  // CHECK-SAME: via [#sdf.buffer<[[I]], 1x2xi32>[#[[PAGE]]], #[[TOKEN]], #[[LANE]]] bounds [100, 16, 64] strides [1024, 64, 1]
  ktdp.store %r, %tile : tensor<32x64xf16>, <32x64xindex>
  return
}
