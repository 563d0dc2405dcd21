// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// CHECK-LABEL: func.func @one_result
// CHECK-SAME: (%[[X:.*]]: tensor<256x384xf16>)
// CHECK: %[[R:.*]] = plan.kernel "same" split = [32, 1] tile = [8, 384] ins(%[[A:.*]] = %[[X]] : tensor<256x384xf16>) -> (tensor<256x384xf16>) {
// CHECK-NEXT: plan.yield %[[A]] : tensor<256x384xf16>
// CHECK: return %[[R]]
func.func @one_result(%x: tensor<256x384xf16>) -> tensor<256x384xf16> {
  %r = plan.kernel "same" split = [32, 1] tile = [8, 384]
         ins(%a = %x : tensor<256x384xf16>) -> (tensor<256x384xf16>) {
    plan.yield %a : tensor<256x384xf16>
  }
  return %r : tensor<256x384xf16>
}

// CHECK-LABEL: func.func @all_parts
// CHECK: %{{.*}}:2 = plan.kernel "stats" split = [1, 2] tile = [3, 64] reduction_tile = 128
// CHECK-SAME: ins(%{{.*}} = %{{.*}} : tensor<3x128xf32>, %{{.*}} = %{{.*}} : tensor<3xi1>)
// CHECK-SAME: -> (tensor<3x128xf32>, tensor<3xi1>) attributes {note = "pinned"} {
func.func @all_parts(%x: tensor<3x128xf32>, %m: tensor<3xi1>) {
  %r:2 = plan.kernel "stats" split = [1, 2] tile = [3, 64] reduction_tile = 128
           ins(%a = %x : tensor<3x128xf32>, %b = %m : tensor<3xi1>)
           -> (tensor<3x128xf32>, tensor<3xi1>) attributes {note = "pinned"} {
    plan.yield %a, %b : tensor<3x128xf32>, tensor<3xi1>
  }
  return
}

// CHECK-LABEL: func.func @no_operand
// CHECK: plan.kernel "two" split = [] tile = [] -> (tensor<f16>) {
func.func @no_operand() -> tensor<f16> {
  %r = plan.kernel "two" split = [] tile = [] ins() -> tensor<f16> {
    %c = arith.constant dense<2.0> : tensor<f16>
    plan.yield %c : tensor<f16>
  }
  return %r : tensor<f16>
}
