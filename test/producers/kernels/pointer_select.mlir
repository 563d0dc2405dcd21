#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @k(%q: index, %k: index, %y: index) attributes {grid = [2]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %1 = arith.cmpi eq, %0, %c0 : index
    %2 = arith.select %1, %q, %k : index
    %3 = ktdp.construct_memory_view %2, sizes: [16], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16xf16>
    %4 = ktdp.construct_memory_view %y, sizes: [2, 16], strides: [16, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<2x16xf16>
    %5 = ktdp.construct_access_tile %3[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<16xf16> -> !ktdp.access_tile<16xindex>
    %6 = ktdp.load %5 : <16xindex> -> tensor<16xf16>
    %expanded = tensor.expand_shape %6 [[0, 1]] output_shape [1, 16] : tensor<16xf16> into tensor<1x16xf16>
    %7 = ktdp.construct_access_tile %4[%0, %c0] {access_tile_order = #map1, access_tile_set = #set2} : memref<2x16xf16> -> !ktdp.access_tile<1x16xindex>
    ktdp.store %expanded, %7 : tensor<1x16xf16>, <1x16xindex>
    return
  }
}
