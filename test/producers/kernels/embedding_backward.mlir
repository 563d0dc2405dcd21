#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 11 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 11 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set4 = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>
module {
  func.func @k(%g: index, %ids: index, %dw: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %0 = ktdp.construct_memory_view %g, sizes: [12, 32], strides: [32, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<12x32xf32>
    %1 = ktdp.construct_memory_view %ids, sizes: [12], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<12xi32>
    %2 = ktdp.construct_memory_view %dw, sizes: [6, 32], strides: [32, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<6x32xf32>
    scf.for %arg3 = %c0 to %c12 step %c1 {
      %3 = ktdp.construct_access_tile %0[%arg3, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<12x32xf32> -> !ktdp.access_tile<1x32xindex>
      %4 = ktdp.load %3 : <1x32xindex> -> tensor<1x32xf32>
      %5 = ktdp.construct_access_tile %1[%arg3] {access_tile_order = #map1, access_tile_set = #set4} : memref<12xi32> -> !ktdp.access_tile<1xindex>
      %6 = ktdp.load %5 : <1xindex> -> tensor<1xi32>
      %extracted = tensor.extract %6[%c0] : tensor<1xi32>
      %7 = arith.index_cast %extracted : i32 to index
      %8 = ktdp.construct_access_tile %2[%7, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<6x32xf32> -> !ktdp.access_tile<1x32xindex>
      %9 = ktdp.load %8 : <1x32xindex> -> tensor<1x32xf32>
      %10 = arith.addf %9, %4 : tensor<1x32xf32>
      %11 = ktdp.construct_access_tile %2[%7, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<6x32xf32> -> !ktdp.access_tile<1x32xindex>
      ktdp.store %10, %11 : tensor<1x32xf32>, <1x32xindex>
    }
    return
  }
}
