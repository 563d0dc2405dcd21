// RUN: ktir-opt %s -split-input-file -verify-diagnostics

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @sizes(%a: index) {
  // expected-error @below {{result memref rank does not match sizes/strides length: has 2 sizes, but the view 'memref<32x64x8xf16>' has rank 3}}
  %v = ktdp.construct_memory_view %a, sizes: [32, 64], strides: [64, 1] {
    coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<32x64x8xf16>
  return
}

// -----

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @strides(%a: index) {
  // expected-error @below {{has 1 strides, but the view 'memref<32x64xf16>' has rank 2}}
  %v = ktdp.construct_memory_view %a, sizes: [32, 64], strides: [64] {
    coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  return
}

// -----

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @shape(%a: index) {
  // expected-error @below {{size of dimension 0 is 16, but the view's type is 'memref<32x64xf16>'}}
  %v = ktdp.construct_memory_view %a, sizes: [16, 64], strides: [64, 1] {
    coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  return
}

// -----

#set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
func.func @set_rank(%a: index) {
  // expected-error @below {{coordinate_set has 1 dimensions, but the view 'memref<32x64xf16>' has rank 2}}
  %v = ktdp.construct_memory_view %a, sizes: [32, 64], strides: [64, 1] {
    coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  return
}

// -----

#set = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
func.func @set_symbols(%a: index) {
  // expected-error @below {{coordinate_set has 1 symbols, but only 0 sizes are values}}
  %v = ktdp.construct_memory_view %a, sizes: [32, 64], strides: [64, 1] {
    coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<32x64xf16>
  return
}

// -----

#set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
func.func @space(%a: index) {
  // expected-error @below {{memory_space is #ktdp.spyre_memory_space<LX>, but the view's type says #ktdp.spyre_memory_space<HBM>}}
  %v = ktdp.construct_memory_view %a, sizes: [32], strides: [1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<LX>
  } : memref<32xf16, #ktdp.spyre_memory_space<HBM>>
  return
}

// -----

#set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
func.func @core(%a: index) {
  // expected-error @below {{memory_space names core 32, but the device has cores 0 to 31}}
  %v = ktdp.construct_memory_view %a, sizes: [32], strides: [1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<LX, core = 32>} : memref<32xf16>
  return
}

// -----

#set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
module attributes {ktdp.cores = 4} {
  func.func @core_of_module(%a: index) {
    // expected-error @below {{memory_space names core 4, but the device has cores 0 to 3}}
    %v = ktdp.construct_memory_view %a, sizes: [32], strides: [1] {
      coordinate_set = #set, memory_space = #ktdp.memory_space<ct_local, ct_id = 4>} : memref<32xf16>
    return
  }
}
