// RUN: ktir-opt %s -split-input-file -verify-diagnostics

sdf.program @buffers() grid [1] {
  // expected-error @below {{has 1 buffers and a set of 2 dimensions; expected one a dimension, at least one}}
  sdf.points #sdf.buffer<0, 4xi64> of affine_set<(d0, d1) : (d0 >= 0)> order affine_map<(d0, d1) -> (d0)>
  sdf.return
}

// -----

sdf.program @symbols(%n: index) grid [1] {
  // expected-error @below {{has 1 symbols; its set has 0}}
  sdf.points #sdf.buffer<0, 4xi64> of affine_set<(d0) : (d0 >= 0)>[%n] order affine_map<(d0) -> (d0)>
  sdf.return
}

// -----

sdf.program @order() grid [1] {
  // expected-error @below {{has the order affine_map<(d0, d1) -> (d0)>; expected a map of 1 dimensions and no symbol}}
  sdf.points #sdf.buffer<0, 4xi64> of affine_set<(d0) : (d0 >= 0)> order affine_map<(d0, d1) -> (d0)>
  sdf.return
}

// -----

sdf.program @elements() grid [1] {
  // expected-error @below {{buffer #sdf.buffer<0, 4xi32> holds 'i32'; coordinates are i64}}
  sdf.points #sdf.buffer<0, 4xi32> of affine_set<(d0) : (d0 >= 0)> order affine_map<(d0) -> (d0)>
  sdf.return
}

// -----

sdf.program @shapes() grid [1] {
  // expected-error @below {{buffers #sdf.buffer<0, 4xi64> and #sdf.buffer<128, 2x2xi64> differ in shape; points have one element in each}}
  sdf.points #sdf.buffer<0, 4xi64>, #sdf.buffer<128, 2x2xi64> of affine_set<(d0, d1) : (d0 >= 0)>
      order affine_map<(d0, d1) -> (d0, d1)>
  sdf.return
}

// -----

sdf.program @overlap() grid [1] {
  // expected-error @below {{share bytes 0 to 127; place one of them elsewhere}}
  sdf.points #sdf.buffer<0, 4xi64>, #sdf.buffer<0, 4xi64> of affine_set<(d0, d1) : (d0 >= 0)>
      order affine_map<(d0, d1) -> (d0, d1)>
  sdf.return
}
