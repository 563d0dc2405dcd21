// RUN: ktir-opt %s | filecheck %s

// Divisions that are legal at the edge of a rule.

// A tile of whole sticks may exceed an extent that is no multiple; two sticks feed two cores.
// CHECK-LABEL: func.func @uneven
func.func @uneven(%x: tensor<3x67xf16>) {
  // CHECK: split = [1, 2] tile = [1, 128]
  %0 = plan.kernel "a" split = [1, 2] tile = [1, 128]
         ins(%a = %x : tensor<3x67xf16>) -> (tensor<3x67xf16>) {
    plan.yield %a : tensor<3x67xf16>
  }
  // The whole extent needs no multiple.
  // CHECK: split = [3, 1] tile = [1, 67]
  %1 = plan.kernel "b" split = [3, 1] tile = [1, 67]
         ins(%a = %x : tensor<3x67xf16>) -> (tensor<3x67xf16>) {
    plan.yield %a : tensor<3x67xf16>
  }
  return
}

// The stick holds 32 f32, 128 i8 or i1.
// CHECK-LABEL: func.func @element_types
func.func @element_types(%x: tensor<256xf32>, %y: tensor<256xi1>) {
  // CHECK: split = [8] tile = [32]
  %0 = plan.kernel "a" split = [8] tile = [32] ins(%a = %x : tensor<256xf32>) -> (tensor<256xf32>) {
    plan.yield %a : tensor<256xf32>
  }
  // CHECK: split = [2] tile = [128]
  %1 = plan.kernel "b" split = [2] tile = [128] ins(%a = %y : tensor<256xi1>) -> (tensor<256xi1>) {
    plan.yield %a : tensor<256xi1>
  }
  return
}

module attributes {plan.cores = 64} {
  // CHECK-LABEL: func.func @cores
  func.func @cores(%x: tensor<64x64xf16>) {
    // CHECK: split = [64, 1]
    %0 = plan.kernel "a" split = [64, 1] tile = [1, 64]
           ins(%a = %x : tensor<64x64xf16>) -> (tensor<64x64xf16>) {
      plan.yield %a : tensor<64x64xf16>
    }
    return
  }
}
