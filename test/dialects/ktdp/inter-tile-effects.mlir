// RUN: ktir-opt %s --canonicalize --cse --loop-invariant-code-motion --symbol-dce | filecheck %s

// An exchange waits for others: it is not removed, merged, moved out of a loop, or passed by a load or a
// store. What is pure in its region moves out.

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

// CHECK-LABEL: func.func @kept
// CHECK: scf.for
// CHECK-NEXT: ktdp.load
// CHECK-NEXT: ktdp.inter_tile_produce
// CHECK: ktdp.inter_tile_consume
// CHECK-NEXT: ktdp.inter_tile_produce
// CHECK: ktdp.inter_tile_consume
// CHECK-NEXT: ktdp.load
// CHECK-NEXT: ktdp.store
// CHECK-NEXT: ktdp.store
func.func @kept(%tile: !ktdp.access_tile<8xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = ktdp.load %tile : <8xindex> -> tensor<8xf16>
    %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #one> {
    ^bb0(%gid: index):
      ktdp.yield_partial %t : tensor<8xf16>
    }
    %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four
        : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
    %f2 = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #one> {
    ^bb0(%gid: index):
      ktdp.yield_partial %t : tensor<8xf16>
    }
    %unused = ktdp.inter_tile_consume(%f2) consumer_tiles_per_group = #four
        : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
    %u = ktdp.load %tile : <8xindex> -> tensor<8xf16>
    ktdp.store %u, %tile : tensor<8xf16>, <8xindex>
    ktdp.store %r, %tile : tensor<8xf16>, <8xindex>
  }
  return
}

// CHECK-LABEL: func.func @unused_fold
// CHECK: ktdp.inter_tile_produce
// CHECK: ktdp.inter_tile_reduce
func.func @unused_fold(%t: tensor<8xf16>) {
  %id = arith.constant dense<0.0> : tensor<8xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #four, identity(%id : tensor<8xf16>)
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16> {
  ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
    %s = arith.addf %a, %b : tensor<8xf16>
    ktdp.yield_reduced %s : tensor<8xf16>
  }
  return
}

// Between an exchange a load is not taken for an equal one before it, nor one in a region for one outside
// of it when a store stands between.
// CHECK-LABEL: func.func @regions
// CHECK: %[[A:.*]] = ktdp.load
// CHECK-NEXT: ktdp.store
// CHECK-NEXT: ktdp.inter_tile_produce
// CHECK-NEXT: ^bb0
// CHECK-NEXT: %[[B:.*]] = ktdp.load
// CHECK-NEXT: ktdp.yield_partial %[[B]]
// CHECK: ktdp.inter_tile_consume
// CHECK-NEXT: %[[C:.*]] = ktdp.load
// CHECK-NEXT: return %[[A]], %[[C]]
func.func @regions(%tile: !ktdp.access_tile<8xindex>, %d: tensor<8xf16>) -> (tensor<8xf16>, tensor<8xf16>) {
  %a = ktdp.load %tile : <8xindex> -> tensor<8xf16>
  ktdp.store %d, %tile : tensor<8xf16>, <8xindex>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    %b = ktdp.load %tile : <8xindex> -> tensor<8xf16>
    ktdp.yield_partial %b : tensor<8xf16>
  }
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  %c = ktdp.load %tile : <8xindex> -> tensor<8xf16>
  return %a, %c : tensor<8xf16>, tensor<8xf16>
}
