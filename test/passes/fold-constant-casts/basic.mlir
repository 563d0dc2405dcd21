// RUN: ktir-opt %s --ktir-fold-constant-casts | filecheck %s

// Also where digits are lost, and inside of bodies.

// CHECK-LABEL: func.func @main
// CHECK-NOT: arith.truncf
func.func @main(%x: tensor<4xf16>) -> (f16, tensor<4xf16>) {
  %third = arith.constant 0.3333333333333333 : f64
  // CHECK: %[[H:.*]] = arith.constant 3.332520e-01 : f16
  %h = arith.truncf %third : f64 to f16
  %e = tensor.empty() : tensor<4xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf16>) outs(%e : tensor<4xf16>) {
    ^bb0(%i: f16, %o: f16):
      // CHECK: %[[B:.*]] = arith.constant 3.332520e-01 : f16
      // CHECK: arith.mulf %{{.*}}, %[[B]]
      %t = arith.truncf %third : f64 to f16
      %m = arith.mulf %i, %t : f16
      linalg.yield %m : f16
  } -> tensor<4xf16>
  // CHECK: return %[[H]]
  return %h, %r : f16, tensor<4xf16>
}
