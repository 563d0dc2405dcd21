// RUN: ktir-opt %s -split-input-file -verify-diagnostics

sdf.program @offsets(%x: index) grid [1] {
  // expected-error @below {{has 1 offsets, but the buffer has rank 2}}
  sdf.read #sdf.buffer<0, 8x64xf16> from %x[0] bounds [8, 64] strides [64, 1]
  sdf.return
}

// -----

sdf.program @bounds(%x: index) grid [1] {
  // expected-error @below {{has 3 bounds, but the buffer has rank 2}}
  sdf.write #sdf.buffer<0, 8x64xf16> to %x[0, 0] bounds [1, 8, 64] strides [64, 1]
  sdf.return
}

// -----

sdf.program @strides(%x: index) grid [1] {
  // expected-error @below {{has 0 strides, but the buffer has rank 2}}
  sdf.write #sdf.buffer<0, 8x64xf16> to %x[0, 0] bounds [8, 64] strides []
  sdf.return
}

// -----

sdf.program @negative_bound(%x: index) grid [1] {
  // expected-error @below {{bound of dimension 1 is -1, below 0}}
  sdf.read #sdf.buffer<0, 8x64xf16> from %x[0, 0] bounds [8, -1] strides [64, 1]
  sdf.return
}

// -----

sdf.program @open_entries(%x: index) grid [1] {
  // expected-error @below {{has 1 operands for offsets, but its static list leaves 0 open}}
  "sdf.read"(%x, %x) <{dst = #sdf.buffer<0, 8xf16>, static_offsets = array<i64: 0>,
    static_bounds = array<i64: 8>, static_strides = array<i64: 1>,
    operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>}> : (index, index) -> ()
  sdf.return
}

// -----

sdf.program @outside(%x: index) grid [1] {
  // expected-error @below {{takes bytes 2096128 to 2097663, but the scratchpad has 2097152 bytes}}
  sdf.write #sdf.buffer<2096128, 12x64xf16> to %x[0, 0] bounds [12, 64] strides [64, 1]
  sdf.return
}

// -----

sdf.program @half_a_range(%x: index) grid [1] {
  // expected-error @below {{within has 2 entries; expected two a dimension of the buffer, 4}}
  sdf.read #sdf.buffer<0, 8x64xf16> from %x[0, 0] bounds [8, 64] strides [64, 1] within [0, 8]
  sdf.return
}

// -----

sdf.program @empty_range(%x: index) grid [1] {
  // expected-error @below {{within of dimension 1 is 64 to 0; expected the first legal coordinate and the one after the last}}
  sdf.write #sdf.buffer<0, 8x64xf16> to %x[0, 0] bounds [8, 64] strides [64, 1] within [0, 8, 64, 0]
  sdf.return
}
