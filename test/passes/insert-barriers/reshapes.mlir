// RUN: ktir-opt %s --ktir-insert-barriers | filecheck %s

#map2 = affine_map<(i, j) -> (i, j)>
#map4 = affine_map<(i, j, k, l) -> (i, j, k, l)>

// A split of rows and of the last dimension at once becomes two; only that of the last gets a barrier.

// CHECK-LABEL: func.func @split
// CHECK: arith.negf
// CHECK: %[[L:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [2, 3, 8]
// CHECK: %[[B:.*]] = call @ktir.barrier.{{[0-9]}}(%[[L]])
// CHECK: tensor.expand_shape %[[B]] {{\[}}[0], [1], [2, 3]] output_shape [2, 3, 4, 2]
func.func @split(%x: tensor<6x8xf16>) -> tensor<2x3x4x2xf16> {
  %e = tensor.empty() : tensor<6x8xf16>
  %n = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x8xf16>) outs(%e : tensor<6x8xf16>) {
    ^bb0(%i: f16, %o: f16):
      %v = arith.negf %i : f16
      linalg.yield %v : f16
  } -> tensor<6x8xf16>
  %r = tensor.expand_shape %n [[0, 1], [2, 3]] output_shape [2, 3, 4, 2] : tensor<6x8xf16> into tensor<2x3x4x2xf16>
  return %r : tensor<2x3x4x2xf16>
}

// CHECK-LABEL: func.func @merge
// CHECK: %[[L:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0], [1], [2, 3]] : tensor<2x3x4x2xf16> into tensor<2x3x8xf16>
// CHECK: %[[B:.*]] = call @ktir.barrier.{{[0-9]}}(%[[L]])
// CHECK: tensor.collapse_shape %[[B]] {{\[}}[0, 1], [2]] : tensor<2x3x8xf16> into tensor<6x8xf16>
func.func @merge(%x: tensor<2x3x4x2xf16>) -> tensor<6x8xf16> {
  %c = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<2x3x4x2xf16> into tensor<6x8xf16>
  %e = tensor.empty() : tensor<6x8xf16>
  %n = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<6x8xf16>) outs(%e : tensor<6x8xf16>) {
    ^bb0(%i: f16, %o: f16):
      %v = arith.negf %i : f16
      linalg.yield %v : f16
  } -> tensor<6x8xf16>
  return %n : tensor<6x8xf16>
}
