// RUN: ktir-opt %s --ktir-divide-work | filecheck %s

// No kernel, nothing to decide.

// CHECK: func.func @main(%[[X:.*]]: tensor<4x64xf16>) -> tensor<2x64xf16>
// CHECK-NEXT: %[[V:.*]] = tensor.extract_slice %[[X]][1, 0] [2, 64] [1, 1]
// CHECK-NEXT: return %[[V]]
func.func @main(%x: tensor<4x64xf16>) -> tensor<2x64xf16> {
  %v = tensor.extract_slice %x[1, 0] [2, 64] [1, 1] : tensor<4x64xf16> to tensor<2x64xf16>
  return %v : tensor<2x64xf16>
}
