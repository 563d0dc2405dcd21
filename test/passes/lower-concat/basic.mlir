// RUN: ktir-opt %s --ktir-lower-concat | filecheck %s

// One write a piece, each at the sum of the extents before it.

// CHECK-LABEL: func.func @columns
// CHECK-SAME: %[[A:.*]]: tensor<2x4xf16>, %[[B:.*]]: tensor<2x1xf16>, %[[C:.*]]: tensor<2x3xf16>
func.func @columns(%a: tensor<2x4xf16>, %b: tensor<2x1xf16>, %c: tensor<2x3xf16>) -> tensor<2x8xf16> {
  // CHECK-NOT: tensor.concat
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<2x8xf16>
  // CHECK: %[[R0:.*]] = tensor.insert_slice %[[A]] into %[[E]][0, 0] [2, 4] [1, 1]
  // CHECK: %[[R1:.*]] = tensor.insert_slice %[[B]] into %[[R0]][0, 4] [2, 1] [1, 1]
  // CHECK: %[[R2:.*]] = tensor.insert_slice %[[C]] into %[[R1]][0, 5] [2, 3] [1, 1]
  // CHECK: return %[[R2]]
  %r = tensor.concat dim(1) %a, %b, %c : (tensor<2x4xf16>, tensor<2x1xf16>, tensor<2x3xf16>) -> tensor<2x8xf16>
  return %r : tensor<2x8xf16>
}

// A piece without elements is dropped.

// CHECK-LABEL: func.func @empty_piece
// CHECK-SAME: %[[A:.*]]: tensor<0x4xf16>, %[[B:.*]]: tensor<2x4xf16>
func.func @empty_piece(%a: tensor<0x4xf16>, %b: tensor<2x4xf16>) -> tensor<2x4xf16> {
  // CHECK: %[[R:.*]] = tensor.insert_slice %[[B]] into %{{.*}}[0, 0] [2, 4] [1, 1]
  // CHECK-NOT: insert_slice
  // CHECK: return %[[R]]
  %r = tensor.concat dim(0) %a, %b : (tensor<0x4xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
  return %r : tensor<2x4xf16>
}

// A piece that is only cast to a dynamic shape is taken as it was.

// CHECK-LABEL: func.func @cast
// CHECK-SAME: %[[A:.*]]: tensor<2x4xf16>
func.func @cast(%a: tensor<2x4xf16>) -> tensor<4x4xf16> {
  // CHECK: %[[R0:.*]] = tensor.insert_slice %[[A]] into %{{.*}}[0, 0] [2, 4] [1, 1]
  // CHECK: tensor.insert_slice %[[A]] into %[[R0]][2, 0] [2, 4] [1, 1]
  %c = tensor.cast %a : tensor<2x4xf16> to tensor<?x4xf16>
  %r = tensor.concat dim(0) %c, %c : (tensor<?x4xf16>, tensor<?x4xf16>) -> tensor<4x4xf16>
  return %r : tensor<4x4xf16>
}
