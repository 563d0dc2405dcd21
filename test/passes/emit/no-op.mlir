// RUN: ktir-opt %s --ktir-distribute --ktir-emit | filecheck %s

// Without kernels the host only copies: the slice is a view of the input's buffer.

// CHECK: module @kernels {
// CHECK-NEXT: }
// CHECK: func.func @main(%[[X:.*]]: memref<4x64xf16>) -> memref<2x64xf16>
// CHECK: %[[B:.*]] = memref.alloc() {address = 0 : i64
// CHECK-NEXT: memref.copy %[[X]], %[[B]]
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[B]] to offset: [64], sizes: [2, 64], strides: [64, 1]
// CHECK: memref.copy %[[V]]
// CHECK-NOT: call
func.func @main(%x: tensor<4x64xf16>) -> tensor<2x64xf16> {
  %v = tensor.extract_slice %x[1, 0] [2, 64] [1, 1] : tensor<4x64xf16> to tensor<2x64xf16>
  return %v : tensor<2x64xf16>
}
