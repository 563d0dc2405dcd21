// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s

// A loop that carries the sum of a contraction needs one buffer for it: filled before the loop, added to in place.

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 1023 >= 0)>
#tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 127 >= 0)>
#square = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: sdf.program @tiled_k
func.func @tiled_k(%x: index, %y: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %xv = ktdp.construct_memory_view %x, sizes: [64, 1024], strides: [1024, 1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64x1024xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [64, 1024], strides: [1024, 1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64x1024xf16>
  %zv = ktdp.construct_memory_view %z, sizes: [64, 64], strides: [64, 1] {
    coordinate_set = #square, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  // CHECK: sdf.compute vector ins() outs(#sdf.buffer<[[AT:.*]], 64x64xf32>)
  // CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
  %sum = scf.for %k = %c0 to %c1024 step %c128 iter_args(%acc = %init) -> tensor<64x64xf32> {
    %xt = ktdp.construct_access_tile %xv[0, %k] {access_tile_set = #tile, access_tile_order = #id}
        : memref<64x1024xf16> -> !ktdp.access_tile<64x128xindex>
    %yt = ktdp.construct_access_tile %yv[0, %k] {access_tile_set = #tile, access_tile_order = #id}
        : memref<64x1024xf16> -> !ktdp.access_tile<64x128xindex>
    // CHECK-NEXT: sdf.read #sdf.buffer<[[X:.*]], 64x128xf16> from %arg0[0, %[[K]]]
    // CHECK-NEXT: sdf.read #sdf.buffer<[[Y:.*]], 64x128xf16> from %arg1[0, %[[K]]]
    %a = ktdp.load %xt : <64x128xindex> -> tensor<64x128xf16>
    %b = ktdp.load %yt : <64x128xindex> -> tensor<64x128xf16>
    // CHECK-NEXT: sdf.compute matrix ins(#sdf.buffer<[[X]], 64x128xf16>, #sdf.buffer<[[Y]], 64x128xf16>)
    // CHECK-SAME: outs(#sdf.buffer<[[AT]], 64x64xf32>)
    %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                          affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<64x128xf16>, tensor<64x128xf16>) outs(%acc : tensor<64x64xf32>) {
    ^bb0(%p: f16, %q: f16, %o: f32):
      %p32 = arith.extf %p : f16 to f32
      %q32 = arith.extf %q : f16 to f32
      %pq = arith.mulf %p32, %q32 : f32
      %s = arith.addf %o, %pq : f32
      linalg.yield %s : f32
    } -> tensor<64x64xf32>
    // CHECK-NOT: sdf.copy
    scf.yield %r : tensor<64x64xf32>
  }
  // CHECK: sdf.write #sdf.buffer<[[AT]], 64x64xf32> to %arg2
  %zt = ktdp.construct_access_tile %zv[0, 0] {access_tile_set = #square, access_tile_order = #id}
      : memref<64x64xf32> -> !ktdp.access_tile<64x64xindex>
  ktdp.store %sum, %zt : tensor<64x64xf32>, <64x64xindex>
  return
}
