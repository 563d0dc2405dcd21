#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 2 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 4 >= 0)>
#set1 = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 4 >= 0, d2 >= 0, -d2 + 2 >= 0, d3 >= 0, -d3 + 3 >= 0)>
#set2 = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 2 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 4 >= 0)>
#set3 = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 4 >= 0, d2 >= 0, -d2 + 2 >= 0, d3 >= 0, -d3 + 3 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [2]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %1 = ktdp.construct_memory_view %x, sizes: [2, 3, 4, 5], strides: [60, 20, 5, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<2x3x4x5xi16>
    %2 = ktdp.construct_memory_view %y, sizes: [2, 5, 3, 4], strides: [60, 12, 4, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<2x5x3x4xi16>
    %3 = ktdp.construct_access_tile %1[%0, %c0, %c0, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<2x3x4x5xi16> -> !ktdp.access_tile<1x3x4x5xindex>
    %4 = ktdp.load %3 : <1x3x4x5xindex> -> tensor<1x3x4x5xi16>
    %5 = tensor.empty() : tensor<1x5x3x4xi16>
    %transposed = linalg.transpose ins(%4 : tensor<1x3x4x5xi16>) outs(%5 : tensor<1x5x3x4xi16>) permutation = [0, 3, 1, 2] 
    %6 = ktdp.construct_access_tile %2[%0, %c0, %c0, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<2x5x3x4xi16> -> !ktdp.access_tile<1x5x3x4xindex>
    ktdp.store %transposed, %6 : tensor<1x5x3x4xi16>, <1x5x3x4xindex>
    return
  }
}
