#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 8 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [2]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %1 = ktdp.construct_memory_view %x, sizes: [9, 32], strides: [32, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<9x32xf16>
    %2 = ktdp.construct_memory_view %y, sizes: [2, 8], strides: [8, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<2x8xf16>
    %3 = ktdp.construct_access_tile %1[%0 * 4 + %c1, %0 floordiv 2 + 8] {access_tile_order = #map, access_tile_set = #set2} : memref<9x32xf16> -> !ktdp.access_tile<1x8xindex>
    %4 = ktdp.load %3 : <1x8xindex> -> tensor<1x8xf16>
    %5 = ktdp.construct_access_tile %2[%0, 0] {access_tile_order = #map, access_tile_set = #set2} : memref<2x8xf16> -> !ktdp.access_tile<1x8xindex>
    ktdp.store %4, %5 : tensor<1x8xf16>, <1x8xindex>
    return
  }
}
