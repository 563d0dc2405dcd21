// RUN: ktir-opt %s --split-input-file --verify-diagnostics

func.func @beta(%x: f16) {
  // expected-error @below {{attribute 'beta' failed to satisfy constraint: 32-bit float attribute which is non-zero}}
  %y = spyreop.softplus %x beta 0.0 threshold 1.0 : f16
  return
}

// -----

func.func @double(%x: f64) {
  // expected-error @below {{operand #0 must be 16-bit float or IBM df16 float or 32-bit float, but got 'f64'}}
  %y = spyreop.exp %x : f64
  return
}

// -----

func.func @wide_gelu(%x: f32) {
  // expected-error @below {{operand #0 must be 16-bit float or IBM df16 float, but got 'f32'}}
  %y = spyreop.gelu %x : f32
  return
}

// -----

func.func @pair(%x: f16) {
  // expected-error @+2 {{inferred type(s) '!spyreop.fp16_fused' are incompatible with return type(s) of operation '!spyreop.df16_fused'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = spyreop.exx2_zeromean_fused %x : f16 -> !spyreop.df16_fused
  return
}

// -----

func.func @half_an_address(%x: i32) {
  // expected-error @below {{expected base and stride once each, both as values or both as integers}}
  %y = spyreop.idx32toaddr %x base %x stride 4
  return
}

// -----

func.func @long_address(%x: i32) {
  // expected-error @below {{4294967296 does not fit into 32 bits}}
  %y = spyreop.idx32toaddr %x base 0x100000000 stride 4
  return
}

// -----

func.func @df16_constant() {
  // expected-error @below {{result #0 must be 16-bit float or 32-bit float, but got 'bf16'}}
  %c = spyreop.constant 1.0 : bf16
  return
}

// -----

func.func @predicate(%x: f32) {
  // expected-error @+2 {{expected one of [equal, notequal, greaterthan, greaterequal, lesserthan, lesserequal]}}
  // expected-error @+1 {{failed to parse SpyreOp_ComparePredicateAttr parameter 'value'}}
  %c = spyreop.compare <unequal> %x, %x : f32
  return
}

// -----

func.func @mixed(%x: f16, %y: f32) {
  // expected-error @below {{requires the same type for all operands and results}}
  %c = "spyreop.realdiv"(%x, %y) : (f16, f32) -> f16
  return
}
