// RUN: ktir-opt %s --ktir-merge-operands | filecheck %s

#all = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>

// One tensor with one map is named once, with another map again; what nothing reads goes.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf16>, %[[Y:.*]]: tensor<4x4xf16>
// CHECK: linalg.generic {indexing_maps = [#[[A:.*]], #[[B:.*]], #[[A]]]
// CHECK-SAME: ins(%[[X]], %[[X]] : tensor<4x4xf16>, tensor<4x4xf16>)
// CHECK-NEXT: ^bb0(%[[I:.*]]: f16, %[[J:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[I]], %[[I]]
// CHECK-NEXT: arith.mulf %[[S]], %[[J]]
func.func @main(%x: tensor<4x4xf16>, %y: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %e = tensor.empty() : tensor<4x4xf16>
  %r = linalg.generic {indexing_maps = [#all, #all, #swap, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x, %x, %y : tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>) outs(%e : tensor<4x4xf16>) {
    ^bb0(%a: f16, %b: f16, %c: f16, %d: f16, %o: f16):
      %s = arith.addf %a, %b : f16
      %m = arith.mulf %s, %c : f16
      linalg.yield %m : f16
  } -> tensor<4x4xf16>
  return %r : tensor<4x4xf16>
}
