// RUN: ktir-opt %s --ktir-lower-to-sdf --split-input-file | filecheck %s

// A distributed view: one transfer for each part that can hold some of the tile, the later ones keep
// what is there. Scratchpads are named by their core.

#top = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#middle = affine_set<(d0, d1) : (d0 - 8 >= 0, -d0 + 11 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#bottom = affine_set<(d0, d1) : (d0 - 12 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: sdf.program @parts
func.func @parts(%x: index, %n: index) attributes {grid = [2, 2]} {
  // CHECK: %[[OWN:.*]] = sdf.by_core dense<[0, 1, 2, 3]> : tensor<4xi64> : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %a = ktdp.construct_memory_view %x, sizes: [8, 64], strides: [64, 1] {
    coordinate_set = #top, memory_space = #ktdp.memory_space<global>} : memref<8x64xf16>
  %b = ktdp.construct_memory_view %c64, sizes: [4, 64], strides: [1, 4] {
    coordinate_set = #middle, memory_space = #ktdp.memory_space<ct_local, ct_id = 3>} : memref<4x64xf16>
  %c = ktdp.construct_memory_view %c512, sizes: [4, 64], strides: [64, 1] {
    coordinate_set = #bottom, memory_space = #ktdp.spyre_memory_space<LX>} : memref<4x64xf16>
  %v = ktdp.construct_distributed_memory_view (%a, %b, %c : memref<8x64xf16>, memref<4x64xf16>, memref<4x64xf16>)
      : memref<16x64xf16>
  // Bytes 128 to 1535 are those of the views.
  // Coordinates outside the whole are forbidden, counted from the first one of each part.
  // CHECK: sdf.read #sdf.buffer<1536, 4x64xf16> from %arg0[%arg1, 0] bounds [8, 64] strides [64, 1] within [0, 16, 0, 64]
  // CHECK: sdf.read #sdf.buffer<1536, 4x64xf16> from %c64{{.*}}[%{{.*}}, 0] bounds [4, 64] strides [1, 4] in core %c3{{.*}} within [-8, 8, 0, 64] {keep}
  // CHECK: sdf.read #sdf.buffer<1536, 4x64xf16> from %c512{{.*}}[%{{.*}}, 0] bounds [4, 64] strides [64, 1] in core %[[OWN]] within [-12, 4, 0, 64] {keep}
  %t = ktdp.construct_access_tile %v[%n, 0] {access_tile_set = #tile, access_tile_order = #id}
      : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  %d = ktdp.load %t : <4x64xindex> -> tensor<4x64xf16>
  // CHECK: sdf.write #sdf.buffer<1536, 4x64xf16> to %arg0[7, 0] bounds [8, 64] strides [64, 1]
  // CHECK-NEXT: sdf.write #sdf.buffer<1536, 4x64xf16> to %c64{{.*}}[-1, 0] bounds [4, 64] strides [1, 4] in core %c3
  // CHECK-NEXT: sdf.return
  %u = ktdp.construct_access_tile %v[7, 0] {access_tile_set = #tile, access_tile_order = #id}
      : memref<16x64xf16> -> !ktdp.access_tile<4x64xindex>
  ktdp.store %d, %u : tensor<4x64xf16>, <4x64xindex>
  return
}
