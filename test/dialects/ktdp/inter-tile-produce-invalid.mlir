// RUN: ktir-opt %s --split-input-file --verify-diagnostics

#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#overlapping = affine_set<(i)[g] : (i - 3 * g >= 0, -i + 3 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

func.func @disjoint(%t: tensor<8xf16>) {
  // expected-error @below {{for groups 0 and 1 are not disjoint: both hold tile 3; a tile produces in one group (R1)}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #overlapping -> <(tensor<8xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  return
}

// -----

// With a grid, sets are enumerated over it: no bound is needed.
#odd = affine_set<(i)[g] : (i + g >= 1)>
#groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

func.func @grid(%t: tensor<8xf16>) attributes {grid = [2, 2]} {
  // expected-error @below {{for groups 0 and 1 are not disjoint: both hold tile 1}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #odd -> <(tensor<8xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  return
}

// -----

#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @unused(%t: tensor<8xf16>) {
  // expected-error @below {{future result must have exactly one use, the op that delivers, but has 0 (R2)}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  return
}

// -----

#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @two_uses(%t: tensor<8xf16>) {
  // expected-error @below {{future result must have exactly one use, the op that delivers, but has 2 (R2)}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  %a = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #four, gather_dimensions = [0]
      : <(tensor<8xf16>), groups = #one> -> tensor<32xf16>
  %b = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #four, gather_dimensions = [0]
      : <(tensor<8xf16>), groups = #one> -> tensor<32xf16>
  return
}

// -----

#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @other_use(%t: tensor<8xf16>) -> !ktdp.tile_future<(tensor<8xf16>), groups = #one> {
  // expected-error @below {{future result is used by 'func.return'; its one use is an op that delivers (R2)}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  return %f : !ktdp.tile_future<(tensor<8xf16>), groups = #one>
}

// -----

#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @yield_count(%t: tensor<8xf16>) {
  // expected-error @below {{yield_partial yields 1 values but the future carries 2 partial type(s)}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four
      -> <(tensor<8xf16>, tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  return
}

// -----

#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @yield_type(%t: tensor<8xf16>) {
  // expected-error @below {{yield_partial operand #0 type 'tensor<8xf16>' does not match future partial type 'tensor<8xf32>'}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf32>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  return
}

// -----

#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @no_group(%t: tensor<8xf16>) {
  // expected-error @below {{region takes (), expected (index), the group}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
    ktdp.yield_partial %t : tensor<8xf16>
  }
  return
}

// -----

#all = affine_set<(i) : (i >= 0, -i + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @symbol(%t: tensor<8xf16>) {
  // expected-error @below {{`producer_tiles_per_group` must have exactly one symbol (the group index g), not 0}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #all -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  return
}

// -----

#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @stated(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four
      // expected-error @below {{the types before '->' are not the partial types of}}
      : tensor<8xf32> -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  return
}
