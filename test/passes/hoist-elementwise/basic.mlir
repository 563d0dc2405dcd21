// RUN: ktir-opt %s --ktir-hoist-elementwise | filecheck %s

// The scale of attention's keys is taken before they are split into heads and transposed.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[K:.*]]: tensor<4x6xf32>, %[[Q:.*]]: tensor<2x5x3xf32>
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[K]] : tensor<4x6xf32>)
// CHECK: arith.mulf
// CHECK: %[[H:.*]] = tensor.expand_shape %[[S]]
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[H]] : tensor<4x2x3xf32>) outs(%{{.*}} : tensor<2x3x4xf32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: linalg.yield %in
// CHECK: linalg.generic {{.*}} ins(%[[Q]], %[[T]] : tensor<2x5x3xf32>, tensor<2x3x4xf32>)
func.func @main(%k: tensor<4x6xf32>, %q: tensor<2x5x3xf32>) -> tensor<2x5x4xf32> {
  %scale = arith.constant 0.25 : f32
  %zero = arith.constant 0.0 : f32
  %h = tensor.expand_shape %k [[0], [1, 2]] output_shape [4, 2, 3] : tensor<4x6xf32> into tensor<4x2x3xf32>
  %e = tensor.empty() : tensor<2x3x4xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (c, a, b)>, affine_map<(a, b, c) -> (a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h : tensor<4x2x3xf32>) outs(%e : tensor<2x3x4xf32>) {
    ^bb0(%i: f32, %o: f32):
      linalg.yield %i : f32
  } -> tensor<2x3x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) {
    ^bb0(%i: f32, %o: f32):
      %m = arith.mulf %i, %scale : f32
      linalg.yield %m : f32
  } -> tensor<2x3x4xf32>
  %n = tensor.empty() : tensor<2x5x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%n : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
                                        affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %s : tensor<2x5x3xf32>, tensor<2x3x4xf32>) outs(%f : tensor<2x5x4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %u = arith.addf %o, %p : f32
      linalg.yield %u : f32
  } -> tensor<2x5x4xf32>
  return %r : tensor<2x5x4xf32>
}
