// RUN: ktir-opt %s --split-input-file --verify-diagnostics

sdf.program @table_shape(%x: index) grid [4] {
  // expected-error @below {{via entry 0 is a table of type 'tensor<4xi64>'; expected one of i64 with the shape of #sdf.buffer<0, 2x2xf16>}}
  sdf.gather #sdf.buffer<0, 2x2xf16> from %x[0, 0] via [dense<0> : tensor<4xi64>, _]
      bounds [8, 64] strides [64, 1]
  sdf.return
}

// -----

sdf.program @table_type(%x: index) grid [4] {
  // expected-error @below {{via entry 0 is a table of type 'tensor<8xi32>'; expected one of i64 with the shape of}}
  sdf.scatter #sdf.buffer<0, 8xf16> to %x[0] via [dense<0> : tensor<8xi32>] bounds [8] strides [1]
  sdf.return
}

// -----

sdf.program @table_map(%x: index) grid [4] {
  // expected-error @below {{via entry 0 has the map affine_map<(d0) -> (0)>; a table has the identity map}}
  "sdf.gather"(%x) <{dst = #sdf.buffer<0, 8xf16>, index_buffers = [dense<0> : tensor<8xi64>],
      index_maps = [affine_map<(d0) -> (0)>], static_offsets = array<i64: 0>,
      static_bounds = array<i64: 8>, static_strides = array<i64: 1>,
      operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>}> : (index) -> ()
  sdf.return
}

// -----

sdf.program @constant() grid [4] {
  // expected-error @below {{value is 'tensor<4xf16>', but the buffer is #sdf.buffer<0, 2x2xf16>; both have the same shape and element type}}
  sdf.constant #sdf.buffer<0, 2x2xf16>, dense<0.0> : tensor<4xf16>
  sdf.return
}
