// RUN: ktir-opt %s --ktir-group-kernels | filecheck %s

// A product of a value with itself reads it through two maps: two operands, for their rows run with different loops.

// CHECK: plan.kernel "matmul_0" {{.*}} ins(%[[A:.*]] = %arg0 : tensor<9x64xf32>, %[[B:.*]] = %arg0 : tensor<9x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]] :
func.func @main(%x: tensor<9x64xf32>) -> tensor<9x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<9x9xf32>) -> tensor<9x9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<9x64xf32>, tensor<9x64xf32>) outs(%f : tensor<9x9xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
  } -> tensor<9x9xf32>
  return %r : tensor<9x9xf32>
}
