// RUN: ktir-opt %s --ktir-promote-accumulators | filecheck %s

// The product is taken in f32 as well, and the result rounded once.

// CHECK-LABEL: func.func @main
// CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[F:.*]] = linalg.fill ins(%[[Z]] : f32) outs(%{{.*}} : tensor<5x7xf32>)
// CHECK: %[[W:.*]] = linalg.generic
// CHECK-SAME: ins(%{{.*}} : tensor<5x3xf16>, tensor<7x3xf16>) outs(%[[F]] : tensor<5x7xf32>)
// CHECK-DAG: %[[A:.*]] = arith.extf %in : f16 to f32
// CHECK-DAG: %[[B:.*]] = arith.extf %in_{{.*}} : f16 to f32
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK: arith.addf %{{.*}}, %[[P]] : f32
// CHECK: linalg.generic {{.*}} ins(%[[W]] : tensor<5x7xf32>)
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @main(%x: tensor<5x3xf16>, %w: tensor<7x3xf16>) -> tensor<5x7xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<5x7xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<5x7xf16>) -> tensor<5x7xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x3xf16>, tensor<7x3xf16>) outs(%f : tensor<5x7xf16>) {
    ^bb0(%a: f16, %b: f16, %o: f16):
      %p = arith.mulf %a, %b : f16
      %s = arith.addf %o, %p : f16
      linalg.yield %s : f16
  } -> tensor<5x7xf16>
  return %r : tensor<5x7xf16>
}
