// RUN: ktir-opt %s --ktir-split-gathers | filecheck %s

// A gather in its final form, and a generic without one.

// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: linalg.generic
// CHECK: tensor.extract
// CHECK-NOT: linalg.generic
func.func @main(%t: tensor<9x4xf16>, %ids: tensor<5xi64>) -> tensor<5xf16> {
  %three = arith.constant 3 : index
  %e = tensor.empty() : tensor<5xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<5xi64>) outs(%e : tensor<5xf16>) {
    ^bb0(%id: i64, %o: f16):
      %i = arith.index_cast %id : i64 to index
      %v = tensor.extract %t[%i, %three] : tensor<9x4xf16>
      linalg.yield %v : f16
  } -> tensor<5xf16>
  return %r : tensor<5xf16>
}
