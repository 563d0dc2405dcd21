#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 49 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 5 >= 0)>
module {
  func.func @k(%x: index, %a: index, %i: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %0 = ktdp.construct_memory_view %x, sizes: [6, 50], strides: [50, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<6x50xf16>
    %1 = ktdp.construct_memory_view %a, sizes: [6], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<6xi64>
    %2 = ktdp.construct_memory_view %i, sizes: [6], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<6xi32>
    %3 = ktdp.construct_access_tile %0[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<6x50xf16> -> !ktdp.access_tile<6x50xindex>
    %4 = ktdp.load %3 : <6x50xindex> -> tensor<6x50xf16>
    %cst = arith.constant dense<0xFC00> : tensor<6xf16>
    %cst_0 = arith.constant dense<0x7C00> : tensor<6xf16>
    %cst_1 = arith.constant dense<0> : tensor<6xi64>
    %cst_2 = arith.constant dense<0> : tensor<6xi32>
    %5:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%4 : tensor<6x50xf16>) outs(%cst, %cst_1 : tensor<6xf16>, tensor<6xi64>) {
    ^bb0(%in: f16, %out: f16, %out_3: i64):
      %9 = linalg.index 1 : index
      %10 = arith.index_cast %9 : index to i64
      %11 = arith.cmpf ogt, %in, %out : f16
      %12 = arith.select %11, %in, %out : f16
      %13 = arith.select %11, %10, %out_3 : i64
      linalg.yield %12, %13 : f16, i64
    } -> (tensor<6xf16>, tensor<6xi64>)
    %6:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%4 : tensor<6x50xf16>) outs(%cst_0, %cst_2 : tensor<6xf16>, tensor<6xi32>) {
    ^bb0(%in: f16, %out: f16, %out_3: i32):
      %9 = linalg.index 1 : index
      %10 = arith.index_cast %9 : index to i32
      %11 = arith.cmpf olt, %in, %out : f16
      %12 = arith.minnumf %in, %out : f16
      %13 = arith.select %11, %10, %out_3 : i32
      linalg.yield %12, %13 : f16, i32
    } -> (tensor<6xf16>, tensor<6xi32>)
    %7 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map2, access_tile_set = #set1} : memref<6xi64> -> !ktdp.access_tile<6xindex>
    ktdp.store %5#1, %7 : tensor<6xi64>, <6xindex>
    %8 = ktdp.construct_access_tile %2[%c0] {access_tile_order = #map2, access_tile_set = #set1} : memref<6xi32> -> !ktdp.access_tile<6xindex>
    ktdp.store %6#1, %8 : tensor<6xi32>, <6xindex>
    return
  }
}
