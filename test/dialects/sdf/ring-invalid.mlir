// RUN: ktir-opt %s --split-input-file --verify-diagnostics

sdf.program @rows() grid [2, 2] {
  // expected-error @below {{table is 'tensor<3xi64>', but the program's grid has 4 cores; expected one row a core}}
  %n = sdf.by_core dense<[1, 2, 3]> : tensor<3xi64> : index
  sdf.return
}

// -----

sdf.program @operands() grid [2] {
  // expected-error @below {{table is 'tensor<2x2xi64>' and there are 0 operands; expected a dimension for the cores and one an operand}}
  %n = sdf.by_core dense<0> : tensor<2x2xi64> : index
  sdf.return
}

// -----

sdf.program @table() grid [2] {
  // expected-error @below {{attribute 'table' failed to satisfy constraint: dense tensor of i64 or index}}
  %n = sdf.by_core dense<0> : tensor<2xi32> : index
  sdf.return
}

// -----

sdf.program @nothing() grid [2] {
  // expected-error @below {{has no buffer; publish at least one}}
  %f = "sdf.publish"() <{buffers = [], producers = array<i64: 0>}> : () -> !sdf.future
  sdf.return
}

// -----

sdf.program @order() grid [4] {
  // expected-error @below {{producers are [1, 1]; they ascend, each listed once}}
  %f = sdf.publish #sdf.buffer<0, f16> producers [1, 1] : !sdf.future
  sdf.return
}

// -----

sdf.program @grid() grid [2, 2] {
  // expected-error @below {{lists core 4; cores are numbered from 0 to 3 in the program's grid}}
  %f = sdf.publish #sdf.buffer<0, f16> producers [0, 4] : !sdf.future
  sdf.return
}

// -----

sdf.program @use(%c: i1) grid [4] {
  // expected-error @below {{future is used by 'scf.yield'; only 'sdf.receive' takes one}}
  %f = sdf.publish #sdf.buffer<0, f16> producers [0] : !sdf.future
  %g = scf.if %c -> !sdf.future {
    scf.yield %f : !sdf.future
  } else {
    scf.yield %f : !sdf.future
  }
  sdf.return
}

// -----

sdf.program @count(%c: index) grid [4] {
  %f = sdf.publish #sdf.buffer<0, f16> producers [0] : !sdf.future
  // expected-error @below {{fills 2 buffers, but 1 are published}}
  sdf.receive #sdf.buffer<128, f16>, #sdf.buffer<256, f16> from core %c of %f
  sdf.return
}

// -----

sdf.program @shape(%c: index) grid [4] {
  %f = sdf.publish #sdf.buffer<0, 8xf16> producers [0] : !sdf.future
  // expected-error @below {{buffer 0 is #sdf.buffer<128, 4xf16>, but what is published is #sdf.buffer<0, 8xf16>; both have the same shape and element type}}
  sdf.receive #sdf.buffer<128, 4xf16> from core %c of %f
  sdf.return
}

// -----

sdf.program @overlap(%c: index) grid [4] {
  %f = sdf.publish #sdf.buffer<0, f16>, #sdf.buffer<128, f16> producers [0] : !sdf.future
  // expected-error @below {{share bytes 256 to 383; place one of them elsewhere}}
  sdf.receive #sdf.buffer<256, f16>, #sdf.buffer<256, f16> from core %c of %f
  sdf.return
}

// -----

sdf.program @scratchpad() grid [4] {
  // expected-error @below {{but the scratchpad has 2097152 bytes}}
  %f = sdf.publish #sdf.buffer<2097152, f16> producers [0] : !sdf.future
  sdf.return
}

// -----

sdf.program @unseen(%c: index) grid [4] {
  %f = builtin.unrealized_conversion_cast %c : index to !sdf.future
  // expected-error @below {{takes a future that no 'sdf.publish' makes in sight}}
  sdf.receive #sdf.buffer<0, f16> from core %c of %f
  sdf.return
}
