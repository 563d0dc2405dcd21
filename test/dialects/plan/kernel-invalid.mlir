// RUN: ktir-opt %s -split-input-file -verify-diagnostics

func.func @no_name(%x: tensor<8x64xf16>) {
  // expected-error @below {{has an empty name}}
  %r = plan.kernel "" split = [1, 1] tile = [8, 64] ins(%a = %x : tensor<8x64xf16>) -> (tensor<8x64xf16>) {
    plan.yield %a : tensor<8x64xf16>
  }
  return
}

// -----

func.func @no_result() {
  // expected-error @below {{has no result; its first result is what split and tile divide}}
  plan.kernel "k" split = [] tile = [] -> () {
    plan.yield
  }
  return
}

// -----

func.func @dynamic(%x: tensor<?x64xf16>) {
  // expected-error @below {{operand #0 must be variadic of statically shaped tensor of any type values, but got 'tensor<?x64xf16>'}}
  %r = plan.kernel "k" split = [1, 1] tile = [8, 64] ins(%a = %x : tensor<?x64xf16>) -> (tensor<8x64xf16>) {
    %e = tensor.empty() : tensor<8x64xf16>
    plan.yield %e : tensor<8x64xf16>
  }
  return
}

// -----

func.func @reduction_tile(%x: tensor<8x64xf16>) {
  // expected-error @below {{reduction_tile is 0; expected at least 1}}
  %r = plan.kernel "k" split = [1, 1] tile = [8, 64] reduction_tile = 0 ins(%a = %x : tensor<8x64xf16>) -> (tensor<8x64xf16>) {
    plan.yield %a : tensor<8x64xf16>
  }
  return
}

// -----

func.func @yield(%x: tensor<8x64xf16>) {
  // expected-error @below {{region yields ('tensor<8x64xf16>'), but the results are ('tensor<8x64xf32>')}}
  %r = plan.kernel "k" split = [1, 1] tile = [8, 64] ins(%a = %x : tensor<8x64xf16>) -> (tensor<8x64xf32>) {
    plan.yield %a : tensor<8x64xf16>
  }
  return
}

// -----

func.func @arguments(%x: tensor<8x64xf16>) {
  // expected-error @below {{region takes (), but the operands are ('tensor<8x64xf16>')}}
  %r = "plan.kernel"(%x) <{kernel_name = "k", split = array<i64: 1>, tile = array<i64: 64>}> ({
    %e = tensor.empty() : tensor<64xf16>
    "plan.yield"(%e) : (tensor<64xf16>) -> ()
  }) : (tensor<8x64xf16>) -> tensor<64xf16>
  return
}

// -----

func.func @isolated(%x: tensor<64xf16>) {
  // expected-note @below {{required by region isolation constraints}}
  %r = plan.kernel "k" split = [1] tile = [64] -> (tensor<64xf16>) {
    // expected-error @below {{using value defined outside the region}}
    plan.yield %x : tensor<64xf16>
  }
  return
}

// -----

func.func @no_terminator() {
  %r = plan.kernel "k" split = [1] tile = [64] -> (tensor<64xf16>) {
    // expected-error @below {{block with no terminator}}
    %e = tensor.empty() : tensor<64xf16>
  }
  return
}

// -----

func.func @empty() {
  // expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %r = plan.kernel "k" split = [1] tile = [64] -> (tensor<64xf16>) {}
  return
}
