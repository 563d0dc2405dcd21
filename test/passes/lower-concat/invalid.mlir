// RUN: not ktir-opt %s --ktir-lower-concat 2>&1 | filecheck %s

// CHECK: 'tensor.concat' (tensor<?x4xf16>, tensor<2x4xf16>) -> (tensor<5x4xf16>) at model.py:9: dynamic shapes are not supported
func.func @main(%a: tensor<?x4xf16>, %b: tensor<2x4xf16>) -> tensor<5x4xf16> {
  %r = tensor.concat dim(0) %a, %b : (tensor<?x4xf16>, tensor<2x4xf16>) -> tensor<5x4xf16> loc("model.py":9:0)
  return %r : tensor<5x4xf16>
}
