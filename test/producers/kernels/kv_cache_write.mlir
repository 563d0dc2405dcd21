#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
module {
  func.func @k(%k: index, %slot: index, %cache: index) attributes {grid = [2]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %1 = arith.muli %0, %c4 : index
    %2 = ktdp.construct_memory_view %k, sizes: [8, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8x64xf16>
    %3 = ktdp.construct_memory_view %slot, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xi32>
    %4 = ktdp.construct_memory_view %cache, sizes: [32, 64], strides: [64, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32x64xf16>
    %5 = ktdp.construct_access_tile %2[%1, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<8x64xf16> -> !ktdp.access_tile<4x64xindex>
    %6 = ktdp.load %5 : <4x64xindex> -> tensor<4x64xf16>
    %7 = ktdp.construct_indirect_access_tile intermediate_variables(%arg3, %arg4) %4[ind(%3[%1 + %arg3]), (%arg4)] {variables_space_order = #map, variables_space_set = #set3} : memref<32x64xf16>, memref<8xi32> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %6, %7 : tensor<4x64xf16>, <4x64xindex>
    return
  }
}
