// RUN: not ktir-opt %s --ktir-emit 2>&1 | filecheck %s

// CHECK: error: expected a module @kernels: run ktir-distribute before ktir-emit
func.func @main(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  return %x : tensor<4x64xf16>
}
