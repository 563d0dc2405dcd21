// RUN: ktir-opt %s --ktir-divide-work | filecheck %s
// RUN: ktir-opt %s --ktir-divide-work="cores=4" | filecheck %s --check-prefix=CORES4
// RUN: ktir-opt %s --ktir-divide-work="cores=1" | filecheck %s --check-prefix=CORES1

// 67 elements are two sticks: the last dimension is divided in sticks, the first in rows.

// CHECK: plan.kernel "neg" split = [10, 2] tile = [1, 64]
// CORES4: plan.kernel "neg" split = [2, 2] tile = [5, 64]
// CORES1: plan.kernel "neg" split = [1, 1] tile = [10, 67]
func.func @main(%x: tensor<10x67xf16>) -> tensor<10x67xf16> {
  %r = plan.kernel "neg" split = [1, 1] tile = [10, 67] ins(%a = %x : tensor<10x67xf16>) -> (tensor<10x67xf16>) {
    %e = tensor.empty() : tensor<10x67xf16>
    %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<10x67xf16>) outs(%e : tensor<10x67xf16>) {
      ^bb0(%i: f16, %o: f16):
        %p = arith.negf %i : f16
        linalg.yield %p : f16
    } -> tensor<10x67xf16>
    plan.yield %n : tensor<10x67xf16>
  }
  return %r : tensor<10x67xf16>
}
