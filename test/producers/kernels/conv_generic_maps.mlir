#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d2, d1 * 2 + d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 11 >= 0)>
#set1 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 2 >= 0, d2 >= 0, -d2 + 2 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 4 >= 0)>
module {
  func.func @k(%x: index, %w: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %0 = ktdp.construct_memory_view %x, sizes: [3, 12], strides: [12, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x12xf16>
    %1 = ktdp.construct_memory_view %w, sizes: [2, 3, 3], strides: [9, 3, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<2x3x3xf16>
    %2 = ktdp.construct_memory_view %y, sizes: [2, 5], strides: [5, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<2x5xf32>
    %3 = ktdp.construct_access_tile %0[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<3x12xf16> -> !ktdp.access_tile<3x12xindex>
    %4 = ktdp.load %3 : <3x12xindex> -> tensor<3x12xf16>
    %5 = ktdp.construct_access_tile %1[%c0, %c0, %c0] {access_tile_order = #map1, access_tile_set = #set1} : memref<2x3x3xf16> -> !ktdp.access_tile<2x3x3xindex>
    %6 = ktdp.load %5 : <2x3x3xindex> -> tensor<2x3x3xf16>
    %cst = arith.constant dense<0.000000e+00> : tensor<2x5xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%4, %6 : tensor<3x12xf16>, tensor<2x3x3xf16>) outs(%cst : tensor<2x5xf32>) {
    ^bb0(%in: f16, %in_0: f16, %out: f32):
      %9 = arith.extf %in : f16 to f32
      %10 = arith.extf %in_0 : f16 to f32
      %11 = arith.mulf %9, %10 : f32
      %12 = arith.addf %out, %11 : f32
      linalg.yield %12 : f32
    } -> tensor<2x5xf32>
    %8 = ktdp.construct_access_tile %2[%c0, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<2x5xf32> -> !ktdp.access_tile<2x5xindex>
    ktdp.store %7, %8 : tensor<2x5xf32>, <2x5xindex>
    return
  }
}
