// RUN: ktir-opt %s --ktir-check-import | filecheck %s

// CHECK: tensor.concat
// CHECK: cf.assert
func.func @main(%x: tensor<4xf32>, %fine: i1) -> tensor<8xf32> {
  %r = tensor.concat dim(0) %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  cf.assert %fine, "fine"
  return %r : tensor<8xf32>
}
