#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>
module {
  func.func private @ld(%arg0: memref<16xf16>, %arg1: index) -> tensor<4xf16> {
    %0 = ktdp.construct_access_tile %arg0[%arg1] {access_tile_order = #map, access_tile_set = #set} : memref<16xf16> -> !ktdp.access_tile<4xindex>
    %1 = ktdp.load %0 : <4xindex> -> tensor<4xf16>
    return %1 : tensor<4xf16>
  }
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %0 = ktdp.construct_memory_view %x, sizes: [16], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16xf16>
    %1 = call @ld(%0, %c8) : (memref<16xf16>, index) -> tensor<4xf16>
    %2 = ktdp.construct_memory_view %y, sizes: [4], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4xf16>
    %3 = ktdp.construct_access_tile %2[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<4xf16> -> !ktdp.access_tile<4xindex>
    ktdp.store %1, %3 : tensor<4xf16>, <4xindex>
    return
  }
}
