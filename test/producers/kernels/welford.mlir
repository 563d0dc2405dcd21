#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 8 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 31 >= 0)>
module {
  func.func @k(%x: index, %m: index, %v: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %cst = arith.constant dense<0.000000e+00> : tensor<1x32xf32>
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = ktdp.construct_memory_view %x, sizes: [9, 32], strides: [32, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<9x32xf32>
    %1 = ktdp.construct_memory_view %m, sizes: [1, 32], strides: [32, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<1x32xf32>
    %2 = ktdp.construct_memory_view %v, sizes: [1, 32], strides: [32, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<1x32xf32>
    %3:3 = scf.for %arg3 = %c0 to %c9 step %c1 iter_args(%arg4 = %cst, %arg5 = %cst, %arg6 = %cst_1) -> (tensor<1x32xf32>, tensor<1x32xf32>, f32) {
      %7 = ktdp.construct_access_tile %0[%arg3, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<9x32xf32> -> !ktdp.access_tile<1x32xindex>
      %8 = ktdp.load %7 : <1x32xindex> -> tensor<1x32xf32>
      %9 = arith.addf %arg6, %cst_0 : f32
      %splat_2 = tensor.splat %9 : tensor<1x32xf32>
      %10 = arith.subf %8, %arg4 : tensor<1x32xf32>
      %11 = arith.divf %10, %splat_2 : tensor<1x32xf32>
      %12 = arith.addf %arg4, %11 : tensor<1x32xf32>
      %13 = arith.subf %8, %12 : tensor<1x32xf32>
      %14 = arith.mulf %10, %13 : tensor<1x32xf32>
      %15 = arith.addf %arg5, %14 : tensor<1x32xf32>
      scf.yield %12, %15, %9 : tensor<1x32xf32>, tensor<1x32xf32>, f32
    }
    %splat = tensor.splat %3#2 : tensor<1x32xf32>
    %4 = arith.divf %3#1, %splat : tensor<1x32xf32>
    %5 = ktdp.construct_access_tile %1[%c0, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<1x32xf32> -> !ktdp.access_tile<1x32xindex>
    ktdp.store %3#0, %5 : tensor<1x32xf32>, <1x32xindex>
    %6 = ktdp.construct_access_tile %2[%c0, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<1x32xf32> -> !ktdp.access_tile<1x32xindex>
    ktdp.store %4, %6 : tensor<1x32xf32>, <1x32xindex>
    return
  }
}
