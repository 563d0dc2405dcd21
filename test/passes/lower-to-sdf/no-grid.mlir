// RUN: ktir-opt %s --split-input-file --verify-diagnostics --ktir-lower-to-sdf | filecheck %s

// A kernel that states no grid is for one core; exchanges that need more are refused.

// CHECK-LABEL: sdf.program @alone
// CHECK-SAME: grid [1]
func.func @alone() {
  %id = ktdp.get_compute_tile_id : index
  return
}

// -----

#some = affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>

// expected-error @below {{kernel @gather does not fit grid [1], meant where none is stated: }}
module {
  func.func @gather(%t: tensor<2xf16>) {
    %f = ktdp.inter_tile_produce producer_tiles_per_group = #some -> <(tensor<2xf16>), groups = #one> {
    ^bb0(%gid: index):
      ktdp.yield_partial %t : tensor<2xf16>
    }
    %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #some, gather_dimensions = [0]
        : <(tensor<2xf16>), groups = #one> -> tensor<8xf16>
    return
  }
}
