// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt --mlir-print-op-generic %s | ktir-opt | filecheck %s
// RUN: ktir-opt --emit-bytecode %s | ktir-opt | filecheck %s
// Both spellings are read; the one with parentheses is printed.

#one = affine_set<(g) : (g == 0)>

// CHECK-DAG: #[[ONE:.*]] = affine_set<(d0) : (d0 == 0)>

// CHECK-LABEL: @one_role
// CHECK-SAME: !ktdp.tile_future<(tensor<1x64xf16>), groups = #[[ONE]]>
func.func private @one_role(!ktdp.tile_future<(tensor<1x64xf16>), groups = #one>)

// CHECK-LABEL: @bare
// CHECK-SAME: !ktdp.tile_future<(tensor<1x64xf16>), groups = #[[ONE]]>
func.func private @bare(!ktdp.tile_future<tensor<1x64xf16>, groups = affine_set<(g) : (g == 0)>>)

// CHECK-LABEL: @no_keyword
// CHECK-SAME: !ktdp.tile_future<(tensor<8xf32>, tensor<8xi32>), groups = #[[ONE]]>
func.func private @no_keyword(!ktdp.tile_future<tensor<8xf32>, tensor<8xi32>, #one>)
