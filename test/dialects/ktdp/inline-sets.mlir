// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt --mlir-print-local-scope %s | ktir-opt | filecheck %s
// Sets are written out inside types, also where they compare.

// CHECK: #[[TWO:.*]] = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>

// CHECK: func.func private @compares(!ktdp.tile_future<(tensor<8xf16>), groups = #[[TWO]]>)
func.func private @compares(!ktdp.tile_future<tensor<8xf16>, groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>>)

// CHECK-LABEL: func.func @lines
// CHECK-SAME: !ktdp.tile_future<(tensor<8xf16>, tensor<8xi32>), groups = #[[TWO]]>
func.func @lines(%f: !ktdp.tile_future<(tensor<8xf16>, tensor<8xi32>), groups = affine_set<(g)
                        : (g >= 0, -g + 1 >= 0)>>, %inline0: index) attributes {a = #inline0} {
  return
}
#inline0 = affine_map<(d0) -> (d0)>
