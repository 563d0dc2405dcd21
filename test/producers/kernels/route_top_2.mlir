#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 1 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 1 >= 0)>
module {
  func.func @k(%x: index, %w: index, %i: index) attributes {grid = [4]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0xFF800000 : f32
    %1 = ktdp.construct_memory_view %x, sizes: [4, 8], strides: [8, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x8xf32>
    %2 = ktdp.construct_memory_view %w, sizes: [4, 2], strides: [2, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x2xf32>
    %3 = ktdp.construct_memory_view %i, sizes: [4, 2], strides: [2, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x2xi32>
    %4 = ktdp.construct_access_tile %1[%0, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<4x8xf32> -> !ktdp.access_tile<1x8xindex>
    %5 = ktdp.load %4 : <1x8xindex> -> tensor<1x8xf32>
    %6 = tensor.empty() : tensor<1x8xf32>
    %7 = linalg.softmax dimension(1) ins(%5 : tensor<1x8xf32>) outs(%6 : tensor<1x8xf32>) -> tensor<1x8xf32>
    %splat = tensor.splat %cst : tensor<1xf32>
    %cst_0 = arith.constant dense<-1> : tensor<1xi32>
    %8:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<1x8xf32>) outs(%splat, %cst_0 : tensor<1xf32>, tensor<1xi32>) {
    ^bb0(%in: f32, %out: f32, %out_5: i32):
      %16 = linalg.index 1 : index
      %17 = arith.index_cast %16 : index to i32
      %18 = arith.cmpf ogt, %in, %out : f32
      %19 = arith.select %18, %in, %out : f32
      %20 = arith.select %18, %17, %out_5 : i32
      linalg.yield %19, %20 : f32, i32
    } -> (tensor<1xf32>, tensor<1xi32>)
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %8#1 : tensor<1x8xf32>, tensor<1xi32>) outs(%6 : tensor<1x8xf32>) {
    ^bb0(%in: f32, %in_5: i32, %out: f32):
      %16 = linalg.index 1 : index
      %17 = arith.index_cast %16 : index to i32
      %18 = arith.cmpi eq, %17, %in_5 : i32
      %19 = arith.select %18, %cst, %in : f32
      linalg.yield %19 : f32
    } -> tensor<1x8xf32>
    %10:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%9 : tensor<1x8xf32>) outs(%splat, %cst_0 : tensor<1xf32>, tensor<1xi32>) {
    ^bb0(%in: f32, %out: f32, %out_5: i32):
      %16 = linalg.index 1 : index
      %17 = arith.index_cast %16 : index to i32
      %18 = arith.cmpf ogt, %in, %out : f32
      %19 = arith.select %18, %in, %out : f32
      %20 = arith.select %18, %17, %out_5 : i32
      linalg.yield %19, %20 : f32, i32
    } -> (tensor<1xf32>, tensor<1xi32>)
    %11 = arith.addf %8#0, %10#0 : tensor<1xf32>
    %12 = arith.divf %8#0, %11 : tensor<1xf32>
    %13 = arith.divf %10#0, %11 : tensor<1xf32>
    %expanded = tensor.expand_shape %12 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
    %expanded_1 = tensor.expand_shape %13 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
    %concat = tensor.concat dim(1) %expanded, %expanded_1 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x2xf32>
    %expanded_2 = tensor.expand_shape %8#1 [[0, 1]] output_shape [1, 1] : tensor<1xi32> into tensor<1x1xi32>
    %expanded_3 = tensor.expand_shape %10#1 [[0, 1]] output_shape [1, 1] : tensor<1xi32> into tensor<1x1xi32>
    %concat_4 = tensor.concat dim(1) %expanded_2, %expanded_3 : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x2xi32>
    %14 = ktdp.construct_access_tile %2[%0, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<4x2xf32> -> !ktdp.access_tile<1x2xindex>
    ktdp.store %concat, %14 : tensor<1x2xf32>, <1x2xindex>
    %15 = ktdp.construct_access_tile %3[%0, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<4x2xi32> -> !ktdp.access_tile<1x2xindex>
    ktdp.store %concat_4, %15 : tensor<1x2xi32>, <1x2xindex>
    return
  }
}
