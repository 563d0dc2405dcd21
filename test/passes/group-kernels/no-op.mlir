// RUN: ktir-opt %s --ktir-group-kernels | filecheck %s

// Views alone need no kernel.

// CHECK: func.func @main(%arg0: tensor<4x64xf16>)
// CHECK-NEXT: %[[V:.*]] = tensor.extract_slice %arg0
// CHECK-NEXT: return %[[V]]
func.func @main(%x: tensor<4x64xf16>) -> tensor<2x64xf16> {
  %v = tensor.extract_slice %x[1, 0] [2, 64] [1, 1] : tensor<4x64xf16> to tensor<2x64xf16>
  return %v : tensor<2x64xf16>
}
