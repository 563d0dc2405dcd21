// RUN: ktir-opt %s --split-input-file --verify-diagnostics

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @split(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #three -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{split_dimensions cover 64 coordinates, which 3 consumers cannot share evenly (R9)}}
  %r = ktdp.inter_tile_all_to_all(%f) consumer_tiles_per_group = #three, split_dimensions = [1],
      concat_dimensions = [0]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<24x21xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @slice(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{expected 16 coordinates over split_dimensions, from 64 for each of 4 consumers, but they are 64 (R9)}}
  %r = ktdp.inter_tile_all_to_all(%f) consumer_tiles_per_group = #four, split_dimensions = [1],
      concat_dimensions = [0]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<32x64xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @join(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{expected 32 coordinates over concat_dimensions, from 8 from each of 4 producers, but they are 8 (R12)}}
  %r = ktdp.inter_tile_all_to_all(%f) consumer_tiles_per_group = #four, split_dimensions = [1],
      concat_dimensions = [0]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<8x16xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @square(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{expected 8 coordinates over split_dimensions, from 8 for each of 4 consumers from each of 4 producers, but they are 2 (R9, R12)}}
  %r = ktdp.inter_tile_all_to_all(%f) consumer_tiles_per_group = #four, split_dimensions = [0],
      concat_dimensions = [0]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<2x64xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @overlap(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{split_dimensions is [0, 1] and concat_dimensions [0]; the lists are equal or have no dimension in common}}
  %r = ktdp.inter_tile_all_to_all(%f) consumer_tiles_per_group = #four, split_dimensions = [0, 1],
      concat_dimensions = [0]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<8x64xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @missing(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{'concat_dimensions' is missing; expected consumer_tiles_per_group, split_dimensions, concat_dimensions, producer_dependency_per_consumer}}
  %r = ktdp.inter_tile_all_to_all(%f) consumer_tiles_per_group = #four, split_dimensions = [0]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<8x64xf16>
  return
}
