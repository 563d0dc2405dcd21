// RUN: ktir-opt %s --ktir-distribute | filecheck %s

// The reduction, padded to 4 pieces of 1024, becomes a loop in which a piece of each operand is read, no more.

// CHECK: func.func @matmul(%[[X:.*]]: tensor<8x4096xf16> {tiling.valid = array<i64: 8, 4000>}, %[[W:.*]]: tensor<64x4096xf16> {tiling.valid = array<i64: 64, 4000>})
// CHECK: scf.forall (%[[I:.*]]) = (0) to (8) step (4)
// CHECK: scf.for %[[K:.*]] = %c0 to %c4096 step %c1024 iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<4x64xf32>)
// CHECK-DAG: tensor.extract_slice %[[X]][%[[I]], %[[K]]] [4, 1024] [1, 1]
// CHECK-DAG: tensor.extract_slice %[[W]][0, %[[K]]] [64, 1024] [1, 1]
// CHECK: linalg.generic {{.*}} outs(%[[SUM]]
// CHECK: scf.yield
func.func @main(%x: tensor<8x4000xf16>, %w: tensor<64x4000xf16>) -> tensor<8x64xf32> {
  %r = plan.kernel "matmul" split = [2, 1] tile = [4, 64] reduction_tile = 1024 ins(%a = %x : tensor<8x4000xf16>, %b = %w : tensor<64x4000xf16>) -> (tensor<8x64xf32>) {
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
