// RUN: ktir-opt %s --ktir-insert-barriers | filecheck %s

// What a gather reads by data keeps apart from what uses it.

// CHECK-LABEL: func.func @main
// CHECK: %[[G:.*]] = linalg.generic
// CHECK: tensor.extract
// CHECK: call @ktir.barrier.0(%[[G]]) : (tensor<5x8xf16>) -> tensor<5x8xf16>
func.func @main(%table: tensor<37x8xf16>, %ids: tensor<5xi64>) -> tensor<5x8xf16> {
  %e = tensor.empty() : tensor<5x8xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<5xi64>) outs(%e : tensor<5x8xf16>) {
    ^bb0(%id: i64, %o: f16):
      %i = arith.index_cast %id : i64 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %table[%i, %j] : tensor<37x8xf16>
      linalg.yield %v : f16
  } -> tensor<5x8xf16>
  return %r : tensor<5x8xf16>
}
