// RUN: ktir-opt %s --split-input-file --verify-diagnostics

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @divisible(%t: tensor<8x64xf16>, %id: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #three -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{scatter_dimensions cover 8 coordinates, which 3 consumers cannot share evenly (R9)}}
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #three, scatter_dimensions = [0], identity(%id : tensor<8x64xf16>)
      : <(tensor<8x64xf16>), groups = #one> -> tensor<2x64xf16> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @extent(%t: tensor<8x64xf16>, %id: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{expected 2 coordinates over scatter_dimensions, from 8 for each of 4 consumers, but they are 4 (R9)}}
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [0], identity(%id : tensor<8x64xf16>)
      : <(tensor<8x64xf16>), groups = #one> -> tensor<4x64xf16> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @empty(%t: tensor<8x64xf16>, %id: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{scatter_dimensions is empty; list at least one dimension of 'tensor<8x64xf16>' (R9)}}
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [], identity(%id : tensor<8x64xf16>)
      : <(tensor<8x64xf16>), groups = #one> -> tensor<2x64xf16> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @order(%t: tensor<8x64xf16>, %id: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{scatter_dimensions is [1, 0]; dimensions ascend, each listed once (R9)}}
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [1, 0], identity(%id : tensor<8x64xf16>)
      : <(tensor<8x64xf16>), groups = #one> -> tensor<2x64xf16> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @range(%t: tensor<8x64xf16>, %id: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{scatter_dimensions lists dimension 2, but the partial 'tensor<8x64xf16>' has dimensions 0 to 1 (R9)}}
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [2], identity(%id : tensor<8x64xf16>)
      : <(tensor<8x64xf16>), groups = #one> -> tensor<2x64xf16> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @unlisted(%t: tensor<8x64xf16>, %id: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{dimension 1 changes, but no list of dimensions holds it}}
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [0], identity(%id : tensor<8x64xf16>)
      : <(tensor<8x64xf16>), groups = #one> -> tensor<2x16xf16> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @whole(%t: tensor<8x64xf16>, %id: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{dimension 0 of scatter_dimensions is 8, which is no multiple of 16}}
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [0, 1], identity(%id : tensor<8x64xf16>)
      : <(tensor<8x64xf16>), groups = #one> -> tensor<16x8xf16> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @rank(%t: tensor<8x64xf16>, %id: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{the rank stays the same}}
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [0], identity(%id : tensor<8x64xf16>)
      : <(tensor<8x64xf16>), groups = #one> -> tensor<128xf16> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @element(%t: tensor<8x64xf16>, %id: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{the element type stays the same}}
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [0], identity(%id : tensor<8x64xf16>)
      : <(tensor<8x64xf16>), groups = #one> -> tensor<2x64xf32> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @identity(%t: tensor<8x64xf16>, %other: tensor<2x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{failed to verify that identity types must match future partial types: identity is ('tensor<2x64xf16>'), the partials are ('tensor<8x64xf16>') (R11)}}
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [0], identity(%other : tensor<2x64xf16>)
      : <(tensor<8x64xf16>), groups = #one> -> tensor<2x64xf16> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
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

func.func @consumers(%t: tensor<8x64xf16>, %id: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #groups> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{group 0 has 1 consumers and group 1 has 2; slices have one type, so all groups have equally many (R9)}}
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #uneven, scatter_dimensions = [0], identity(%id : tensor<8x64xf16>)
      : <(tensor<8x64xf16>), groups = #groups> -> tensor<4x64xf16> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @roles(%t: tensor<8x64xf16>, %id: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8x64xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8x64xf16>
  }
  // expected-error @below {{has 2 results for 1 roles}}
  %r:2 = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #four, scatter_dimensions = [0], identity(%id : tensor<8x64xf16>)
      : <(tensor<8x64xf16>), groups = #one> -> tensor<2x64xf16>, tensor<2x64xf16> {
  ^bb0(%a: tensor<8x64xf16>, %b: tensor<8x64xf16>):
    %s = arith.addf %a, %b : tensor<8x64xf16>
    ktdp.yield_reduced %s : tensor<8x64xf16>
  }
  return
}
