// RUN: ktir-opt %s --ktir-group-kernels | filecheck %s --check-prefix=CORES32
// RUN: ktir-opt %s --ktir-group-kernels="cores=2" | filecheck %s --check-prefix=CORES2

// Joining a long single-row reduction to its elementwise producer would leave one core; with few cores that costs nothing.

// CORES32: plan.kernel "pointwise_0"
// CORES32: plan.kernel "reduce_1"
// CORES2: plan.kernel "reduce_0"
// CORES2-NOT: plan.kernel
func.func @main(%x: tensor<1x4096xf32>) -> tensor<1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4096xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1x4096xf32>) outs(%e : tensor<1x4096xf32>) {
    ^bb0(%a: f32, %o: f32):
      %p = math.exp %a : f32
      linalg.yield %p : f32
  } -> tensor<1x4096xf32>
  %e1 = tensor.empty() : tensor<1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1xf32>) -> tensor<1xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<1x4096xf32>) outs(%f : tensor<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %p = arith.addf %a, %o : f32
      linalg.yield %p : f32
  } -> tensor<1xf32>
  return %s : tensor<1xf32>
}
