// RUN: ktir-opt %s --ktir-insert-relayouts | filecheck %s

// Whole sticks, split rows and slices of rows are a matter of strides.

// CHECK-LABEL: func.func @main
// CHECK-NOT: plan.kernel
func.func @main(%x: tensor<67x128xf16>, %y: tensor<4x100xf16>) -> (tensor<8576xf16>, tensor<2x2x100xf16>, tensor<4x10x10xf16>) {
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<67x128xf16> into tensor<8576xf16>
  %b = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 2, 100] : tensor<4x100xf16> into tensor<2x2x100xf16>
  %c = tensor.expand_shape %y [[0], [1, 2]] output_shape [4, 10, 10] : tensor<4x100xf16> into tensor<4x10x10xf16>
  return %a, %b, %c : tensor<8576xf16>, tensor<2x2x100xf16>, tensor<4x10x10xf16>
}
