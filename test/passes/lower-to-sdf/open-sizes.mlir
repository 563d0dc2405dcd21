// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s

// Sizes of tensors that are constants, but not in their types.

#all = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: sdf.program @sizes
func.func @sizes(%x: index, %n: index) attributes {grid = [2]} {
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f16
  %e = tensor.empty(%c4) : tensor<?x8xf16>
  %v = ktdp.construct_memory_view %x, sizes: [16, 16], strides: [16, 1] {
    coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<16x16xf16>
  %t = ktdp.construct_access_tile %v[%n, 0] {access_tile_set = #tile, access_tile_order = #id}
      : memref<16x16xf16> -> !ktdp.access_tile<4x8xindex>
  %a = ktdp.load %t : <4x8xindex> -> tensor<4x8xf16>
  %b = tensor.cast %a : tensor<4x8xf16> to tensor<?x8xf16>
  %f = linalg.fill ins(%one : f16) outs(%e : tensor<?x8xf16>) -> tensor<?x8xf16>
  // CHECK: sdf.compute vector ins(#sdf.buffer<0, 4x8xf16>) outs(#sdf.buffer<0, 4x8xf16>)
  %r = linalg.add ins(%b, %f : tensor<?x8xf16>, tensor<?x8xf16>) outs(%e : tensor<?x8xf16>) -> tensor<?x8xf16>
  %s = tensor.cast %r : tensor<?x8xf16> to tensor<4x8xf16>
  // CHECK: sdf.write #sdf.buffer<0, 4x8xf16>
  ktdp.store %s, %t : tensor<4x8xf16>, <4x8xindex>
  return
}

// Sizes that are values: buffers of the largest size, and how much of them counts.

#line = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#some = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#along = affine_map<(d0) -> (d0)>

// CHECK-LABEL: sdf.program @tail
func.func @tail(%x: index, %n: index) attributes {grid = [4]} {
  %core = ktdp.get_compute_tile_id : index
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %at = arith.muli %core, %c16 : index
  %left = arith.subi %n, %at : index
  %most = arith.minsi %left, %c16 : index
  // CHECK: %[[M:.*]] = arith.maxsi
  %m = arith.maxsi %most, %c0 : index
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
    coordinate_set = #line, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %t = ktdp.construct_access_tile %v[%at] symbols(%m) {access_tile_set = #some, access_tile_order = #along}
      : memref<64xf16> -> !ktdp.access_tile<?xindex>
  // CHECK: sdf.read #sdf.buffer<0, 16xf16> from {{.*}} sizes [%[[M]]]
  %a = ktdp.load %t : <?xindex> -> tensor<?xf16>
  // CHECK: sdf.compute vector ins(#sdf.buffer<0, 16xf16>) outs(#sdf.buffer<0, 16xf16>) lengths [%[[M]]]
  %b = arith.negf %a : tensor<?xf16>
  // CHECK: sdf.write #sdf.buffer<0, 16xf16> to {{.*}} sizes [%[[M]]]
  ktdp.store %b, %t : tensor<?xf16>, <?xindex>
  return
}
