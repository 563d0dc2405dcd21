// RUN: not ktir-opt %s --ktir-check-plan 2>&1 | filecheck %s

// The unit of a dimension is the widest stick of any tensor that has it last: here i1, 128 elements.

// CHECK: tile = 64 of dimension 0 is not a multiple of its unit, 128 elements (a stick), nor the whole extent 256
func.func @main(%x: tensor<256xi1>) -> tensor<256xf16> {
  %r = plan.kernel "cast" split = [1] tile = [64] ins(%a = %x : tensor<256xi1>) -> (tensor<256xf16>) {
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
