// RUN: ktir-opt %s -split-input-file -verify-diagnostics

#set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#order = affine_map<(d0) -> (d0)>
func.func @types(%x: memref<8x8xf16>, %idx: memref<8xi64>) {
  // expected-error @+3 {{has 1 types, expected 2: that of the base, then one for each ind(..)}}
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%d) %x[ind(%idx[%d]), (%d)] {
    variables_space_set = #set, variables_space_order = #order
  } : memref<8x8xf16> -> !ktdp.access_tile<4xindex>
  return
}

// -----

#set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#order = affine_map<(d0) -> (d0)>
func.func @subscripts(%x: memref<8x8xf16>, %idx: memref<8xi64>) {
  // expected-error @below {{has 1 subscripts, but the base 'memref<8x8xf16>' has rank 2}}
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%d) %x[ind(%idx[%d])] {
    variables_space_set = #set, variables_space_order = #order
  } : memref<8x8xf16>, memref<8xi64> -> !ktdp.access_tile<4xindex>
  return
}

// -----

#set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#order = affine_map<(d0) -> (d0)>
func.func @view_rank(%x: memref<8xf16>, %idx: memref<8x8xi64>) {
  // expected-error @below {{subscript 0 has 1 expressions, but the view 'memref<8x8xi64>' has rank 2}}
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%d) %x[ind(%idx[%d])] {
    variables_space_set = #set, variables_space_order = #order
  } : memref<8xf16>, memref<8x8xi64> -> !ktdp.access_tile<4xindex>
  return
}

// -----

#set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#order = affine_map<(d0) -> (d0)>
func.func @view_type(%x: memref<8xf16>, %idx: memref<8xf16>) {
  // expected-error @below {{subscript 0 reads from 'memref<8xf16>'; expected a view of integers}}
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%d) %x[ind(%idx[%d])] {
    variables_space_set = #set, variables_space_order = #order
  } : memref<8xf16>, memref<8xf16> -> !ktdp.access_tile<4xindex>
  return
}

// -----

#set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#order = affine_map<(d0) -> (d0)>
func.func @direct(%x: memref<8xf16>) {
  // expected-error @below {{subscript 0 has 2 expressions; a direct one has one}}
  %t = "ktdp.construct_indirect_access_tile"(%x) <{
    per_dim_subscript_kinds = [false], per_dim_subscript_maps = [affine_map<(d0) -> (d0, d0)>],
    operandSegmentSizes = array<i32: 1, 0, 0, 0>,
    variables_space_set = #set, variables_space_order = #order
  }> ({
  ^bb0(%d: index):
    "ktdp.region_terminator"() : () -> ()
  }) : (memref<8xf16>) -> !ktdp.access_tile<4xindex>
  return
}

// -----

#set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#order = affine_map<(d0) -> (d0)>
func.func @variables(%x: memref<8xf16>) {
  // expected-error @below {{has 2 intermediate variables, but variables_space_set has 1 dimensions}}
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%d, %e) %x[(%d)] {
    variables_space_set = #set, variables_space_order = #order
  } : memref<8xf16> -> !ktdp.access_tile<4xindex>
  return
}

// -----

#set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#order = affine_map<(d0) -> (d0)>
func.func @tile(%x: memref<8xf16>) {
  // expected-error @below {{tile '!ktdp.access_tile<5xindex>' does not fit variables_space_set, which is a box of 4 points}}
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%d) %x[(%d)] {
    variables_space_set = #set, variables_space_order = #order
  } : memref<8xf16> -> !ktdp.access_tile<5xindex>
  return
}
