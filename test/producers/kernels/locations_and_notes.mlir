#loc = loc("kernel.py":10:0)
#set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
module attributes {tt.target = "spyre", dlti.x = 1 : i32} {
  func.func public @k(%arg0: index loc("kernel.py":10:0), %arg1: index loc("kernel.py":10:0)) attributes {grid = [1 : i64], tt.noinline = false} {
    %c0 = arith.constant 0 : index loc(#loc1)
    %0 = ktdp.construct_memory_view %arg0, sizes: [32], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32xf16> loc(#loc1)
    %1 = ktdp.construct_memory_view %arg1, sizes: [32], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32xf16> loc(#loc1)
    %2 = ktdp.construct_access_tile %0[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<32xf16> -> !ktdp.access_tile<32xindex> loc(#loc2)
    %3 = ktdp.load %2 : <32xindex> -> tensor<32xf16> loc(#loc2)
    %cst = arith.constant dense<0x3C00> : tensor<32xf16> loc(#loc)
    %4 = arith.addf %3, %cst : tensor<32xf16> loc(#loc2)
    %5 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<32xf16> -> !ktdp.access_tile<32xindex> loc(#loc2)
    ktdp.store %4, %5 : tensor<32xf16>, <32xindex> loc(callsite(#loc2 at #loc1))
    return loc(#loc)
  } loc(#loc)
} loc(#loc)
#map = affine_map<(d0) -> (d0)>
#loc1 = loc("kernel.py":12:4)
#loc2 = loc(fused<"x">["a", #loc1])
