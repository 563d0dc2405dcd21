// RUN: not ktir-opt %s --ktir-check-plan 2>&1 | filecheck %s

// CHECK: plan.kernel "sum" at {{.*}}reduction.mlir:[[#]]:[[#]]: split = 1, tile = 64 cuts dimension 1 (extent 128), which cannot be cut: it is reduced by linalg.generic at {{.*}}; legal is split = 1, tile = 128
func.func @main(%x: tensor<4x128xf32>) -> tensor<4x128xf32> {
  %r = plan.kernel "sum" split = [4, 1] tile = [1, 64] ins(%a = %x : tensor<4x128xf32>) -> (tensor<4x128xf32>) {
    %zero = arith.constant 0.0 : f32
    %e1 = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<4x128xf32>) outs(%f : tensor<4xf32>) {
      ^bb0(%i: f32, %o: f32):
        %p = arith.addf %i, %o : f32
        linalg.yield %p : f32
    } -> tensor<4xf32>
    %e = tensor.empty() : tensor<4x128xf32>
    %d = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a, %s : tensor<4x128xf32>, tensor<4xf32>) outs(%e : tensor<4x128xf32>) {
      ^bb0(%i: f32, %j: f32, %o: f32):
        %p = arith.divf %i, %j : f32
        linalg.yield %p : f32
    } -> tensor<4x128xf32>
    plan.yield %d : tensor<4x128xf32>
  }
  return %r : tensor<4x128xf32>
}
