// RUN: ktir-opt %s --ktir-group-kernels | filecheck %s

// The kernel that makes an inserted value stores it in place only after the kernel that fills the destination.

// CHECK: %[[F:.*]] = plan.kernel "fill_1"
// CHECK: %[[E:.*]] = plan.kernel "pointwise_0"
// CHECK: tensor.insert_slice %[[E]] into %[[F]]
func.func @main(%x: tensor<2x64xf32>) -> tensor<2x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x64xf32>) outs(%e : tensor<2x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %p = math.exp %a : f32
      linalg.yield %p : f32
  } -> tensor<2x64xf32>
  %d = tensor.empty() : tensor<2x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%d : tensor<2x128xf32>) -> tensor<2x128xf32>
  %r = tensor.insert_slice %y into %f[0, 64] [2, 64] [1, 1] : tensor<2x64xf32> into tensor<2x128xf32>
  return %r : tensor<2x128xf32>
}
