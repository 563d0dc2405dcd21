// RUN: ktir-opt %s --split-input-file --verify-diagnostics

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @identity(%t: tensor<8xf16>, %id: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{failed to verify that identity types must match result types: identity is ('tensor<8xf16>', 'tensor<8xf16>'), the partials are ('tensor<8xf16>') (R11)}}
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #four, identity(%t, %t : tensor<8xf16>, tensor<8xf16>)
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16> {
  ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
    %s = arith.addf %a, %b : tensor<8xf16>
    ktdp.yield_reduced %s : tensor<8xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @result(%t: tensor<8xf16>, %id: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{failed to verify that result types must match future partial types: results are ('tensor<4xf16>')}}
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #four, identity(%id : tensor<8xf16>)
      : <(tensor<8xf16>), groups = #one> -> tensor<4xf16> {
  ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
    %s = arith.addf %a, %b : tensor<8xf16>
    ktdp.yield_reduced %s : tensor<8xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @rank(%t: tensor<1x8xf16>, %id: tensor<1x8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<1x8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<1x8xf16>
  }
  // expected-error @below {{failed to verify that result types must match future partial types}}
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #four, identity(%id : tensor<1x8xf16>)
      : <(tensor<1x8xf16>), groups = #one> -> tensor<8xf16> {
  ^bb0(%a: tensor<1x8xf16>, %b: tensor<1x8xf16>):
    %s = arith.addf %a, %b : tensor<1x8xf16>
    ktdp.yield_reduced %s : tensor<1x8xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @no_unit(%t: tensor<2x8xf16>, %id: tensor<2x8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<2x8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<2x8xf16>
  }
  // expected-error @below {{failed to verify that result types must match future partial types}}
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #four, identity(%id : tensor<2x8xf16>)
      : <tensor<2x8xf16>, groups = #one> -> tensor<8xf16> {
  ^bb0(%a: tensor<2x8xf16>, %b: tensor<2x8xf16>):
    %s = arith.addf %a, %b : tensor<2x8xf16>
    ktdp.yield_reduced %s : tensor<2x8xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @subset(%t: tensor<8xf16>, %id: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #two -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{consumer_tiles_per_group for group 0 is not a subset of producer_tiles_per_group: tile 2 consumes, but the producers are {0, 1} (R13)}}
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #four, identity(%id : tensor<8xf16>)
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16> {
  ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
    %s = arith.addf %a, %b : tensor<8xf16>
    ktdp.yield_reduced %s : tensor<8xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @mode(%t: tensor<8xf16>, %id: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{reduce-to-subset is unsupported; only all-reduce and reduce-to-one are supported: in group 0 the consumers are {0, 1} and the producers {0, 1, 2, 3} (R14)}}
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #two, identity(%id : tensor<8xf16>)
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16> {
  ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
    %s = arith.addf %a, %b : tensor<8xf16>
    ktdp.yield_reduced %s : tensor<8xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#dep = affine_set<(p)[c] : (p - c >= 0, -p + c + 1 >= 0)>

func.func @outside(%t: tensor<8xf16>, %id: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #two -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{producer_dependency_per_consumer names tile 2 for consumer tile 1 of group 0, but the producers of that group are {0, 1} (R3)}}
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #two,
      producer_dependency_per_consumer = #dep, identity(%id : tensor<8xf16>)
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16> {
  ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
    %s = arith.addf %a, %b : tensor<8xf16>
    ktdp.yield_reduced %s : tensor<8xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#dep = affine_set<(p)[c] : (p == 0)>

func.func @idle(%t: tensor<8xf16>, %id: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #two -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{does not cover producer tile 1 (no consumer has it as a dependency); the consumers are {0, 1} (R4)}}
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #two,
      producer_dependency_per_consumer = #dep, identity(%id : tensor<8xf16>)
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16> {
  ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
    %s = arith.addf %a, %b : tensor<8xf16>
    ktdp.yield_reduced %s : tensor<8xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func private @effect(tensor<8xf16>) -> tensor<8xf16>

func.func @effect(%t: tensor<8xf16>, %id: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{combines with 'func.call', which may have a memory effect; a combiner is pure (R10)}}
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #four, identity(%id : tensor<8xf16>)
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16> {
  ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
    %s = func.call @effect(%a) : (tensor<8xf16>) -> tensor<8xf16>
    ktdp.yield_reduced %s : tensor<8xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @nested_effect(%t: tensor<8xf16>, %id: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{combines with 'scf.if', which may have a memory effect; a combiner is pure (R10)}}
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #four, identity(%id : tensor<8xf16>)
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16> {
  ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
    %true = arith.constant true
    scf.if %true {
      %m = memref.alloc() : memref<8xf16>
      memref.dealloc %m : memref<8xf16>
    }
    ktdp.yield_reduced %a : tensor<8xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @arguments(%t: tensor<8xf16>, %id: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{region takes ('tensor<8xf16>'), expected ('tensor<8xf16>', 'tensor<8xf16>'): the partials of the left side, then those of the right}}
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #four, identity(%id : tensor<8xf16>)
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16> {
  ^bb0(%a: tensor<8xf16>):
    ktdp.yield_reduced %a : tensor<8xf16>
  }
  return
}

// -----

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#two = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#three = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#four = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @yield(%t: tensor<8xf16>, %id: tensor<8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #four -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  // expected-error @below {{yield_reduced yields 2 values but the future carries 1 partial type(s)}}
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #four, identity(%id : tensor<8xf16>)
      : <(tensor<8xf16>), groups = #one> -> tensor<8xf16> {
  ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
    ktdp.yield_reduced %a, %b : tensor<8xf16>, tensor<8xf16>
  }
  return
}
