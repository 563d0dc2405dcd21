// RUN: not ktir-opt %s --ktir-lower-to-sdf --split-input-file 2>&1 | filecheck %s

// What has no lowering is refused by name, with the kernel, the types, the place and the reason.

// CHECK: error: kernel @unknown: 'vector.step' on () at {{.*}}invalid.mlir:7:8: no lowering to sdf is known for this op
func.func @unknown(%x: index) attributes {grid = [1]} {
  %e = vector.step : vector<4xindex>
  return
}

// -----

// CHECK: error: kernel @dynamic: 'arith.negf' {{.*}}it makes a tensor whose size has no bound that is known before the kernel runs; bound it with arith.minsi
#all = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id = affine_map<(d0) -> (d0)>
func.func @dynamic(%x: index, %n: index) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
    coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %t = ktdp.construct_access_tile %v[0] {access_tile_set = #all, access_tile_order = #id}
      : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %e = tensor.empty(%n) : tensor<?xf16>
  %r = arith.negf %e : tensor<?xf16>
  %s = tensor.cast %r : tensor<?xf16> to tensor<64xf16>
  ktdp.store %s, %t : tensor<64xf16>, <64xindex>
  return
}

// -----

// CHECK: error: kernel @body: 'linalg.generic' {{.*}}its body extracts an element inside of control flow; extract it before
#id = affine_map<(d0) -> (d0)>
func.func @body() attributes {grid = [1]} {
  %e = tensor.empty() : tensor<64xf16>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<64xf16>) {
  ^bb0(%o: f16):
    %i = linalg.index 0 : index
    %c = arith.cmpi eq, %i, %i : index
    %x = scf.if %c -> f16 {
      %v = tensor.extract %e[%i] : tensor<64xf16>
      scf.yield %v : f16
    } else {
      scf.yield %o : f16
    }
    linalg.yield %x : f16
  } -> tensor<64xf16>
  return
}

// -----

// CHECK: error: kernel @memrefs: {{.*}}its view is made by an argument of a block; expected 'ktdp.construct_memory_view'
func.func @memrefs(%m: memref<64xf16>) attributes {grid = [1]} {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%m : memref<64xf16>)
  return
}

// -----

// CHECK: error: kernel @result at {{.*}}invalid.mlir:{{[0-9:]+}} returns values to @host
func.func @result() -> index attributes {grid = [1]} {
  %c = arith.constant 0 : index
  return %c : index
}
func.func @host() {
  %c = call @result() : () -> index
  return
}

// -----

// CHECK: error: kernel @elsewhere: {{.*}}it is in the scratchpad of core 4, but the grid has 4 cores
#all = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>
#id = affine_map<(d0) -> (d0)>
func.func @elsewhere() attributes {grid = [4]} {
  %c0 = arith.constant 0 : index
  %v = ktdp.construct_memory_view %c0, sizes: [16], strides: [1] {
    coordinate_set = #all, memory_space = #ktdp.memory_space<ct_local, ct_id = 4>} : memref<16xf16>
  %t = ktdp.construct_access_tile %v[0] {access_tile_set = #all, access_tile_order = #id}
      : memref<16xf16> -> !ktdp.access_tile<16xindex>
  return
}

// -----

// CHECK: error: kernel @recursive: 'func.call' {{.*}}@again calls itself; use a loop
func.func private @again() {
  call @again() : () -> ()
  return
}
func.func @recursive() attributes {grid = [1]} {
  call @again() : () -> ()
  return
}

// -----

// CHECK: error: kernel @slices: 'spyreop.slice_reduction' on (tensor<64xf16>) at {{.*}}: what the elements of a register hold after it depends on the width of a slice, which is not public
func.func @slices() attributes {grid = [1]} {
  %x = tensor.empty() : tensor<64xf16>
  %r = spyreop.slice_reduction %x {
    reduction_kind = #spyreop.reduction_kind<add>, reduction_scope = #spyreop.reduction_scope<in_slice>
  } : tensor<64xf16> -> tensor<64xf16>
  return
}

// -----

// CHECK: error: kernel @pairs: 'tensor.empty' {{.*}}a buffer holds integers, floats or indices, not !spyreop.fp16_fused
#id = affine_map<(d0) -> (d0)>
func.func @pairs() attributes {grid = [1]} {
  %x = tensor.empty() : tensor<64xf16>
  %e = tensor.empty() : tensor<64x!spyreop.fp16_fused>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf16>) outs(%e : tensor<64x!spyreop.fp16_fused>) {
  ^bb0(%i: f16, %o: !spyreop.fp16_fused):
    %p = spyreop.exx2_fused %i : f16 -> !spyreop.fp16_fused
    linalg.yield %p : !spyreop.fp16_fused
  } -> tensor<64x!spyreop.fp16_fused>
  return
}

// -----

// Parts 0 and 1 both hold row 3.
#top = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#bottom = affine_set<(d0, d1) : (d0 - 3 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#all = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
// CHECK: error: kernel @overlap: 'ktdp.construct_distributed_memory_view' {{.*}}parts 0 and 1 both hold coordinates [3, 0]; parts of a distributed view must be disjoint
func.func @overlap(%x: index, %y: index) {
  %c0 = arith.constant 0 : index
  %a = ktdp.construct_memory_view %x, sizes: [4, 64], strides: [64, 1] {
    coordinate_set = #top, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x64xf16>
  %b = ktdp.construct_memory_view %y, sizes: [5, 64], strides: [64, 1] {
    coordinate_set = #bottom, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<5x64xf16>
  %v = ktdp.construct_distributed_memory_view (%a, %b : memref<4x64xf16>, memref<5x64xf16>) : memref<8x64xf16>
  %t = ktdp.construct_access_tile %v[%c0, %c0] {
    access_tile_set = #all, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
  } : memref<8x64xf16> -> !ktdp.access_tile<8x64xindex>
  %d = ktdp.load %t : !ktdp.access_tile<8x64xindex> -> tensor<8x64xf16>
  ktdp.store %d, %t : tensor<8x64xf16>, !ktdp.access_tile<8x64xindex>
  return
}
