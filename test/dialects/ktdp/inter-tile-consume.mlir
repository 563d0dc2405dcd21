// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt --mlir-print-op-generic %s | ktir-opt | filecheck %s

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#lower = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#upper = affine_set<(i)[g] : (i - 4 * g - 2 >= 0, -i + 4 * g + 3 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#two_back = affine_set<(p)[c] : (p - c + 2 == 0)>
#mirror = affine_set<(p)[c, g] : (p + c - 8 * g - 3 == 0)>
#groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

// CHECK-DAG: #[[FOUR:.*]] = affine_set<(d0)[s0] : (d0 - s0 * 4 >= 0, -d0 + s0 * 4 + 3 >= 0)>
// CHECK-DAG: #[[UPPER:.*]] = affine_set<(d0)[s0] : (d0 - s0 * 4 - 2 >= 0, -d0 + s0 * 4 + 3 >= 0)>
// CHECK-DAG: #[[BACK:.*]] = affine_set<(d0)[s0] : (d0 - s0 + 2 == 0)>
// CHECK-DAG: #[[GROUPS:.*]] = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>

// CHECK-LABEL: @broadcast
func.func @broadcast(%t: tensor<8xf16>) -> tensor<8xf16> {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // CHECK: ktdp.inter_tile_consume(%{{.*}}) consumer_tiles_per_group = #[[FOUR]] : <(tensor<8xf16>), groups = #[[GROUPS]]> -> tensor<8xf16>
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four
      : !ktdp.tile_future<(tensor<8xf16>), groups = #groups> -> tensor<8xf16>
  return %r : tensor<8xf16>
}

// Each consumer has a source of its own. Clauses may stand in any order, attributes after them.
// CHECK-LABEL: @route
func.func @route(%t: tensor<8xf16>) -> tensor<8xf16> {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #lower -> <(tensor<8xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // CHECK: consumer_tiles_per_group = #[[UPPER]], producer_dependency_per_consumer = #[[BACK]] {note = "a"} :
  %r = ktdp.inter_tile_consume(%f) producer_dependency_per_consumer = #two_back,
      consumer_tiles_per_group = #upper {note = "a"}
      : <(tensor<8xf16>), groups = #groups> -> tensor<8xf16>
  return %r : tensor<8xf16>
}

// CHECK-LABEL: @mirror
func.func @mirror(%t: tensor<8xf16>, %u: tensor<i32>) attributes {grid = [2, 4]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four
      -> <(tensor<8xf16>, tensor<i32>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t, %u : tensor<8xf16>, tensor<i32>
  }
  // CHECK: %{{.*}}:2 = ktdp.inter_tile_consume
  // CHECK-SAME: -> tensor<8xf16>, tensor<i32>
  %r:2 = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four,
      producer_dependency_per_consumer = #mirror
      : <(tensor<8xf16>, tensor<i32>), groups = #groups> -> tensor<8xf16>, tensor<i32>
  return
}

// A future from elsewhere: only what the op itself says can be checked.
// CHECK-LABEL: @argument
func.func @argument(%f: !ktdp.tile_future<(tensor<8xf16>), groups = #groups>) {
  // CHECK: ktdp.inter_tile_consume
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four
      : <(tensor<8xf16>), groups = #groups> -> tensor<8xf16>
  return
}

// A dependency without an end, and no grid: nothing to enumerate, nothing to refuse.
#open = affine_set<(p)[c] : (p - c >= 0)>
// CHECK-LABEL: @open
func.func @open(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #lower -> <(tensor<8xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // CHECK: ktdp.inter_tile_consume
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #lower,
      producer_dependency_per_consumer = #open
      : <(tensor<8xf16>), groups = #groups> -> tensor<8xf16>
  return
}
