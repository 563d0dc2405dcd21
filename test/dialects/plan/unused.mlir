// RUN: ktir-opt %s --canonicalize --cse | filecheck %s

// What is unused goes, kernels included; equal kernels merge.

// CHECK-LABEL: func.func @unused
// CHECK-NEXT: %[[R:.*]] = plan.kernel "k"
// CHECK-NEXT: plan.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]], %[[R]]
func.func @unused(%x: tensor<64xf16>) -> (tensor<64xf16>, tensor<64xf16>) {
  %unused = plan.keep %x : tensor<64xf16>
  %gone = plan.kernel "gone" split = [1] tile = [64] ins(%a = %x : tensor<64xf16>) -> (tensor<64xf16>) {
    plan.yield %a : tensor<64xf16>
  }
  %r = plan.kernel "k" split = [1] tile = [64] ins(%a = %x : tensor<64xf16>) -> (tensor<64xf16>) {
    plan.yield %a : tensor<64xf16>
  }
  %s = plan.kernel "k" split = [1] tile = [64] ins(%a = %x : tensor<64xf16>) -> (tensor<64xf16>) {
    plan.yield %a : tensor<64xf16>
  }
  return %r, %s : tensor<64xf16>, tensor<64xf16>
}
