// RUN: ktir-opt %s --ktir-check-legality | filecheck %s

// Kernels of all dialects that the level holds pass unchanged, in one module or several.

#all = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#one = affine_set<(g) : (g == 0)>
#id = affine_map<(d0) -> (d0)>

module {
  // CHECK-LABEL: func.func @sum
  func.func @sum(%part: tensor<8xf16>, %zero: tensor<8xf16>) -> tensor<8xf16> {
    // CHECK: ktdp.inter_tile_produce
    %f = ktdp.inter_tile_produce producer_tiles_per_group = #all -> <(tensor<8xf16>), groups = #one> {
    ^bb0(%gid: index):
      ktdp.yield_partial %part : tensor<8xf16>
    }
    // CHECK: ktdp.inter_tile_reduce
    %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #all, identity(%zero : tensor<8xf16>)
        : <(tensor<8xf16>), groups = #one> -> tensor<8xf16> {
    ^bb0(%a: tensor<8xf16>, %b: tensor<8xf16>):
      %c = linalg.add ins(%a, %b : tensor<8xf16>, tensor<8xf16>) outs(%a : tensor<8xf16>) -> tensor<8xf16>
      ktdp.yield_reduced %c : tensor<8xf16>
    }
    return %r : tensor<8xf16>
  }
}

module {
  // CHECK-LABEL: func.func @silu
  func.func @silu(%x: tensor<8xf16>, %out: tensor<8xf16>) -> tensor<8xf16> {
    // CHECK: spyreop.silu
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<8xf16>) outs(%out : tensor<8xf16>) {
    ^bb0(%in: f16, %old: f16):
      %s = spyreop.silu %in : f16
      linalg.yield %s : f16
    } -> tensor<8xf16>
    return %y : tensor<8xf16>
  }
}
