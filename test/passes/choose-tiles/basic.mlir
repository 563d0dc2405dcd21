// RUN: ktir-opt %s --ktir-choose-tiles | filecheck %s
// RUN: ktir-opt %s --ktir-choose-tiles="capacity=100000" | filecheck %s --check-prefix=SMALL
// RUN: ktir-opt %s --ktir-choose-tiles=minimal | filecheck %s --check-prefix=MINIMAL
// RUN: not ktir-opt %s --ktir-choose-tiles="capacity=200" 2>&1 | filecheck %s --check-prefix=NONE

// A core's share is 128 x 4096 elements of 2 bytes, in and out.

// CHECK: plan.kernel "neg" split = [32, 1] tile = [64, 4096]
// SMALL: plan.kernel "neg" split = [32, 1] tile = [4, 4096]
// MINIMAL: plan.kernel "neg" split = [32, 1] tile = [128, 64]
// NONE: kernel neg: no tile fits the scratchpad: the smallest, [1, 64], needs 256 bytes and 200 are there
func.func @main(%x: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %r = plan.kernel "neg" split = [32, 1] tile = [128, 4096] ins(%a = %x : tensor<4096x4096xf16>) -> (tensor<4096x4096xf16>) {
    %e = tensor.empty() : tensor<4096x4096xf16>
    %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<4096x4096xf16>) outs(%e : tensor<4096x4096xf16>) {
      ^bb0(%i: f16, %o: f16):
        %p = arith.negf %i : f16
        linalg.yield %p : f16
    } -> tensor<4096x4096xf16>
    plan.yield %n : tensor<4096x4096xf16>
  }
  return %r : tensor<4096x4096xf16>
}
