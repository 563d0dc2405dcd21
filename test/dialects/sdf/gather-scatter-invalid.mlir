// RUN: ktir-opt %s -split-input-file -verify-diagnostics

sdf.program @underscore(%x: index) grid [1] {
  // expected-error @below {{'_' stands for dimension 1 of the buffer, which has rank 1}}
  sdf.gather #sdf.buffer<0, 8xf16> from %x[0, 0] via [#sdf.buffer<128, i32>[affine_map<(d0) -> ()>], _]
      bounds [8, 8] strides [8, 1]
  sdf.return
}

// -----

sdf.program @entry(%x: index) grid [1] {
  // expected-error @below {{expected '_', an affine map, a buffer with a map, or a table}}
  sdf.gather #sdf.buffer<0, 8xf16> from %x[0] via [3] bounds [8] strides [1]
  sdf.return
}

// -----

sdf.program @lists(%x: index) grid [1] {
  // expected-error @below {{has 2 offsets, but the via list has rank 1}}
  sdf.gather #sdf.buffer<0, 8xf16> from %x[0, 0] via [#sdf.buffer<128, 8xi32>[affine_map<(d0) -> (d0)>]]
      bounds [8] strides [1]
  sdf.return
}

// -----

sdf.program @map_rank(%x: index) grid [1] {
  // expected-error @below {{via entry 0 has the map affine_map<(d0, d1) -> (d0)>; expected a map of 1 dimensions and no symbol}}
  sdf.scatter #sdf.buffer<0, 8xf16> to %x[0] via [#sdf.buffer<128, 8xi32>[affine_map<(d0, d1) -> (d0)>]]
      bounds [8] strides [1]
  sdf.return
}

// -----

sdf.program @index_rank(%x: index) grid [1] {
  // expected-error @below {{via entry 0 has 1 expressions, but its index buffer #sdf.buffer<128, 2x8xi32> has rank 2}}
  sdf.gather #sdf.buffer<0, 8xf16> from %x[0] via [#sdf.buffer<128, 2x8xi32>[affine_map<(d0) -> (d0)>]]
      bounds [8] strides [1]
  sdf.return
}

// -----

sdf.program @index_type(%x: index) grid [1] {
  // expected-error @below {{index buffer #sdf.buffer<128, 8xf32> of via entry 0 holds 'f32'; expected integers}}
  sdf.gather #sdf.buffer<0, 8xf16> from %x[0] via [#sdf.buffer<128, 8xf32>[affine_map<(d0) -> (d0)>]]
      bounds [8] strides [1]
  sdf.return
}

// -----

sdf.program @overlap(%x: index) grid [1] {
  // expected-error @below {{index buffer #sdf.buffer<128, 8xi32> and data buffer #sdf.buffer<0, 8x64xf16> share bytes 128 to 255; place one of them elsewhere}}
  sdf.gather #sdf.buffer<0, 8x64xf16> from %x[0, 0] via [#sdf.buffer<128, 8xi32>[affine_map<(d0, d1) -> (d0)>], _]
      bounds [8, 64] strides [64, 1]
  sdf.return
}
