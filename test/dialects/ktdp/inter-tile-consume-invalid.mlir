// RUN: ktir-opt %s --split-input-file --verify-diagnostics

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @result(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{failed to verify that result types must match future partial types: results are ('tensor<4xf16>')}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four
      : <(tensor<8xf16>), groups = #one> -> tensor<4xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#all = affine_set<(i) : (i >= 0, -i + 3 >= 0)>

func.func @no_symbol(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{`consumer_tiles_per_group` must have exactly one symbol (the group index g), not 0}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #all
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#all = affine_set<(i, j)[g] : (i >= g, j == 0)>

func.func @two_dims(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{`consumer_tiles_per_group` must have exactly one dimension (the tile id i), not 2}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #all
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#dep = affine_set<(p)[c, g, x] : (p - c - x == 0)>

func.func @dep_symbols(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{`producer_dependency_per_consumer` must have one symbol (c) or two symbols (c, g), not 3}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four,
      producer_dependency_per_consumer = #dep
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#dep = affine_set<(p, q)[c] : (p - c == 0)>

func.func @dep_dims(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{`producer_dependency_per_consumer` must have exactly one dimension (the producer tile id p), not 2}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four,
      producer_dependency_per_consumer = #dep
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @no_dependency(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #two -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{group 0 has 2 producers, so producer_dependency_per_consumer is required to name each consumer tile's single source (R8)}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#dep = affine_set<(p)[c] : (p >= 0, -p + 1 >= 0)>

func.func @two_sources(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{consumer tile 0 of group 0 depends on 2 producers; inter_tile_consume delivers one contribution per consumer tile, so exactly one is required (R8)}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four,
      producer_dependency_per_consumer = #dep
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#dep = affine_set<(p)[c] : (p - c == 0, -p + 1 >= 0)>

func.func @no_source(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #two -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{consumer tile 2 of group 0 depends on 0 producers}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four,
      producer_dependency_per_consumer = #dep
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#dep = affine_set<(p)[c] : (p - c == 0)>

func.func @outside(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #two -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{producer_dependency_per_consumer names tile 2 for consumer tile 2 of group 0, but the producers of that group are {0, 1} (R3)}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four,
      producer_dependency_per_consumer = #dep
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#dep = affine_set<(p)[c] : (p == 0)>

func.func @idle(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #two -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{producer_dependency_per_consumer for group 0 does not cover producer tile 1 (no consumer has it as a dependency); the consumers are {0, 1, 2, 3} (R4)}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four,
      producer_dependency_per_consumer = #dep
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#all = affine_set<(i)[g] : (i - g >= 0, -i + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

func.func @consumers(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{consumer_tiles_per_group for groups 0 and 1 are not disjoint: both hold tile 1}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #all
      : <(tensor<8xf16>), groups = #groups> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#producers = affine_set<(i)[g] : (i >= g)>

func.func @grid(%t: tensor<8xf16>) attributes {grid = [3]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{group 0 has 3 producers}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @unknown(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{unknown clause 'consumers'; expected consumer_tiles_per_group, producer_dependency_per_consumer}}
  %r = ktdp.inter_tile_consume(%f) consumers = #four
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @twice(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{'consumer_tiles_per_group' is given twice}}
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #four, consumer_tiles_per_group = #four
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @missing(%t: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{'consumer_tiles_per_group' is missing}}
  %r = ktdp.inter_tile_consume(%f) producer_dependency_per_consumer = #four
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}
