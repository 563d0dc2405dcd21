// RUN: ktir-opt %s --ktir-lower-pad | filecheck %s

// The padding value may be made in the region or outside of it.

// CHECK-LABEL: func.func @both_sides
// CHECK-SAME: %[[X:.*]]: tensor<5x8xf16>
func.func @both_sides(%x: tensor<5x8xf16>) -> tensor<6x11xf16> {
  // CHECK-NOT: tensor.pad
  // CHECK: %[[V:.*]] = arith.constant 1.5
  // CHECK: %[[F:.*]] = linalg.fill ins(%[[V]] : f16) outs(%{{.*}} : tensor<6x11xf16>)
  // CHECK: %[[R:.*]] = tensor.insert_slice %[[X]] into %[[F]][1, 1] [5, 8] [1, 1]
  // CHECK: return %[[R]]
  %r = tensor.pad %x low[1, 1] high[0, 2] {
    ^bb0(%i: index, %j: index):
      %v = arith.constant 1.5 : f16
      tensor.yield %v : f16
  } : tensor<5x8xf16> to tensor<6x11xf16>
  return %r : tensor<6x11xf16>
}

// A negative amount cuts the source.

// CHECK-LABEL: func.func @negative
// CHECK-SAME: %[[X:.*]]: tensor<8xf16>, %[[V:.*]]: f16
func.func @negative(%x: tensor<8xf16>, %v: f16) -> tensor<8xf16> {
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[X]][1] [7] [1]
  // CHECK: %[[F:.*]] = linalg.fill ins(%[[V]] : f16)
  // CHECK: tensor.insert_slice %[[S]] into %[[F]][0] [7] [1]
  %r = tensor.pad %x low[-1] high[1] {
    ^bb0(%i: index):
      tensor.yield %v : f16
  } : tensor<8xf16> to tensor<8xf16>
  return %r : tensor<8xf16>
}
