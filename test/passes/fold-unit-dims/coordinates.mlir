// RUN: ktir-opt %s --ktir-fold-unit-dims | filecheck %s

// Dropping a loop renumbers the coordinates that the body reads; the dropped one is 0.

// CHECK-LABEL: func.func @main
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} outs(%{{.*}} : tensor<8xi64>)
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[J:.*]] = linalg.index 0 : index
// CHECK: arith.addi %[[ZERO]], %[[J]] : index
// CHECK: %[[R:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [1, 8]
// CHECK: return %[[R]]
func.func @main() -> tensor<1x8xi64> {
  %e = tensor.empty() : tensor<1x8xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<1x8xi64>) {
    ^bb0(%o: i64):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %s = arith.addi %i, %j : index
      %c = arith.index_cast %s : index to i64
      linalg.yield %c : i64
  } -> tensor<1x8xi64>
  return %r : tensor<1x8xi64>
}
