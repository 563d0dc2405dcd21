// RUN: ktir-opt %s --ktir-sink-collapses | filecheck %s

#mn = affine_map<(m, n) -> (m, n)>

// A merge of the last dimension changes what a stick holds; a body that reads coordinates counts merged rows.

// CHECK-LABEL: func.func @last
// CHECK: tensor.collapse_shape
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x6xf32>)
func.func @last(%x: tensor<4x2x3xf32>) -> tensor<4x6xf32> {
  %c = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x2x3xf32> into tensor<4x6xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %r = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
    ^bb0(%i: f32, %o: f32):
      %n = arith.negf %i : f32
      linalg.yield %n : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @coordinates
// CHECK: tensor.collapse_shape
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<6x8xi64>)
func.func @coordinates(%x: tensor<2x3x8xi64>) -> tensor<6x8xi64> {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xi64> into tensor<6x8xi64>
  %e = tensor.empty() : tensor<6x8xi64>
  %r = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<6x8xi64>) outs(%e : tensor<6x8xi64>) {
    ^bb0(%i: i64, %o: i64):
      %m = linalg.index 0 : index
      %d = arith.index_cast %m : index to i64
      %s = arith.addi %i, %d : i64
      linalg.yield %s : i64
  } -> tensor<6x8xi64>
  return %r : tensor<6x8xi64>
}
