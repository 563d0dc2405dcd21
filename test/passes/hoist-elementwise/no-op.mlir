// RUN: ktir-opt %s --ktir-hoist-elementwise | filecheck %s

// Casts behind all arithmetic stay where the contraction takes them; a transpose that is no operand of one is left alone.

// CHECK-LABEL: func.func @cast
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<7x3xf16>) outs(%{{.*}} : tensor<3x7xf16>)
// CHECK: linalg.generic {{.*}} ins(%[[T]] : tensor<3x7xf16>) outs(%{{.*}} : tensor<3x7xf32>)
func.func @cast(%x: tensor<5x3xf32>, %w: tensor<7x3xf16>, %f: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<3x7xf16>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<7x3xf16>) outs(%e : tensor<3x7xf16>) {
    ^bb0(%i: f16, %o: f16):
      linalg.yield %i : f16
  } -> tensor<3x7xf16>
  %n = tensor.empty() : tensor<3x7xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<3x7xf16>) outs(%n : tensor<3x7xf32>) {
    ^bb0(%i: f16, %o: f32):
      %v = arith.extf %i : f16 to f32
      linalg.yield %v : f32
  } -> tensor<3x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %c : tensor<5x3xf32>, tensor<3x7xf32>) outs(%f : tensor<5x7xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %u = arith.addf %o, %p : f32
      linalg.yield %u : f32
  } -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @returned
// CHECK: tensor.expand_shape
// CHECK: arith.negf
func.func @returned(%x: tensor<6xf32>) -> tensor<2x3xf32> {
  %h = tensor.expand_shape %x [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
    ^bb0(%i: f32, %o: f32):
      %m = arith.negf %i : f32
      linalg.yield %m : f32
  } -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}
