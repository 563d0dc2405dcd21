// RUN: not ktir-opt %s --ktir-check-import --allow-unregistered-dialect 2>&1 | filecheck %s

// Every problem is named with its op, types and source line.

// CHECK: 'tm_tensor.scan' (tensor<4xf32>) -> (tensor<4xf32>) at model.py:3 (cumsum): this op is not supported; supported are
// CHECK: 'linalg.conv_1d' {{.*}} at model.py:4: windowed ops are not supported
// CHECK: 'arith.addf' {{.*}} dynamic shapes are not supported: tensor<?xf32>
// CHECK: 'linalg.fill' {{.*}} element type complex<f32> is not supported; supported are bf16, f16
func.func @main(%x: tensor<4xf32>, %k: tensor<2xf32>, %o: tensor<3xf32>) -> tensor<4xf32> {
  %a = "tm_tensor.scan"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("cumsum"("model.py":3:0))
  %b = linalg.conv_1d ins(%x, %k : tensor<4xf32>, tensor<2xf32>) outs(%o : tensor<3xf32>) -> tensor<3xf32> loc("model.py":4:0)
  %c = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %d = arith.addf %c, %c : tensor<?xf32>
  %re = arith.constant 1.0 : f32
  %z = complex.create %re, %re : complex<f32>
  %e = tensor.empty() : tensor<4xcomplex<f32>>
  %f = linalg.fill ins(%z : complex<f32>) outs(%e : tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %a : tensor<4xf32>
}
