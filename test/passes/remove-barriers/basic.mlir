// RUN: ktir-opt %s --ktir-remove-barriers | filecheck %s

// Only the calls that mark edges go, with their declarations.

// CHECK-NOT: ktir.barrier
// CHECK: func.func private @other
// CHECK: func.func @main(%[[X:.*]]: tensor<4xf16>)
// CHECK-NEXT: %[[Y:.*]] = call @other(%[[X]])
// CHECK-NEXT: return %[[X]], %[[Y]]
func.func private @ktir.barrier.0(tensor<4xf16>) -> tensor<4xf16>
func.func private @other(tensor<4xf16>) -> tensor<4xf16>
func.func @main(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %a = func.call @ktir.barrier.0(%x) : (tensor<4xf16>) -> tensor<4xf16>
  %b = func.call @ktir.barrier.0(%a) : (tensor<4xf16>) -> tensor<4xf16>
  %c = func.call @other(%b) : (tensor<4xf16>) -> tensor<4xf16>
  return %b, %c : tensor<4xf16>, tensor<4xf16>
}
