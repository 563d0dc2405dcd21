// RUN: ktir-opt %s --split-input-file --verify-diagnostics

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @extent(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{expected 32 coordinates over gather_dimensions, from 8 from each of 4 producers, but they are 16 (R12)}}
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #four, gather_dimensions = [0]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<16x64xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @one_axis(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{dimension 0 changes, but no list of dimensions holds it}}
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #four, gather_dimensions = [1]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<16x128xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @order(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{gather_dimensions is [1, 0]; dimensions ascend, each listed once (R9)}}
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #four, gather_dimensions = [1, 0]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<16x128xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @whole(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{dimension 0 of gather_dimensions is 4, which is no multiple of 8}}
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #four, gather_dimensions = [0, 1]
      : <(tensor<8x64xf16>), groups = #one> -> tensor<4x512xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#dep = affine_set<(p)[c] : (p - 2 * c >= 0, -p + 2 * c + 1 >= 0)>

func.func @dependency(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{expected 16 coordinates over gather_dimensions, from 8 from each of 2 producers, but they are 32 (R12)}}
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #two, gather_dimensions = [0],
      producer_dependency_per_consumer = #dep
      : <(tensor<8x64xf16>), groups = #one> -> tensor<32x64xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#dep = affine_set<(p)[c] : (p - c >= 0, -p + 3 * c >= 0)>

func.func @uniform(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{consumer tile 0 has 1 sources and consumer tile 1 has 3; joined tiles have one type, so all consumers have equally many (R6)}}
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #two, gather_dimensions = [0],
      producer_dependency_per_consumer = #dep
      : <(tensor<8x64xf16>), groups = #one> -> tensor<16x64xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#uneven = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 5 * g >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

func.func @producers(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #uneven -> <(tensor<8x64xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{group 0 has 1 producers and group 1 has 2; joined tiles have one type, so all groups have equally many (R7)}}
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #first, gather_dimensions = [0]
      : <(tensor<8x64xf16>), groups = #groups> -> tensor<8x64xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#dep = affine_set<(p)[c] : (p - c == 0)>

func.func @outside(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #two -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{names tile 2 for consumer tile 2 of group 0, but the producers of that group are {0, 1} (R3)}}
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #four, gather_dimensions = [0],
      producer_dependency_per_consumer = #dep
      : <(tensor<8x64xf16>), groups = #one> -> tensor<8x64xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#dep = affine_set<(p)[c] : (p == 0)>

func.func @idle(%t: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #two -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{does not cover producer tile 1 (no consumer has it as a dependency)}}
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #four, gather_dimensions = [0],
      producer_dependency_per_consumer = #dep
      : <(tensor<8x64xf16>), groups = #one> -> tensor<8x64xf16>
  return
}
