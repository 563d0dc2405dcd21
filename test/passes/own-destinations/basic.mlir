// RUN: ktir-opt %s --ktir-own-destinations | filecheck %s

// A shared fill is made again, an argument copied.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<2xf16>, %[[Y:.*]]: tensor<4xf16>
func.func @main(%x: tensor<2xf16>, %y: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4xf16>
  // CHECK: %[[F:.*]] = linalg.fill
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<4xf16>) -> tensor<4xf16>
  // CHECK: %[[G:.*]] = linalg.fill
  // CHECK: tensor.insert_slice %[[X]] into %[[G]][0] [2] [1]
  %a = tensor.insert_slice %x into %f[0] [2] [1] : tensor<2xf16> into tensor<4xf16>
  // CHECK: tensor.insert_slice %[[X]] into %[[F]][2] [2] [1]
  %b = tensor.insert_slice %x into %f[2] [2] [1] : tensor<2xf16> into tensor<4xf16>
  // CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<4xf16>)
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: linalg.yield %in
  // CHECK: tensor.insert_slice %[[X]] into %[[C]][1] [2] [1]
  %c = tensor.insert_slice %x into %y[1] [2] [1] : tensor<2xf16> into tensor<4xf16>
  return %a, %b, %c : tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
}
