// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt --mlir-print-op-generic %s | ktir-opt | filecheck %s

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#mirror = affine_set<(p)[c, g] : (p + c - 8 * g - 3 == 0)>
#groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

// CHECK-DAG: #[[FIRST:.*]] = affine_set<(d0)[s0] : (d0 - s0 * 4 == 0)>
// CHECK-DAG: #[[FOUR:.*]] = affine_set<(d0)[s0] : (d0 - s0 * 4 >= 0, -d0 + s0 * 4 + 3 >= 0)>
// CHECK-DAG: #[[MIRROR:.*]] = affine_set<(d0)[s0, s1] : (d0 + s0 - s1 * 8 - 3 == 0)>
// CHECK-DAG: #[[GROUPS:.*]] = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>

// CHECK-LABEL: @all
func.func @all(%t: tensor<1x8xf16>, %id: tensor<1x8xf16>) -> tensor<1x8xf16> {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<1x8xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<1x8xf16>
  }
  // CHECK: ktdp.inter_tile_reduce(%{{.*}}) consumer_tiles_per_group = #[[FOUR]], identity(%{{.*}} : tensor<1x8xf16>) : <(tensor<1x8xf16>), groups = #[[GROUPS]]> -> tensor<1x8xf16> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<1x8xf16>, %[[B:.*]]: tensor<1x8xf16>):
  // CHECK: ktdp.yield_reduced %{{.*}} : tensor<1x8xf16>
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #four, identity(%id : tensor<1x8xf16>)
      : !ktdp.tile_future<(tensor<1x8xf16>), groups = #groups> -> tensor<1x8xf16>
  {
    ^bb0(%a: tensor<1x8xf16>, %b: tensor<1x8xf16>):
      %s = linalg.add ins(%a, %b : tensor<1x8xf16>, tensor<1x8xf16>) outs(%a : tensor<1x8xf16>)
             -> tensor<1x8xf16>
      ktdp.yield_reduced %s : tensor<1x8xf16>
  }
  return %r : tensor<1x8xf16>
}

// Two roles that belong together, one source a consumer.
// CHECK-LABEL: @argmax
func.func @argmax(%v: tensor<8xf32>, %i: tensor<8xi32>, %v0: tensor<8xf32>, %i0: tensor<8xi32>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four
      -> <(tensor<8xf32>, tensor<8xi32>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %v, %i : tensor<8xf32>, tensor<8xi32>
  }
  // CHECK: producer_dependency_per_consumer = #[[MIRROR]], identity(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xi32>) :
  %r:2 = ktdp.inter_tile_reduce(%f) identity(%v0, %i0 : tensor<8xf32>, tensor<8xi32>),
      producer_dependency_per_consumer = #mirror, consumer_tiles_per_group = #four
      : <(tensor<8xf32>, tensor<8xi32>), groups = #groups> -> tensor<8xf32>, tensor<8xi32> {
  ^bb0(%av: tensor<8xf32>, %ai: tensor<8xi32>, %bv: tensor<8xf32>, %bi: tensor<8xi32>):
    %left = arith.cmpf ogt, %av, %bv : tensor<8xf32>
    %max = arith.maxnumf %av, %bv : tensor<8xf32>
    %index = arith.select %left, %ai, %bi : tensor<8xi1>, tensor<8xi32>
    ktdp.yield_reduced %max, %index : tensor<8xf32>, tensor<8xi32>
  }
  return
}

// The older form: partial types without parentheses, a result without the unit dimension, to one tile.
// CHECK-LABEL: @older
func.func @older(%t: tensor<1x8xf16>, %id: tensor<1x8xf16>) -> tensor<8xf16> {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four
      : tensor<1x8xf16> -> !ktdp.tile_future<tensor<1x8xf16>, groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<1x8xf16>
  }
  // CHECK: consumer_tiles_per_group = #[[FIRST]], identity(%{{.*}} : tensor<1x8xf16>) : <tensor<1x8xf16>, groups = #[[GROUPS]]> -> tensor<8xf16> {
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #first, identity(%id : tensor<1x8xf16>)
      : !ktdp.tile_future<tensor<1x8xf16>, groups = #groups> -> tensor<8xf16> {
  ^bb0(%a: tensor<1x8xf16>, %b: tensor<1x8xf16>):
    %s = arith.addf %a, %b : tensor<1x8xf16>
    ktdp.yield_reduced %s : tensor<1x8xf16>
  }
  return %r : tensor<8xf16>
}
