// RUN: ktir-opt %s --ktir-group-kernels -verify-diagnostics

// expected-error @below {{invalid.mlir:6:10 cannot become part of a kernel}}
module {
  func.func @main(%x: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
