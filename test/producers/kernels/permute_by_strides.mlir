#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 4 >= 0, d1 >= 0, -d1 + 2 >= 0, d2 >= 0, -d2 + 3 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %0 = ktdp.construct_memory_view %x, sizes: [5, 3, 4], strides: [1, 20, 5] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<5x3x4xf16>
    %1 = ktdp.construct_memory_view %y, sizes: [5, 3, 4], strides: [12, 4, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<5x3x4xf16>
    %2 = ktdp.construct_access_tile %0[%c0, %c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<5x3x4xf16> -> !ktdp.access_tile<5x3x4xindex>
    %3 = ktdp.load %2 : <5x3x4xindex> -> tensor<5x3x4xf16>
    %4 = ktdp.construct_access_tile %1[%c0, %c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<5x3x4xf16> -> !ktdp.access_tile<5x3x4xindex>
    ktdp.store %3, %4 : tensor<5x3x4xf16>, <5x3x4xindex>
    return
  }
}
