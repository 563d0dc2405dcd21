// RUN: ktir-opt %s --ktir-lower-to-sdf --split-input-file | filecheck %s

// The moves at the end of a loop happen together: two arguments that swap go through a temporary copy.

#set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: sdf.program @swap
func.func @swap(%x: index, %y: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xv = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [64], strides: [1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64xf16>
  %xt = ktdp.construct_access_tile %xv[0] {access_tile_set = #set, access_tile_order = #id}
      : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %yt = ktdp.construct_access_tile %yv[0] {access_tile_set = #set, access_tile_order = #id}
      : memref<64xf16> -> !ktdp.access_tile<64xindex>
  // CHECK: sdf.read #sdf.buffer<[[A:.*]], 64xf16> from %arg0
  // CHECK-NEXT: sdf.read #sdf.buffer<[[B:.*]], 64xf16> from %arg1
  %a = ktdp.load %xt : <64xindex> -> tensor<64xf16>
  %b = ktdp.load %yt : <64xindex> -> tensor<64xf16>
  // CHECK-NEXT: scf.for
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (tensor<64xf16>, tensor<64xf16>) {
    // CHECK-NEXT: sdf.copy #sdf.buffer<[[B]], 64xf16>[0][1] to #sdf.buffer<[[T:.*]], 64xf16>[0][1] sizes [64]
    // CHECK-NEXT: sdf.copy #sdf.buffer<[[A]], 64xf16>[0][1] to #sdf.buffer<[[B]], 64xf16>[0][1] sizes [64]
    // CHECK-NEXT: sdf.copy #sdf.buffer<[[T]], 64xf16>[0][1] to #sdf.buffer<[[A]], 64xf16>[0][1] sizes [64]
    // CHECK-NEXT: }
    scf.yield %q, %p : tensor<64xf16>, tensor<64xf16>
  }
  // CHECK-NEXT: sdf.write #sdf.buffer<[[A]], 64xf16> to %arg0
  // CHECK-NEXT: sdf.write #sdf.buffer<[[B]], 64xf16> to %arg1
  ktdp.store %r#0, %xt : tensor<64xf16>, <64xindex>
  ktdp.store %r#1, %yt : tensor<64xf16>, <64xindex>
  return
}

// -----

// A shift needs an order, but no temporary; the scalar that the loop carries stays an SSA value.

#set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: sdf.program @shift
func.func @shift(%x: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xv = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64xf16>
  %xt = ktdp.construct_access_tile %xv[0] {access_tile_set = #set, access_tile_order = #id}
      : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %zero = arith.constant dense<0.0> : tensor<64xf16>
  // CHECK: sdf.compute vector ins() outs(#sdf.buffer<[[NEW:.*]], 64xf16>)
  // CHECK: sdf.compute vector ins() outs(#sdf.buffer<[[OLD:.*]], 64xf16>)
  // CHECK: scf.for %{{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (index)
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero, %s = %c0, %q = %zero)
      -> (tensor<64xf16>, index, tensor<64xf16>) {
    // CHECK: sdf.read #sdf.buffer<[[X:.*]], 64xf16>
    %a = ktdp.load %xt : <64xindex> -> tensor<64xf16>
    // CHECK: %[[T:.*]] = arith.addi %[[S]]
    %t = arith.addi %s, %i : index
    // CHECK: sdf.copy #sdf.buffer<[[NEW]], 64xf16>[0][1] to #sdf.buffer<[[OLD]], 64xf16>
    // CHECK-NEXT: sdf.copy #sdf.buffer<[[X]], 64xf16>[0][1] to #sdf.buffer<[[NEW]], 64xf16>
    // CHECK-NEXT: scf.yield %[[T]] : index
    scf.yield %a, %t, %p : tensor<64xf16>, index, tensor<64xf16>
  }
  ktdp.store %r#2, %xt : tensor<64xf16>, <64xindex>
  return
}

// -----

// Both sides of a branch make its result in one place; a value that is needed later is copied there.

#set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: sdf.program @branch
func.func @branch(%x: index, %c: i1) {
  %xv = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64xf16>
  %xt = ktdp.construct_access_tile %xv[0] {access_tile_set = #set, access_tile_order = #id}
      : memref<64xf16> -> !ktdp.access_tile<64xindex>
  // CHECK: sdf.read #sdf.buffer<[[A:.*]], 64xf16>
  %a = ktdp.load %xt : <64xindex> -> tensor<64xf16>
  // CHECK: scf.if
  %r = scf.if %c -> tensor<64xf16> {
    // CHECK: sdf.compute vector ins(#sdf.buffer<[[A]], 64xf16>) outs(#sdf.buffer<[[R:.*]], 64xf16>)
    %n = math.exp %a : tensor<64xf16>
    scf.yield %n : tensor<64xf16>
  } else {
    // CHECK: else
    // CHECK-NEXT: sdf.copy #sdf.buffer<[[A]], 64xf16>[0][1] to #sdf.buffer<[[R]], 64xf16>
    scf.yield %a : tensor<64xf16>
  }
  // CHECK: sdf.compute vector ins(#sdf.buffer<[[R]], 64xf16>, #sdf.buffer<[[A]], 64xf16>)
  %s = arith.addf %r, %a : tensor<64xf16>
  ktdp.store %s, %xt : tensor<64xf16>, <64xindex>
  return
}
