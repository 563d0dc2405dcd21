// RUN: ktir-opt %s --ktir-distribute | filecheck %s

// 10 rows over 4 cores are blocks of 3, padded to 12; the last dimension stays whole.

// CHECK: module @kernels
// CHECK: func.func @neg(%arg0: tensor<12x67xf16> {tiling.valid = array<i64: 10, 67>}) -> (tensor<12x67xf16> {tiling.valid = array<i64: 10, 67>})
// CHECK-SAME: tiling.cut_dims = array<i64: 0>
// CHECK: scf.forall (%[[I:.*]]) = (0) to (12) step (3)
// CHECK: tensor.extract_slice %arg0[%[[I]], 0] [3, 67] [1, 1]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[I]], 0] [3, 67] [1, 1]
// CHECK: module @host
// CHECK: func.func private @neg(tensor<10x67xf16>) -> tensor<10x67xf16>
// CHECK: func.func @main(%arg0: tensor<10x67xf16>) -> tensor<10x67xf16>
// CHECK: call @neg(%arg0)
func.func @main(%x: tensor<10x67xf16>) -> tensor<10x67xf16> {
  %r = plan.kernel "neg" split = [4, 1] tile = [3, 67] ins(%a = %x : tensor<10x67xf16>) -> (tensor<10x67xf16>) {
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
