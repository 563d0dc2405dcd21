// RUN: ktir-opt %s --ktir-group-kernels --ktir-distribute | filecheck %s

// A fill that an op reads as an input is work of its kernel, not an initial value, and needs no kernel of its own.

// CHECK: func.func @pointwise_0(%arg0: tensor<4x64xf32>
// CHECK: %[[F:.*]] = linalg.fill
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[F]]
// CHECK-NOT: func.func @fill
// CHECK: module @host
func.func @main(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %f = linalg.fill ins(%two : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %f : tensor<4x64xf32>, tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.addf %a, %b : f32
      linalg.yield %p : f32
  } -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}
