// RUN: ktir-opt %s --ktir-group-kernels | filecheck %s

// A contraction and its elementwise consumer share a kernel; constants, empties and fills move in with them.

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = plan.kernel "matmul_0" split = [1, 1] tile = [32, 64]
// CHECK-SAME: ins(%[[X:.*]] = %arg0 : tensor<32x96xf32>, %[[W:.*]] = %arg1 : tensor<64x96xf32>) -> (tensor<32x64xf32>)
// CHECK: %[[FILL:.*]] = linalg.fill
// CHECK: %[[MM:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] : {{.*}}) outs(%[[FILL]]
// CHECK: %[[EXP:.*]] = linalg.generic {{.*}} ins(%[[MM]]
// CHECK: plan.yield %[[EXP]]
// CHECK: return %[[R]]
func.func @main(%x: tensor<32x96xf32>, %w: tensor<64x96xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %mm = linalg.generic {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<32x96xf32>, tensor<64x96xf32>) outs(%f : tensor<32x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%mm : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %p = math.exp %a : f32
      linalg.yield %p : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}
