// RUN: ktir-opt %s --ktir-own-destinations | filecheck %s

// CHECK: %[[E:.*]] = tensor.empty
// CHECK-NEXT: tensor.insert_slice %{{.*}} into %[[E]]
func.func @main(%x: tensor<2xf16>) -> tensor<4xf16> {
  %e = tensor.empty() : tensor<4xf16>
  %r = tensor.insert_slice %x into %e[0] [2] [1] : tensor<2xf16> into tensor<4xf16>
  return %r : tensor<4xf16>
}
