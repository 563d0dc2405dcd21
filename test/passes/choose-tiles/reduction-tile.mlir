// RUN: ktir-opt %s --ktir-choose-tiles="capacity=200000" | filecheck %s
// RUN: not ktir-opt %s --ktir-choose-tiles="capacity=4000" 2>&1 | filecheck %s --check-prefix=NONE

// The smallest tile needs 32 whole rows of the weights, 250 KiB: the reduction is cut in two, to whole sticks.

// CHECK: plan.kernel "matmul" split = [2, 1] tile = [1, 32] reduction_tile = 2048
// NONE: kernel matmul: no tile fits the scratchpad: the smallest, [1, 32] with reduction_tile 64, needs
func.func @main(%x: tensor<8x4000xf16>, %w: tensor<64x4000xf16>) -> tensor<8x64xf32> {
  %r = plan.kernel "matmul" split = [2, 1] tile = [4, 64] ins(%a = %x : tensor<8x4000xf16>, %b = %w : tensor<64x4000xf16>) -> (tensor<8x64xf32>) {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x64xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    %m = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<8x4000xf16>, tensor<64x4000xf16>) outs(%f : tensor<8x64xf32>) {
      ^bb0(%i: f16, %j: f16, %o: f32):
        %c = arith.extf %i : f16 to f32
        %d = arith.extf %j : f16 to f32
        %p = arith.mulf %c, %d : f32
        %s = arith.addf %o, %p : f32
        linalg.yield %s : f32
    } -> tensor<8x64xf32>
    plan.yield %m : tensor<8x64xf32>
  }
  return %r : tensor<8x64xf32>
}
