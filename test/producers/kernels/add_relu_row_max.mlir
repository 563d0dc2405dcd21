#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 9 >= 0, d1 >= 0, -d1 + 19 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 19 >= 0)>
#set2 = affine_set<(d0) : (d0 >= 0, -d0 + 9 >= 0)>
module {
  func.func @k(%x: index, %w: index, %y: index, %m: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %0 = ktdp.construct_memory_view %x, sizes: [10, 20], strides: [20, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<10x20xf16>
    %1 = ktdp.construct_memory_view %w, sizes: [20], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<20xf16>
    %2 = ktdp.construct_memory_view %y, sizes: [10, 20], strides: [20, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<10x20xf16>
    %3 = ktdp.construct_memory_view %m, sizes: [10], strides: [1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<10xf32>
    %4 = ktdp.construct_access_tile %0[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<10x20xf16> -> !ktdp.access_tile<10x20xindex>
    %5 = ktdp.load %4 : <10x20xindex> -> tensor<10x20xf16>
    %6 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map1, access_tile_set = #set1} : memref<20xf16> -> !ktdp.access_tile<20xindex>
    %7 = ktdp.load %6 : <20xindex> -> tensor<20xf16>
    %8 = tensor.empty() : tensor<10x20xf16>
    %cst = arith.constant dense<0xFF800000> : tensor<10xf32>
    %9:2 = linalg.generic {indexing_maps = [#map, #map2, #map, #map3], iterator_types = ["parallel", "reduction"]} ins(%5, %7 : tensor<10x20xf16>, tensor<20xf16>) outs(%8, %cst : tensor<10x20xf16>, tensor<10xf32>) {
    ^bb0(%in: f16, %in_0: f16, %out: f16, %out_1: f32):
      %12 = arith.addf %in, %in_0 : f16
      %cst_2 = arith.constant 0.000000e+00 : f16
      %13 = arith.maximumf %12, %cst_2 : f16
      %14 = arith.extf %13 : f16 to f32
      %15 = arith.maximumf %out_1, %14 : f32
      linalg.yield %13, %15 : f16, f32
    } -> (tensor<10x20xf16>, tensor<10xf32>)
    %10 = ktdp.construct_access_tile %2[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<10x20xf16> -> !ktdp.access_tile<10x20xindex>
    ktdp.store %9#0, %10 : tensor<10x20xf16>, <10x20xindex>
    %11 = ktdp.construct_access_tile %3[%c0] {access_tile_order = #map1, access_tile_set = #set2} : memref<10xf32> -> !ktdp.access_tile<10xindex>
    ktdp.store %9#1, %11 : tensor<10xf32>, <10xindex>
    return
  }
}
