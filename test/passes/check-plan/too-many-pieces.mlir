// RUN: not ktir-opt %s --ktir-check-plan 2>&1 | filecheck %s

// The op's verifier knows the result only, which has 4 sticks; the pass also knows the operand.

// CHECK: plan.kernel "cast" at {{.*}}too-many-pieces.mlir:[[#]]:[[#]]: split = 3 along dimension 0: there are only 2 units of 128 elements
func.func @main(%x: tensor<256xi1>) -> tensor<256xf16> {
  %r = plan.kernel "cast" split = [3] tile = [128] ins(%a = %x : tensor<256xi1>) -> (tensor<256xf16>) {
    %e = tensor.empty() : tensor<256xf16>
    %n = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
        ins(%a : tensor<256xi1>) outs(%e : tensor<256xf16>) {
      ^bb0(%i: i1, %o: f16):
        %p = arith.uitofp %i : i1 to f16
        linalg.yield %p : f16
    } -> tensor<256xf16>
    plan.yield %n : tensor<256xf16>
  }
  return %r : tensor<256xf16>
}
