// RUN: ktir-opt %s --ktir-lower-to-sdf="scratchpad-limit=16384" | filecheck %s
// RUN: ktir-opt %s --ktir-lower-to-sdf="scratchpad-limit=4194304" | filecheck %s --check-prefix=LARGE
// RUN: not ktir-opt %s --ktir-lower-to-sdf="scratchpad-limit=16383" 2>&1 | filecheck %s --check-prefix=SMALL

// Two tiles of 8 KiB are alive together.

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK: sdf.program @two
// LARGE: module attributes {sdf.scratchpad_bytes = 4194304 : i64}
// SMALL: kernel @two at {{.*}}limit.mlir:14:1: the scratchpad overflows: 16384 bytes live, 16383 bytes there
// SMALL-SAME: ktdp.load 64x64xf16 at {{.*}}limit.mlir:19:8 (8192 bytes)
func.func @two(%x: index) {
  %xv = ktdp.construct_memory_view %x, sizes: [64, 64], strides: [64, 1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64x64xf16>
  %xt = ktdp.construct_access_tile %xv[0, 0] {access_tile_set = #set, access_tile_order = #id}
      : memref<64x64xf16> -> !ktdp.access_tile<64x64xindex>
  %a = ktdp.load %xt : <64x64xindex> -> tensor<64x64xf16>
  %b = ktdp.load %xt : <64x64xindex> -> tensor<64x64xf16>
  %c = arith.addf %a, %b : tensor<64x64xf16>
  ktdp.store %c, %xt : tensor<64x64xf16>, <64x64xindex>
  return
}
