// RUN: ktir-opt %s --ktir-insert-barriers | filecheck %s

// A barrier above the transpose and cast that shall fold in, none for an argument, one on the result.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<5x3xf16>, %[[W:.*]]: tensor<7x3xf16>
// CHECK: %[[N:.*]] = linalg.generic
// CHECK: arith.negf
// CHECK: %[[B:.*]] = call @ktir.barrier.0(%[[N]]) : (tensor<5x3xf16>) -> tensor<5x3xf16>
// CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[B]] : tensor<5x3xf16>)
// CHECK: arith.extf
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[W]] : tensor<7x3xf16>)
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[C]], %[[T]] : tensor<5x3xf32>, tensor<3x7xf32>)
// CHECK: %[[S:.*]] = call @ktir.barrier.1(%[[R]]) : (tensor<5x7xf32>) -> tensor<5x7xf32>
// CHECK: return %[[S]]
// CHECK-DAG: func.func private @ktir.barrier.0(tensor<5x3xf16>) -> tensor<5x3xf16>
// CHECK-DAG: func.func private @ktir.barrier.1(tensor<5x7xf32>) -> tensor<5x7xf32>
func.func @main(%x: tensor<5x3xf16>, %w: tensor<7x3xf16>) -> tensor<5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x3xf16>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x3xf16>) outs(%e : tensor<5x3xf16>) {
    ^bb0(%i: f16, %o: f16):
      %v = arith.negf %i : f16
      linalg.yield %v : f16
  } -> tensor<5x3xf16>
  %g = tensor.empty() : tensor<5x3xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<5x3xf16>) outs(%g : tensor<5x3xf32>) {
    ^bb0(%i: f16, %o: f32):
      %v = arith.extf %i : f16 to f32
      linalg.yield %v : f32
  } -> tensor<5x3xf32>
  %h = tensor.empty() : tensor<3x7xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<7x3xf16>) outs(%h : tensor<3x7xf32>) {
    ^bb0(%i: f16, %o: f32):
      %v = arith.extf %i : f16 to f32
      linalg.yield %v : f32
  } -> tensor<3x7xf32>
  %k = tensor.empty() : tensor<5x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%k : tensor<5x7xf32>) -> tensor<5x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%c, %t : tensor<5x3xf32>, tensor<3x7xf32>) outs(%f : tensor<5x7xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %u = arith.addf %o, %p : f32
      linalg.yield %u : f32
  } -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}
