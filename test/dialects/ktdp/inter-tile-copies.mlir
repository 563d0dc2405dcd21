// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt --mlir-print-op-generic %s | ktir-opt | filecheck %s

#last = affine_set<(i)[g] : (i - g - 6 == 0)>
#even = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0, i mod 2 == 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#window = affine_set<(p)[c, g] : (p - c >= 0, -p + c + 1 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

// CHECK-LABEL: @reduce_scatter
func.func @reduce_scatter(%t: tensor<8x64xf16>, %id: tensor<8x64xf16>) -> tensor<2x64xf16> {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // CHECK: ktdp.inter_tile_reduce_scatter(%{{.*}}) consumer_tiles_per_group = #{{.*}}, scatter_dimensions = [0], identity(%{{.*}} : tensor<8x64xf16>) : <(tensor<8x64xf16>), groups = #{{.*}}> -> tensor<2x64xf16> {
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [0],
      identity(%id : tensor<8x64xf16>) : <(tensor<8x64xf16>), groups = #groups> -> tensor<2x64xf16> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
  return %r : tensor<2x64xf16>
}

// Producers that are not adjacent, consumers that do not produce, two dimensions.
// CHECK-LABEL: @gather
func.func @gather(%t: tensor<1x64xf16>) -> tensor<1x128xf16> {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #even -> <(tensor<1x64xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<1x64xf16>
  }
  // CHECK: ktdp.inter_tile_gather(%{{.*}}) consumer_tiles_per_group = #{{.*}}, gather_dimensions = [0, 1] : <(tensor<1x64xf16>), groups = #{{.*}}> -> tensor<1x128xf16>
  %r = ktdp.inter_tile_gather(%f) gather_dimensions = [0, 1], consumer_tiles_per_group = #four
      : <(tensor<1x64xf16>), groups = #groups> -> tensor<1x128xf16>
  return %r : tensor<1x128xf16>
}

// Sources of different consumers overlap; each places them by its own list.
// CHECK-LABEL: @gather_window
func.func @gather_window(%t: tensor<1x64xf16>) -> tensor<2x64xf16> {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<1x64xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<1x64xf16>
  }
  // CHECK: gather_dimensions = [0], producer_dependency_per_consumer = #{{.*}} :
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #three, gather_dimensions = [0],
      producer_dependency_per_consumer = #window
      : <(tensor<1x64xf16>), groups = #groups> -> tensor<2x64xf16>
  return %r : tensor<2x64xf16>
}

// CHECK-LABEL: @all_to_all
func.func @all_to_all(%t: tensor<8x64xf16>) -> (tensor<32x16xf16>, tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // CHECK: ktdp.inter_tile_all_to_all(%{{.*}}) consumer_tiles_per_group = #{{.*}}, split_dimensions = [1], concat_dimensions = [0] : <(tensor<8x64xf16>), groups = #{{.*}}> -> tensor<32x16xf16>
  %r = ktdp.inter_tile_all_to_all(%f) consumer_tiles_per_group = #four, split_dimensions = [1],
      concat_dimensions = [0] : <(tensor<8x64xf16>), groups = #groups> -> tensor<32x16xf16>
  %h = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // CHECK: split_dimensions = [0], concat_dimensions = [0] :
  %s = ktdp.inter_tile_all_to_all(%h) consumer_tiles_per_group = #four, split_dimensions = [0],
      concat_dimensions = [0] : <(tensor<8x64xf16>), groups = #groups> -> tensor<8x64xf16>
  return %r, %s : tensor<32x16xf16>, tensor<8x64xf16>
}

// CHECK-LABEL: @scatter
func.func @scatter(%t: tensor<8x64xf16>) -> tensor<2x64xf16> {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #last -> <(tensor<8x64xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // CHECK: ktdp.inter_tile_scatter(%{{.*}}) consumer_tiles_per_group = #{{.*}}, scatter_dimensions = [0] : <(tensor<8x64xf16>), groups = #{{.*}}> -> tensor<2x64xf16>
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [0]
      : <(tensor<8x64xf16>), groups = #groups> -> tensor<2x64xf16>
  return %r : tensor<2x64xf16>
}
