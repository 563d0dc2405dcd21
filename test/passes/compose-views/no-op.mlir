// RUN: ktir-opt %s --ktir-compose-views | filecheck %s

// CHECK: tensor.extract_slice %{{.*}}[2] [3] [1]
// CHECK-NEXT: return
func.func @main(%x: tensor<6xf16>) -> tensor<3xf16> {
  %r = tensor.extract_slice %x[2] [3] [1] : tensor<6xf16> to tensor<3xf16>
  return %r : tensor<3xf16>
}
