// RUN: ktir-opt %s -split-input-file -verify-diagnostics

func.func @layout(%x: tensor<4x4xf16>) {
  // expected-error @below {{unknown layout 'rows'; expected dense or sticks}}
  %a = plan.relayout %x to rows : tensor<4x4xf16>
  return
}

// -----

func.func @dim(%x: tensor<4x4xf16>) {
  // expected-error @below {{dim is 2, but 'tensor<4x4xf16>' has rank 2}}
  %a = plan.restickify %x dim = 2 : tensor<4x4xf16>
  return
}

// -----

func.func @types(%x: tensor<4x4xf16>) {
  // expected-error @below {{requires the same type for all operands and results}}
  %a = "plan.keep"(%x) : (tensor<4x4xf16>) -> tensor<16xf16>
  return
}
