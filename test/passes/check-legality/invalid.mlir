// RUN: ktir-opt %s --split-input-file --verify-diagnostics --ktir-check-legality

// expected-error @below {{level ktir: found 'complex.re' at kernel.py:7, where only ops of affine, arith, bufferization, cf, func}}
module {
  func.func @part(%x: complex<f32>) -> f32 {
    %y = complex.re %x : complex<f32> loc("kernel.py":7:0)
    return %y : f32
  }
}

// -----

// expected-error @below {{level ktir: there is nothing to run; expected kernels (a func.func with a body)}}
module {
  func.func private @declared(index)
}

// -----

// What the ops' verifiers refuse is not asked again.

#first = affine_set<(i)[g] : (i - 4 * g == 0)>
#all = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

func.func @two_users(%t: tensor<8xf16>) {
  // expected-error @below {{future result must have exactly one use}}
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #first -> <(tensor<8xf16>), groups = #one> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<8xf16>
  }
  %a = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #all : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  %b = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #all : <(tensor<8xf16>), groups = #one> -> tensor<8xf16>
  return
}
