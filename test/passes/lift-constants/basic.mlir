// RUN: ktir-opt %s --ktir-lift-constants | filecheck %s

// Dense constants become arguments that carry their data; equal ones share an argument. Splats become fills.

// CHECK: func.func @main(%[[X:.*]]: tensor<3xf32> {ktir.name = "x"},
// CHECK-SAME: %[[C0:[a-z0-9]+]]: tensor<3xi64> {ktir.name = "constant.0", ktir.value = dense<[1, 2, 3]> : tensor<3xi64>}
// CHECK-SAME: %[[C1:[a-z0-9]+]]: tensor<2xf32> {ktir.name = "constant.1", ktir.value = dense<[1.000000e+00, -1.000000e+00]> : tensor<2xf32>}
// CHECK-SAME: -> (tensor<3xi64>, tensor<3xi64>, tensor<2xf32>, tensor<4xf32>, tensor<3xf32>)
func.func @main(%x: tensor<3xf32> {ktir.name = "x"})
    -> (tensor<3xi64>, tensor<3xi64>, tensor<2xf32>, tensor<4xf32>, tensor<3xf32>) {
  %a = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
  %b = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
  %c = arith.constant dense<[1.0, -1.0]> : tensor<2xf32>
  // CHECK: %[[S:.*]] = arith.constant 2.000000e+00 : f32
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: %[[D:.*]] = linalg.fill ins(%[[S]] : f32) outs(%[[E]] : tensor<4xf32>)
  %d = arith.constant dense<2.0> : tensor<4xf32>
  // CHECK: return %[[C0]], %[[C0]], %[[C1]], %[[D]], %[[X]]
  return %a, %b, %c, %d, %x : tensor<3xi64>, tensor<3xi64>, tensor<2xf32>, tensor<4xf32>, tensor<3xf32>
}
