// RUN: ktir-opt %s --split-input-file --verify-diagnostics

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @producers(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #two -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{group 0 has 2 producers; inter_tile_scatter splits the tile of exactly one (R8)}}
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [0]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<2x64xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @divisible(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{scatter_dimensions cover 8 coordinates, which 3 consumers cannot share evenly (R9)}}
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #three, scatter_dimensions = [0]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<2x64xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @extent(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{expected 128 coordinates over scatter_dimensions, from 512 for each of 4 consumers, but they are 256 (R9)}}
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [0, 1]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<4x64xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @dependency(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{unknown clause 'producer_dependency_per_consumer'; expected consumer_tiles_per_group, scatter_dimensions}}
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #four, producer_dependency_per_consumer = [0]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<2x64xf16>
  return
}
