#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 19 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set3 = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>
#set4 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @k(%x: index, %off: index, %y: index) attributes {grid = [3]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %1 = ktdp.construct_memory_view %x, sizes: [20, 16], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<20x16xf32>
    %2 = ktdp.construct_memory_view %off, sizes: [4], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4xi64>
    %3 = ktdp.construct_memory_view %y, sizes: [3, 16], strides: [16, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x16xf32>
    %4 = ktdp.construct_access_tile %2[%0] {access_tile_order = #map, access_tile_set = #set3} : memref<4xi64> -> !ktdp.access_tile<2xindex>
    %5 = ktdp.load %4 : <2xindex> -> tensor<2xi64>
    %extracted = tensor.extract %5[%c0] : tensor<2xi64>
    %extracted_0 = tensor.extract %5[%c1] : tensor<2xi64>
    %6 = arith.index_cast %extracted : i64 to index
    %7 = arith.index_cast %extracted_0 : i64 to index
    %cst = arith.constant dense<0.000000e+00> : tensor<1x16xf32>
    %8 = scf.for %arg3 = %6 to %7 step %c1 iter_args(%arg4 = %cst) -> (tensor<1x16xf32>) {
      %10 = ktdp.construct_access_tile %1[%arg3, %c0] {access_tile_order = #map1, access_tile_set = #set4} : memref<20x16xf32> -> !ktdp.access_tile<1x16xindex>
      %11 = ktdp.load %10 : <1x16xindex> -> tensor<1x16xf32>
      %12 = arith.addf %arg4, %11 : tensor<1x16xf32>
      scf.yield %12 : tensor<1x16xf32>
    }
    %9 = ktdp.construct_access_tile %3[%0, %c0] {access_tile_order = #map1, access_tile_set = #set4} : memref<3x16xf32> -> !ktdp.access_tile<1x16xindex>
    ktdp.store %8, %9 : tensor<1x16xf32>, <1x16xindex>
    return
  }
}
