// RUN: ktir-opt %s --ktir-check-plan | filecheck %s
// RUN: not ktir-opt %s --ktir-check-plan="cores=8" 2>&1 | filecheck %s --check-prefix=CORES
// RUN: not ktir-opt %s --ktir-check-plan="capacity=1000" 2>&1 | filecheck %s --check-prefix=SPACE

// CHECK: plan.kernel "neg" split = [16, 2] tile = [4, 64]
// CORES: split [16, 2] uses 32 cores, there are 8
// SPACE: tile = [4, 64] does not fit the scratchpad
func.func @main(%x: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %r = plan.kernel "neg" split = [16, 2] tile = [4, 64] ins(%a = %x : tensor<64x128xf16>) -> (tensor<64x128xf16>) {
    %e = tensor.empty() : tensor<64x128xf16>
    %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<64x128xf16>) outs(%e : tensor<64x128xf16>) {
      ^bb0(%i: f16, %o: f16):
        %p = arith.negf %i : f16
        linalg.yield %p : f16
    } -> tensor<64x128xf16>
    plan.yield %n : tensor<64x128xf16>
  }
  return %r : tensor<64x128xf16>
}
