// RUN: not ktir-opt %s --ktir-check-plan 2>&1 | filecheck %s

// CHECK: plan.kernel "neg" at {{.*}}nothing-left.mlir:[[#]]:[[#]]: tile = 64 of dimension 0 leaves nothing to the other 3 of its 4 cores
func.func @main(%x: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %r = plan.kernel "neg" split = [4, 1] tile = [64, 128] ins(%a = %x : tensor<64x128xf16>) -> (tensor<64x128xf16>) {
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
