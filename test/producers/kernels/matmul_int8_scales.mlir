#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0, d1) -> (d0)>
#map6 = affine_map<(d0, d1) -> (d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 95 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set4 = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>
#set5 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @k(%a: index, %w: index, %sa: index, %sw: index, %y: index) attributes {grid = [2, 2]} {
    %0:2 = ktdp.get_compute_tile_id : index, index
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c96 = arith.constant 96 : index
    %1 = arith.muli %0#0, %c16 : index
    %2 = arith.muli %0#1, %c16 : index
    %cst = arith.constant dense<0> : tensor<16x16xi32>
    %3 = ktdp.construct_memory_view %a, sizes: [32, 96], strides: [96, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32x96xi8>
    %4 = ktdp.construct_memory_view %w, sizes: [32, 96], strides: [96, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32x96xi8>
    %5 = ktdp.construct_memory_view %sa, sizes: [32], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32xf32>
    %6 = ktdp.construct_memory_view %sw, sizes: [32], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32xf32>
    %7 = ktdp.construct_memory_view %y, sizes: [32, 32], strides: [32, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32x32xf16>
    %8 = scf.for %arg5 = %c0 to %c96 step %c32 iter_args(%arg6 = %cst) -> (tensor<16x16xi32>) {
      %16 = ktdp.construct_access_tile %3[%1, %arg5] {access_tile_order = #map, access_tile_set = #set3} : memref<32x96xi8> -> !ktdp.access_tile<16x32xindex>
      %17 = ktdp.load %16 : <16x32xindex> -> tensor<16x32xi8>
      %18 = ktdp.construct_access_tile %4[%2, %arg5] {access_tile_order = #map, access_tile_set = #set3} : memref<32x96xi8> -> !ktdp.access_tile<16x32xindex>
      %19 = ktdp.load %18 : <16x32xindex> -> tensor<16x32xi8>
      %20 = linalg.matmul indexing_maps = [#map1, #map2, #map3] ins(%17, %19 : tensor<16x32xi8>, tensor<16x32xi8>) outs(%arg6 : tensor<16x16xi32>) -> tensor<16x16xi32>
      scf.yield %20 : tensor<16x16xi32>
    }
    %9 = ktdp.construct_access_tile %5[%1] {access_tile_order = #map4, access_tile_set = #set4} : memref<32xf32> -> !ktdp.access_tile<16xindex>
    %10 = ktdp.load %9 : <16xindex> -> tensor<16xf32>
    %11 = ktdp.construct_access_tile %6[%2] {access_tile_order = #map4, access_tile_set = #set4} : memref<32xf32> -> !ktdp.access_tile<16xindex>
    %12 = ktdp.load %11 : <16xindex> -> tensor<16xf32>
    %13 = tensor.empty() : tensor<16x16xf16>
    %14 = linalg.generic {indexing_maps = [#map, #map5, #map6, #map], iterator_types = ["parallel", "parallel"]} ins(%8, %10, %12 : tensor<16x16xi32>, tensor<16xf32>, tensor<16xf32>) outs(%13 : tensor<16x16xf16>) {
    ^bb0(%in: i32, %in_0: f32, %in_1: f32, %out: f16):
      %16 = arith.sitofp %in : i32 to f32
      %17 = arith.mulf %16, %in_0 : f32
      %18 = arith.mulf %17, %in_1 : f32
      %19 = arith.truncf %18 : f32 to f16
      linalg.yield %19 : f16
    } -> tensor<16x16xf16>
    %15 = ktdp.construct_access_tile %7[%1, %2] {access_tile_order = #map, access_tile_set = #set5} : memref<32x32xf16> -> !ktdp.access_tile<16x16xindex>
    ktdp.store %14, %15 : tensor<16x16xf16>, <16x16xindex>
    return
  }
}
