// RUN: ktir-opt %s --ktir-sink-collapses | filecheck %s

#mn = affine_map<(m, n) -> (m, n)>

// The merge of batch and rows passes a sum with two users and what reads both.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<2x3x8xf32>
// CHECK: %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]] : tensor<2x3x8xf32>)
// CHECK-SAME: outs(%{{.*}} : tensor<2x3xf32>)
// CHECK: %[[R:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK-SAME: ins(%[[X]], %[[S]] : tensor<2x3x8xf32>, tensor<2x3xf32>)
// CHECK: tensor.collapse_shape %[[R]] {{\[}}[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
func.func @main(%x: tensor<2x3x8xf32>) -> tensor<6x8xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [#mn, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<6x8xf32>) outs(%f : tensor<6xf32>) {
    ^bb0(%i: f32, %o: f32):
      %a = arith.addf %i, %o : f32
      linalg.yield %a : f32
  } -> tensor<6xf32>
  %n = tensor.empty() : tensor<6x8xf32>
  %r = linalg.generic {indexing_maps = [#mn, affine_map<(m, n) -> (m)>, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%c, %s : tensor<6x8xf32>, tensor<6xf32>) outs(%n : tensor<6x8xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %d = arith.divf %i, %j : f32
      linalg.yield %d : f32
  } -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}
