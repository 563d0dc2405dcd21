// RUN: ktir-opt %s --ktir-lower-pad | filecheck %s

// CHECK: func.func @main(%[[X:.*]]: tensor<4xf16>)
// CHECK-NEXT: return %[[X]]
func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
  return %x : tensor<4xf16>
}
