// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s

// Scalars stay SSA values. Affine ops become arith, with divisions that round down; what does not change in a loop
// leaves it. Several upper bounds of a view give the least of them.

#tile = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: sdf.program @scalars(%arg0: index, %arg1: index, %arg2: f32)
func.func @scalars(%x: index, %n: index, %f: f32) attributes {grid = [8]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %unused = arith.constant 77 : index
  // CHECK-NOT: 77
  // CHECK: %[[CORE:.*]] = sdf.core_id : index
  %core = ktdp.get_compute_tile_id : index
  // CHECK: %[[Q:.*]] = arith.floordivsi %[[CORE]], %c4
  // CHECK-NEXT: %[[M:.*]] = arith.muli %[[Q]], %c4
  // CHECK-NEXT: %[[R:.*]] = arith.subi %[[CORE]], %[[M]]
  %r = affine.apply affine_map<(d0) -> (d0 mod 4)>(%core)
  // CHECK: %[[LEAST:.*]] = arith.minsi %arg1, %c99
  %least = affine.min affine_map<(d0) -> (d0, 99)>(%n)
  // CHECK: %[[TWICE:.*]] = arith.addi %[[R]], %[[R]]
  // CHECK: %[[BOUND:.*]] = arith.minsi %arg1, %c100
  %v = ktdp.construct_memory_view %x, sizes: [%n], strides: [1] {
    coordinate_set = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, -d0 + 99 >= 0)>,
    memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?xf32>
  // CHECK: scf.for %[[I:.*]] = %c0 to %[[LEAST]] step %c1 iter_args(%[[S:.*]] = %arg2) -> (f32)
  %s = scf.for %i = %c0 to %least step %c1 iter_args(%acc = %f) -> f32 {
    %twice = arith.addi %r, %r : index
    // CHECK: %[[AT:.*]] = arith.addi %[[I]], %[[TWICE]]
    %at = arith.addi %i, %twice : index
    %t = ktdp.construct_access_tile %v[%at] {access_tile_set = #tile, access_tile_order = #id}
        : memref<?xf32> -> !ktdp.access_tile<32xindex>
    // CHECK-NEXT: sdf.read #sdf.buffer<0, 32xf32> from %arg0[%[[AT]]] bounds [%[[BOUND]]] strides [1]
    %a = ktdp.load %t : <32xindex> -> tensor<32xf32>
    // CHECK-NEXT: %[[E:.*]] = sdf.extract #sdf.buffer<0, 32xf32>[0] : f32
    %e = tensor.extract %a[%c0] : tensor<32xf32>
    // CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[S]], %[[E]] : f32
    %next = arith.addf %acc, %e : f32
    // CHECK-NEXT: scf.yield %[[NEXT]] : f32
    scf.yield %next : f32
  }
  // CHECK: scf.if
  %small = arith.cmpi ult, %core, %c1 : index
  scf.if %small {
    %t = ktdp.construct_access_tile %v[0] {access_tile_set = #tile, access_tile_order = #id}
        : memref<?xf32> -> !ktdp.access_tile<32xindex>
    // CHECK-NEXT: sdf.compute vector ins() scalars(%{{.*}} : f32) outs(#sdf.buffer<0, 32xf32>)
    // CHECK: sdf.write #sdf.buffer<0, 32xf32> to %arg0[0] bounds [%{{.*}}] strides [1]
    %p = tensor.splat %s : tensor<32xf32>
    ktdp.store %p, %t : tensor<32xf32>, <32xindex>
  }
  // CHECK-NOT: else
  return
}
