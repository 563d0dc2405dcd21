#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 2 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 5 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 5 >= 0)>
module {
  func.func @k(%x: index, %w: index, %y: index) attributes {grid = [4]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %cst = arith.constant dense<0.000000e+00> : tensor<1x6xf32>
    %1 = ktdp.construct_memory_view %x, sizes: [6, 8], strides: [8, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<6x8xf32>
    %2 = ktdp.construct_memory_view %w, sizes: [3, 3], strides: [3, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x3xf32>
    %3 = ktdp.construct_memory_view %y, sizes: [4, 6], strides: [6, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x6xf32>
    %4 = ktdp.construct_access_tile %2[%c0, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<3x3xf32> -> !ktdp.access_tile<3x3xindex>
    %5 = ktdp.load %4 : <3x3xindex> -> tensor<3x3xf32>
    %6 = scf.for %arg3 = %c0 to %c3 step %c1 iter_args(%arg4 = %cst) -> (tensor<1x6xf32>) {
      %8 = scf.for %arg5 = %c0 to %c3 step %c1 iter_args(%arg6 = %arg4) -> (tensor<1x6xf32>) {
        %9 = arith.addi %0, %arg3 : index
        %10 = ktdp.construct_access_tile %1[%9, %arg5] {access_tile_order = #map, access_tile_set = #set3} : memref<6x8xf32> -> !ktdp.access_tile<1x6xindex>
        %11 = ktdp.load %10 : <1x6xindex> -> tensor<1x6xf32>
        %extracted = tensor.extract %5[%arg3, %arg5] : tensor<3x3xf32>
        %splat = tensor.splat %extracted : tensor<1x6xf32>
        %12 = arith.mulf %11, %splat : tensor<1x6xf32>
        %13 = arith.addf %arg6, %12 : tensor<1x6xf32>
        scf.yield %13 : tensor<1x6xf32>
      }
      scf.yield %8 : tensor<1x6xf32>
    }
    %7 = ktdp.construct_access_tile %3[%0, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<4x6xf32> -> !ktdp.access_tile<1x6xindex>
    ktdp.store %6, %7 : tensor<1x6xf32>, <1x6xindex>
    return
  }
}
