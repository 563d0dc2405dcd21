// RUN: ktir-opt %s --ktir-compose-views --canonicalize | filecheck %s

// 4 x 5 merged and split into 2 x 10: both refine to 2 x 2 x 5.

// CHECK-LABEL: func.func @refined
// CHECK: %[[E:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2], [3]] output_shape [3, 2, 2, 5]
// CHECK: tensor.collapse_shape %[[E]] {{\[}}[0], [1], [2, 3]] : tensor<3x2x2x5xf16> into tensor<3x2x10xf16>
func.func @refined(%x: tensor<3x4x5xf16>) -> tensor<3x2x10xf16> {
  %c = tensor.collapse_shape %x [[0], [1, 2]] : tensor<3x4x5xf16> into tensor<3x20xf16>
  %r = tensor.expand_shape %c [[0], [1, 2]] output_shape [3, 2, 10] : tensor<3x20xf16> into tensor<3x2x10xf16>
  return %r : tensor<3x2x10xf16>
}

// 4 x 6 and 3 x 8 have no common refinement.

// CHECK-LABEL: func.func @unrelated
// CHECK: tensor.collapse_shape %{{.*}} into tensor<24xf16>
// CHECK: tensor.expand_shape
func.func @unrelated(%x: tensor<4x6xf16>) -> tensor<3x8xf16> {
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<4x6xf16> into tensor<24xf16>
  %r = tensor.expand_shape %c [[0, 1]] output_shape [3, 8] : tensor<24xf16> into tensor<3x8xf16>
  return %r : tensor<3x8xf16>
}

// Start values are made in their final shape.

// CHECK-LABEL: func.func @start
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x3xf16>
// CHECK: linalg.fill ins(%{{.*}} : f16) outs(%[[E]] : tensor<2x3xf16>)
// CHECK-NOT: tensor.expand_shape
func.func @start(%v: f16) -> tensor<2x3xf16> {
  %e = tensor.empty() : tensor<6xf16>
  %f = linalg.fill ins(%v : f16) outs(%e : tensor<6xf16>) -> tensor<6xf16>
  %r = tensor.expand_shape %f [[0, 1]] output_shape [2, 3] : tensor<6xf16> into tensor<2x3xf16>
  return %r : tensor<2x3xf16>
}

// A dimension of 1 that moves is dropped and added, not merged.

// CHECK-LABEL: func.func @units
// CHECK: %[[C:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0], [1], [2, 3]] : tensor<2x3x5x1xf16> into tensor<2x3x5xf16>
// CHECK: tensor.expand_shape %[[C]] {{\[}}[0], [1, 2], [3]] output_shape [2, 3, 1, 5]
func.func @units(%x: tensor<2x3x5x1xf16>) -> tensor<2x3x1x5xf16> {
  %c = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<2x3x5x1xf16> into tensor<6x5xf16>
  %r = tensor.expand_shape %c [[0, 1], [2, 3]] output_shape [2, 3, 1, 5] : tensor<6x5xf16> into tensor<2x3x1x5xf16>
  return %r : tensor<2x3x1x5xf16>
}
