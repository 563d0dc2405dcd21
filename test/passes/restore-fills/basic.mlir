// RUN: ktir-opt %s --ktir-restore-fills | filecheck %s

#map = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>

// A scalar operand, and a scalar from outside.

// CHECK-LABEL: func.func @main
func.func @main() -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[C:.*]] = arith.constant 1.000000e+00 : f32
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  // CHECK-NOT: linalg.generic
  // CHECK: %[[A:.*]] = linalg.fill ins(%[[C]] : f32)
  %a = linalg.generic {indexing_maps = [#scalar, #map], iterator_types = ["parallel"]}
      ins(%c : f32) outs(%e : tensor<4xf32>) {
    ^bb0(%i: f32, %o: f32):
      linalg.yield %i : f32
  } -> tensor<4xf32>
  // CHECK: %[[B:.*]] = linalg.fill ins(%[[C]] : f32)
  %b = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
    ^bb0(%o: f32):
      linalg.yield %c : f32
  } -> tensor<4xf32>
  // CHECK: return %[[A]], %[[B]]
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
