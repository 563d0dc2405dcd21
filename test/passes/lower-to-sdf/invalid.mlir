// RUN: not ktir-opt %s --ktir-lower-to-sdf --split-input-file 2>&1 | filecheck %s

// What has no lowering is refused by name, with the kernel, the types, the place and the reason.

// CHECK: error: kernel @unknown: 'tensor.gather' on (tensor<64xf16>, tensor<4x1xindex>) at {{.*}}invalid.mlir:9:8: no lowering to sdf is known for this op
func.func @unknown(%x: index) attributes {grid = [1]} {
  %e = tensor.empty() : tensor<64xf16>
  %i = tensor.empty() : tensor<4x1xindex>
  %g = tensor.gather %e[%i] gather_dims([0]) : (tensor<64xf16>, tensor<4x1xindex>) -> tensor<4xf16>
  return
}

// -----

// CHECK: error: kernel @local: 'ktdp.construct_memory_view' on (index) at {{.*}}invalid.mlir:{{[0-9:]+}}: the memory space is #ktdp.spyre_memory_space<LX>; transfers reach device memory (HBM, global) only
#set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id = affine_map<(d0) -> (d0)>
func.func @local(%x: index) {
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<LX>} : memref<64xf16>
  %t = ktdp.construct_access_tile %v[0] {access_tile_set = #set, access_tile_order = #id}
      : memref<64xf16> -> !ktdp.access_tile<64xindex>
  return
}

// -----

// CHECK: error: kernel @distributed: 'ktdp.construct_access_tile' on (memref<128xf16>) at {{.*}}invalid.mlir:{{[0-9:]+}}: its view is made by 'ktdp.construct_distributed_memory_view'
#low = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#high = affine_set<(d0) : (d0 - 64 >= 0, -d0 + 127 >= 0)>
#id = affine_map<(d0) -> (d0)>
func.func @distributed(%x: index, %y: index) {
  %a = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
    coordinate_set = #low, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64xf16>
  %b = ktdp.construct_memory_view %y, sizes: [64], strides: [1] {
    coordinate_set = #high, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64xf16>
  %v = ktdp.construct_distributed_memory_view (%a, %b : memref<64xf16>, memref<64xf16>) : memref<128xf16>
  %t = ktdp.construct_access_tile %v[0] {access_tile_set = #low, access_tile_order = #id}
      : memref<128xf16> -> !ktdp.access_tile<64xindex>
  return
}

// -----

// CHECK: error: kernel @shifted_view: {{.*}}its coordinate_set does not start at 0 in d0
#high = affine_set<(d0) : (d0 - 64 >= 0, -d0 + 127 >= 0)>
#tile = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id = affine_map<(d0) -> (d0)>
func.func @shifted_view(%x: index) {
  %v = ktdp.construct_memory_view %x, sizes: [128], strides: [1] {
    coordinate_set = #high, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<128xf16>
  %t = ktdp.construct_access_tile %v[64] {access_tile_set = #tile, access_tile_order = #id}
      : memref<128xf16> -> !ktdp.access_tile<64xindex>
  return
}

// -----

// CHECK: error: kernel @triangle: {{.*}}its access_tile_set is not a box: the constraint {{.*}} >= 0 relates d0 and d1
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 3 >= 0)>
#triangle = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, d0 - d1 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @triangle(%x: index) {
  %v = ktdp.construct_memory_view %x, sizes: [4, 4], strides: [4, 1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x4xf16>
  %t = ktdp.construct_access_tile %v[0, 0] {access_tile_set = #triangle, access_tile_order = #id}
      : memref<4x4xf16> -> !ktdp.access_tile<10x1xindex>
  return
}

// -----

// CHECK: error: kernel @dynamic: 'arith.negf' {{.*}}tensor<?xf16> is dynamic; a buffer needs a static shape
func.func @dynamic(%n: index) attributes {grid = [1]} {
  %e = tensor.empty(%n) : tensor<?xf16>
  %r = arith.negf %e : tensor<?xf16>
  return
}

// -----

// CHECK: error: kernel @body: 'linalg.generic' {{.*}}its body holds 'tensor.extract'; a compute body holds arithmetic on scalars
#id = affine_map<(d0) -> (d0)>
func.func @body() attributes {grid = [1]} {
  %e = tensor.empty() : tensor<64xf16>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<64xf16>) {
  ^bb0(%o: f16):
    %i = linalg.index 0 : index
    %x = tensor.extract %e[%i] : tensor<64xf16>
    linalg.yield %x : f16
  } -> tensor<64xf16>
  return
}

// -----

// CHECK: error: kernel @memrefs: 'linalg.fill' {{.*}}ops on memrefs have no lowering to sdf; use tensors
func.func @memrefs(%m: memref<64xf16>) attributes {grid = [1]} {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%m : memref<64xf16>)
  return
}

// -----

// CHECK: error: kernel @result at {{.*}}invalid.mlir:{{[0-9:]+}} returns values
func.func @result() -> index attributes {grid = [1]} {
  %c = arith.constant 0 : index
  return %c : index
}

// -----

// CHECK: error: kernel @mixed: {{.*}}the subscript {{.*}} does not add a part of its variables to a part of other values
#pages = affine_set<(d0, d1) : (d0 >= 0, -d0 + 99 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#table = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @mixed(%x: index, %t: index, %b: index) {
  %xv = ktdp.construct_memory_view %x, sizes: [100, 64], strides: [64, 1] {
    coordinate_set = #pages, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<100x64xf16>
  %tv = ktdp.construct_memory_view %t, sizes: [32], strides: [1] {
    coordinate_set = #table, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32xi32>
  %tile = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k)
      %xv[ind(%tv[(%b + %m) floordiv 16]), (%k)] {
    variables_space_set = #pages, variables_space_order = #id
  } : memref<100x64xf16>, memref<32xi32> -> !ktdp.access_tile<100x64xindex>
  return
}
