// RUN: ktir-opt %s --ktir-lower-to-sdf --split-input-file | filecheck %s

// A broadcast: core 0 of each pair publishes, both receive from it.

#all = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id = affine_map<(d0) -> (d0)>
#first = affine_set<(i)[g] : (i - 2 * g == 0)>
#pair = affine_set<(i)[g] : (i - 2 * g >= 0, -i + 2 * g + 1 >= 0)>

// CHECK-LABEL: sdf.program @broadcast
func.func @broadcast(%x: index) attributes {grid = [4]} {
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
    coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  // CHECK: %[[PRODUCES:.*]] = sdf.by_core dense<[1, 0, 1, 0]> : tensor<4xi64> : index
  // CHECK: %[[TEST:.*]] = arith.cmpi ne, %[[PRODUCES]], %c0
  // CHECK: scf.if %[[TEST]] {
  // CHECK-NEXT: sdf.read #sdf.buffer<0, 64xf16>
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[FUTURE:.*]] = sdf.publish #sdf.buffer<0, 64xf16> producers [0, 2] : !sdf.future
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first
      -> <(tensor<64xf16>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> {
  ^bb0(%g: index):
    %t = ktdp.construct_access_tile %v[0] {access_tile_set = #all, access_tile_order = #id}
        : memref<64xf16> -> !ktdp.access_tile<64xindex>
    %a = ktdp.load %t : <64xindex> -> tensor<64xf16>
    ktdp.yield_partial %a : tensor<64xf16>
  }
  // CHECK-DAG: %[[SOURCE:.*]] = sdf.by_core dense<[0, 0, 2, 2]>
  // CHECK: sdf.receive #sdf.buffer<128, 64xf16> from core %[[SOURCE]] of %[[FUTURE]]
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #pair
      : <(tensor<64xf16>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> -> tensor<64xf16>
  %w = ktdp.construct_access_tile %v[0] {access_tile_set = #all, access_tile_order = #id}
      : memref<64xf16> -> !ktdp.access_tile<64xindex>
  ktdp.store %r, %w : tensor<64xf16>, <64xindex>
  return
}

// -----

// A fold: from the identity on, source after source in ascending order, in a loop. What is published
// stays where it is until then.

#all = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id = affine_map<(d0) -> (d0)>
#odd = affine_set<(i)[g] : (i mod 2 == 1, i - g >= 0)>
#last = affine_set<(i)[g] : (i - 3 == 0)>

// CHECK-LABEL: sdf.program @fold
func.func @fold(%x: index) attributes {grid = [4]} {
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
    coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %t = ktdp.construct_access_tile %v[0] {access_tile_set = #all, access_tile_order = #id}
      : memref<64xf16> -> !ktdp.access_tile<64xindex>
  // CHECK: sdf.read #sdf.buffer<[[SOURCE:[0-9]+]], 64xf16>
  %a = ktdp.load %t : <64xindex> -> tensor<64xf16>
  // CHECK: %[[FUTURE:.*]] = sdf.publish #sdf.buffer<[[SOURCE]], 64xf16> producers [1, 3]
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #odd
      -> <(tensor<64xf16>), groups = affine_set<(g) : (g == 0)>> {
  ^bb0(%g: index):
    ktdp.yield_partial %a : tensor<64xf16>
  }
  %zero = arith.constant dense<0.0> : tensor<64xf16>
  // CHECK: scf.if
  // CHECK: sdf.compute vector ins() outs(#sdf.buffer<[[FOLD:[0-9]+]], 64xf16>)
  // CHECK: %[[COUNT:.*]] = sdf.by_core dense<[0, 0, 0, 2]>
  // CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %[[COUNT]]
  // CHECK: %[[FROM:.*]] = sdf.by_core dense<{{.*}}> : tensor<4x2xi64>[%[[K]]]
  // CHECK: sdf.receive #sdf.buffer<[[TEMPORARY:[0-9]+]], 64xf16> from core %[[FROM]] of %[[FUTURE]]
  // CHECK: sdf.compute vector ins(#sdf.buffer<[[FOLD]], 64xf16>, #sdf.buffer<[[TEMPORARY]], 64xf16>) outs(#sdf.buffer<[[FOLD]], 64xf16>)
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #last, identity(%zero : tensor<64xf16>)
      : <(tensor<64xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<64xf16> {
  ^bb0(%l: tensor<64xf16>, %n: tensor<64xf16>):
    %s = arith.addf %l, %n : tensor<64xf16>
    ktdp.yield_reduced %s : tensor<64xf16>
  }
  ktdp.store %r, %t : tensor<64xf16>, <64xindex>
  return
}

// -----

// Columns of every tile to rows of the result: each slice is a rectangle at the core's own position.

#whole = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#both = affine_set<(i)[g] : (i >= 0, -i + 1 >= 0)>

// CHECK-LABEL: sdf.program @exchange
func.func @exchange(%x: index) attributes {grid = [2]} {
  %v = ktdp.construct_memory_view %x, sizes: [8, 64], strides: [64, 1] {
    coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<8x64xf16>
  %t = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #whole, access_tile_order = #id}
      : memref<8x64xf16> -> !ktdp.access_tile<8x64xindex>
  %a = ktdp.load %t : <8x64xindex> -> tensor<8x64xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #both
      -> <(tensor<8x64xf16>), groups = affine_set<(g) : (g == 0)>> {
  ^bb0(%g: index):
    ktdp.yield_partial %a : tensor<8x64xf16>
  }
  // CHECK: sdf.receive #[[TILE:sdf.buffer<[0-9]+, 8x64xf16>]] from core
  // CHECK: %[[OWN:.*]] = sdf.by_core dense<[0, 1]>
  // CHECK: %[[AT:.*]] = arith.muli %[[OWN]], %c32
  // CHECK: sdf.copy #[[TILE]][0, %[[AT]]][1, 1] to #[[PART:sdf.buffer<[0-9]+, 8x32xf16>]][0, 0][1, 1] sizes [8, 32]
  // CHECK: sdf.copy #[[PART]][0, 0][1, 1] to #[[ALL:sdf.buffer<[0-9]+, 16x32xf16>]][0, 0][1, 1] sizes [8, 32]
  // CHECK: sdf.receive #[[SECOND:sdf.buffer<[0-9]+, 8x64xf16>]] from core %c1
  // CHECK: sdf.copy #[[SECOND]][0, %[[AT]]]
  // CHECK: sdf.copy #{{.*}}[0, 0][1, 1] to #[[ALL]][8, 0][1, 1] sizes [8, 32]
  %r = ktdp.inter_tile_all_to_all(%f) consumer_tiles_per_group = #both,
      split_dimensions = [1], concat_dimensions = [0]
      : <(tensor<8x64xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<16x32xf16>
  %n = tensor.collapse_shape %r [[0, 1]] : tensor<16x32xf16> into tensor<512xf16>
  %o = tensor.expand_shape %n [[0, 1]] output_shape [8, 64] : tensor<512xf16> into tensor<8x64xf16>
  ktdp.store %o, %t : tensor<8x64xf16>, <8x64xindex>
  return
}
