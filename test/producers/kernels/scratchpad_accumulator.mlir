#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 31 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set3 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 >= 0, d2 >= 0, -d2 + 31 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [2]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %1 = ktdp.construct_memory_view %x, sizes: [2, 4, 32], strides: [128, 32, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<2x4x32xf32>
    %2 = ktdp.construct_memory_view %y, sizes: [2, 32], strides: [32, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<2x32xf32>
    %3 = ktdp.construct_memory_view %c0, sizes: [1, 32], strides: [32, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<LX>} : memref<1x32xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<1x32xf32>
    %4 = ktdp.construct_access_tile %3[%c0, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<1x32xf32> -> !ktdp.access_tile<1x32xindex>
    ktdp.store %cst, %4 : tensor<1x32xf32>, <1x32xindex>
    scf.for %arg2 = %c0 to %c4 step %c1 {
      %8 = ktdp.construct_access_tile %1[%0, %arg2, %c0] {access_tile_order = #map1, access_tile_set = #set3} : memref<2x4x32xf32> -> !ktdp.access_tile<1x1x32xindex>
      %9 = ktdp.load %8 : <1x1x32xindex> -> tensor<1x1x32xf32>
      %collapsed = tensor.collapse_shape %9 [[0, 1], [2]] : tensor<1x1x32xf32> into tensor<1x32xf32>
      %10 = ktdp.construct_access_tile %3[%c0, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<1x32xf32> -> !ktdp.access_tile<1x32xindex>
      %11 = ktdp.load %10 : <1x32xindex> -> tensor<1x32xf32>
      %12 = arith.addf %11, %collapsed : tensor<1x32xf32>
      %13 = ktdp.construct_access_tile %3[%c0, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<1x32xf32> -> !ktdp.access_tile<1x32xindex>
      ktdp.store %12, %13 : tensor<1x32xf32>, <1x32xindex>
    }
    %5 = ktdp.construct_access_tile %3[%c0, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<1x32xf32> -> !ktdp.access_tile<1x32xindex>
    %6 = ktdp.load %5 : <1x32xindex> -> tensor<1x32xf32>
    %7 = ktdp.construct_access_tile %2[%0, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<2x32xf32> -> !ktdp.access_tile<1x32xindex>
    ktdp.store %6, %7 : tensor<1x32xf32>, <1x32xindex>
    return
  }
}
