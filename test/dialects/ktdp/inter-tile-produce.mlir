// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt --mlir-print-op-generic %s | ktir-opt | filecheck %s

#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#two_groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

// CHECK-DAG: #[[FOUR:.*]] = affine_set<(d0)[s0] : (d0 - s0 * 4 >= 0, -d0 + s0 * 4 + 3 >= 0)>
// CHECK-DAG: #[[GROUPS:.*]] = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>

// The partial types before the arrow are optional and not printed.
// CHECK-LABEL: @forms
func.func @forms(%tile: tensor<1x64xf16>) attributes {grid = [8]} {
  // CHECK: %[[F:.*]] = ktdp.inter_tile_produce producer_tiles_per_group = #[[FOUR]] -> <(tensor<1x64xf16>), groups = #[[GROUPS]]> {
  // CHECK-NEXT: ^bb0(%{{.*}}: index):
  // CHECK-NEXT: ktdp.yield_partial %{{.*}} : tensor<1x64xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four
      : tensor<1x64xf16> -> !ktdp.tile_future<tensor<1x64xf16>, groups = #two_groups>
  {
    ^bb0(%gid: index):
      ktdp.yield_partial %tile : tensor<1x64xf16>
  }
  // CHECK: ktdp.inter_tile_gather(%[[F]])
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #four, gather_dimensions = [0]
      : <(tensor<1x64xf16>), groups = #two_groups> -> tensor<4x64xf16>
  return
}

// Two roles; the region computes what only its tile needs.
// CHECK-LABEL: @roles
func.func @roles(%values: tensor<1x64xf32>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four
      -> <(tensor<1x64xf32>, tensor<1xindex>), groups = #two_groups> {
  ^bb0(%gid: index):
    // CHECK: tensor.from_elements
    %group = tensor.from_elements %gid : tensor<1xindex>
    // CHECK: ktdp.yield_partial %{{.*}}, %{{.*}} : tensor<1x64xf32>, tensor<1xindex>
    ktdp.yield_partial %values, %group : tensor<1x64xf32>, tensor<1xindex>
  }
  %r:2 = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #four, gather_dimensions = [0]
      : <(tensor<1x64xf32>, tensor<1xindex>), groups = #two_groups>
      -> tensor<4x64xf32>, tensor<4xindex>
  return
}
