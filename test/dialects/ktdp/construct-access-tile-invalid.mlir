// RUN: ktir-opt %s -split-input-file -verify-diagnostics

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 31 >= 0)>
func.func @subscripts(%v: memref<32x64xf16>, %i: index) {
  // expected-error @below {{has 1 subscripts, but the base 'memref<32x64xf16>' has rank 2}}
  %t = ktdp.construct_access_tile %v[%i] {
    access_tile_set = #set, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
  } : memref<32x64xf16> -> !ktdp.access_tile<16x32xindex>
  return
}

// -----

func.func @set_rank(%v: memref<32x64xf16>, %i: index) {
  // expected-error @below {{access_tile_set has 1 dimensions, but the base 'memref<32x64xf16>' has rank 2}}
  %t = ktdp.construct_access_tile %v[%i, %i] {
    access_tile_set = affine_set<(d0) : (d0 >= 0)>, access_tile_order = affine_map<(d0) -> (d0)>
  } : memref<32x64xf16> -> !ktdp.access_tile<16xindex>
  return
}

// -----

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 31 >= 0)>
func.func @order(%v: memref<32x64xf16>, %i: index) {
  // expected-error @below {{access_tile_order is affine_map<(d0, d1) -> (d0, d0)>; expected a permutation of the dimensions of access_tile_set}}
  %t = ktdp.construct_access_tile %v[%i, %i] {
    access_tile_set = #set, access_tile_order = affine_map<(d0, d1) -> (d0, d0)>
  } : memref<32x64xf16> -> !ktdp.access_tile<16x32xindex>
  return
}

// -----

func.func @symbols(%v: memref<32xf16>, %i: index) {
  // expected-error @below {{access_tile_set has 1 symbols, but 0 values are bound; write symbols(..)}}
  %t = ktdp.construct_access_tile %v[%i] {
    access_tile_set = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>,
    access_tile_order = affine_map<(d0) -> (d0)>
  } : memref<32xf16> -> !ktdp.access_tile<?xindex>
  return
}

// -----

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 31 >= 0)>
func.func @tile_rank(%v: memref<32x64xf16>, %i: index) {
  // expected-error @below {{tile '!ktdp.access_tile<512xindex>' has rank 1, but access_tile_set has 2 dimensions}}
  %t = ktdp.construct_access_tile %v[%i, %i] {
    access_tile_set = #set, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
  } : memref<32x64xf16> -> !ktdp.access_tile<512xindex>
  return
}

// -----

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 31 >= 0)>
func.func @tile_points(%v: memref<32x64xf16>, %i: index) {
  // expected-error @below {{tile '!ktdp.access_tile<8x32xindex>' does not fit access_tile_set, which is a box of 16 x 32 points}}
  %t = ktdp.construct_access_tile %v[%i, %i] {
    access_tile_set = #set, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
  } : memref<32x64xf16> -> !ktdp.access_tile<8x32xindex>
  return
}

// -----

#set = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 31 >= 0)>
func.func @tile_points_symbolic(%v: memref<32x64xf16>, %i: index, %n: index) {
  // expected-error @below {{which is a box of ? x 32 points}}
  %t = ktdp.construct_access_tile %v[%i, %i] symbols(%n) {
    access_tile_set = #set, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
  } : memref<32x64xf16> -> !ktdp.access_tile<8x16xindex>
  return
}

// -----

func.func @no_set(%v: memref<32xf16>, %i: index) {
  // expected-error @below {{requires attribute 'access_tile_set'}}
  %t = ktdp.construct_access_tile %v[%i] {access_tile_order = affine_map<(d0) -> (d0)>}
         : memref<32xf16> -> !ktdp.access_tile<8xindex>
  return
}

// -----

func.func @no_rank(%v: tensor<*xf16>) {
  // expected-error @below {{base is 'tensor<*xf16>'; coordinates need a rank, as in tensor<?x64xf16>}}
  %t = ktdp.construct_access_tile %v[] {
    access_tile_set = affine_set<() : (0 == 0)>, access_tile_order = affine_map<() -> ()>
  } : tensor<*xf16> -> !ktdp.access_tile<index>
  return
}

// -----

// One row of a set that has two: a public test is written so. It parses, with a warning.
func.func @part(%v: memref<96x64xf16>, %i: index) {
  // expected-warning @below {{tile '!ktdp.access_tile<1x64xindex>' does not fit access_tile_set, which is a box of 2 x 64 points}}
  %t = ktdp.construct_access_tile %v[%i, 0] {
    access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
    access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
  } : memref<96x64xf16> -> <1x64xindex>
  return
}
