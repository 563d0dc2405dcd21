// RUN: ktir-opt %s -split-input-file -verify-diagnostics

sdf.program @copy_rank() grid [1] {
  // expected-error @below {{source #sdf.buffer<0, 64xf16> has rank 1 and destination #sdf.buffer<1024, 8x64xf16> rank 2; both are the same}}
  sdf.copy #sdf.buffer<0, 64xf16>[0][1] to #sdf.buffer<1024, 8x64xf16>[0, 0][1, 1] sizes [1, 64]
  sdf.return
}

// -----

sdf.program @copy_type() grid [1] {
  // expected-error @below {{copies 'f16' to 'f32'; both are the same, 'sdf.compute' converts}}
  sdf.copy #sdf.buffer<0, 8xf16>[0][1] to #sdf.buffer<1024, 8xf32>[0][1] sizes [8]
  sdf.return
}

// -----

sdf.program @copy_lists() grid [1] {
  // expected-error @below {{has 1 destination offsets, but each buffer has rank 2}}
  sdf.copy #sdf.buffer<0, 8x64xf16>[0, 0][1, 1] to #sdf.buffer<1024, 8x64xf16>[0][1, 1] sizes [8, 64]
  sdf.return
}

// -----

sdf.program @copy_outside() grid [1] {
  // expected-error @below {{accesses elements 33 to 64 of dimension 1 of the destination #sdf.buffer<1024, 8x64xf16>, which has 64}}
  sdf.copy #sdf.buffer<0, 8x64xf16>[0, 0][1, 2] to #sdf.buffer<1024, 8x64xf16>[0, 33][1, 1] sizes [8, 32]
  sdf.return
}

// -----

sdf.program @copy_backwards() grid [1] {
  // expected-error @below {{accesses elements -1 to 6 of dimension 0 of the source #sdf.buffer<0, 8xf16>, which has 8}}
  sdf.copy #sdf.buffer<0, 8xf16>[6][-1] to #sdf.buffer<1024, 8xf16>[0][1] sizes [8]
  sdf.return
}

// -----

sdf.program @copy_overlap() grid [1] {
  // expected-error @below {{source #sdf.buffer<0, 8x64xf16> and destination #sdf.buffer<512, 8x64xf16> share bytes 512 to 1023; place one of them elsewhere}}
  sdf.copy #sdf.buffer<0, 8x64xf16>[0, 0][1, 1] to #sdf.buffer<512, 8x64xf16>[0, 0][1, 1] sizes [8, 64]
  sdf.return
}

// -----

sdf.program @reshape_number() grid [1] {
  // expected-error @below {{source #sdf.buffer<0, 8x96xf16> has 768 elements and destination #sdf.buffer<2048, 8x64xf16> 512; both are the same}}
  sdf.reshape #sdf.buffer<0, 8x96xf16> to #sdf.buffer<2048, 8x64xf16>
  sdf.return
}

// -----

sdf.program @reshape_type() grid [1] {
  // expected-error @below {{reshapes 'f16' to 'i16'}}
  sdf.reshape #sdf.buffer<0, 8xf16> to #sdf.buffer<128, 8xi16>
  sdf.return
}

// -----

sdf.program @extract_rank(%i: index) grid [1] {
  // expected-error @below {{has 1 indices, but the buffer has rank 2}}
  %a = sdf.extract #sdf.buffer<0, 8x64xf16>[%i] : f16
  sdf.return
}

// -----

sdf.program @extract_outside(%i: index) grid [1] {
  // expected-error @below {{index 64 of dimension 1 is outside #sdf.buffer<0, 8x64xf16>}}
  %a = sdf.extract #sdf.buffer<0, 8x64xf16>[%i, 64] : f16
  sdf.return
}

// -----

sdf.program @extract_type() grid [1] {
  // expected-error @below {{result type is 'f32', but the buffer #sdf.buffer<0, 8xf16> holds 'f16'}}
  %a = sdf.extract #sdf.buffer<0, 8xf16>[0] : f32
  sdf.return
}
