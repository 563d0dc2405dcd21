// RUN: ktir-opt %s --ktir-lower-concat | filecheck %s

// CHECK: tensor.insert_slice
// CHECK-NOT: tensor.empty
func.func @main(%x: tensor<2xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
  %r = tensor.insert_slice %x into %y[0] [2] [1] : tensor<2xf16> into tensor<4xf16>
  return %r : tensor<4xf16>
}
