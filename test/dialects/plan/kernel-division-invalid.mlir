// RUN: ktir-opt %s -split-input-file -verify-diagnostics

func.func @cores(%x: tensor<256x64xf16>) {
  // expected-error @below {{split [64, 1] uses 64 cores, the target has 32}}
  %r = plan.kernel "k" split = [64, 1] tile = [4, 64] ins(%a = %x : tensor<256x64xf16>) -> (tensor<256x64xf16>) {
    plan.yield %a : tensor<256x64xf16>
  }
  return
}

// -----

module attributes {plan.cores = 8} {
  func.func @cores_of_module(%x: tensor<256x128xf16>) {
    // expected-error @below {{split [8, 2] uses 16 cores, the target has 8}}
    %r = plan.kernel "k" split = [8, 2] tile = [4, 64] ins(%a = %x : tensor<256x128xf16>) -> (tensor<256x128xf16>) {
      plan.yield %a : tensor<256x128xf16>
    }
    return
  }
}

// -----

func.func @rank(%x: tensor<256x64xf16>) {
  // expected-error @below {{split [32] and tile [4, 64] have one entry a dimension of the first result, 'tensor<256x64xf16>', so 2 each}}
  %r = plan.kernel "k" split = [32] tile = [4, 64] ins(%a = %x : tensor<256x64xf16>) -> (tensor<256x64xf16>) {
    plan.yield %a : tensor<256x64xf16>
  }
  return
}

// -----

func.func @zero(%x: tensor<256x64xf16>) {
  // expected-error @below {{dimension 0 has split 0 and tile 4; both are at least 1}}
  %r = plan.kernel "k" split = [0, 1] tile = [4, 64] ins(%a = %x : tensor<256x64xf16>) -> (tensor<256x64xf16>) {
    plan.yield %a : tensor<256x64xf16>
  }
  return
}

// -----

func.func @sticks(%x: tensor<8x67xf16>) {
  // expected-error @below {{split 3 of dimension 1 exceeds its 2 units: extent 67, unit 64}}
  %r = plan.kernel "k" split = [1, 3] tile = [8, 64] ins(%a = %x : tensor<8x67xf16>) -> (tensor<8x67xf16>) {
    plan.yield %a : tensor<8x67xf16>
  }
  return
}

// -----

func.func @unit(%x: tensor<8x128xf32>) {
  // expected-error @below {{tile 48 of dimension 1 is neither a multiple of its unit 32 nor the whole extent 128}}
  %r = plan.kernel "k" split = [1, 1] tile = [8, 48] ins(%a = %x : tensor<8x128xf32>) -> (tensor<8x128xf32>) {
    plan.yield %a : tensor<8x128xf32>
  }
  return
}

// -----

func.func @too_long(%x: tensor<8x67xf16>) {
  // expected-error @below {{tile 192 of dimension 1 exceeds its extent 67, padded to 128}}
  %r = plan.kernel "k" split = [1, 1] tile = [8, 192] ins(%a = %x : tensor<8x67xf16>) -> (tensor<8x67xf16>) {
    plan.yield %a : tensor<8x67xf16>
  }
  return
}

// -----

// expected-error @below {{'plan.cores' is 0 : i64 on 'builtin.module'; expected a positive integer on a module}}
module attributes {plan.cores = 0} {}

// -----

// expected-error @below {{unknown attribute 'plan.core'; the plan dialect knows 'plan.cores' on a module}}
module attributes {plan.core = 8} {}
