#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0) -> ()>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 39 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 3 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 39 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 3 >= 0)>
module {
  func.func @k(%x: index, %v: index, %i: index) attributes {grid = [3]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %cst = arith.constant 0xFF800000 : f32
    %c0_i32 = arith.constant 0 : i32
    %1 = ktdp.construct_memory_view %x, sizes: [3, 40], strides: [40, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x40xf32>
    %2 = ktdp.construct_memory_view %v, sizes: [3, 4], strides: [4, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x4xf32>
    %3 = ktdp.construct_memory_view %i, sizes: [3, 4], strides: [4, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x4xi32>
    %4 = ktdp.construct_access_tile %1[%0, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<3x40xf32> -> !ktdp.access_tile<1x40xindex>
    %5 = ktdp.load %4 : <1x40xindex> -> tensor<1x40xf32>
    %collapsed = tensor.collapse_shape %5 [[0, 1]] : tensor<1x40xf32> into tensor<40xf32>
    %6 = tensor.empty() : tensor<4xf32>
    %7 = tensor.empty() : tensor<4xi32>
    %splat = tensor.splat %cst : tensor<f32>
    %splat_0 = tensor.splat %c0_i32 : tensor<i32>
    %8:3 = scf.for %arg3 = %c0 to %c4 step %c1 iter_args(%arg4 = %6, %arg5 = %7, %arg6 = %collapsed) -> (tensor<4xf32>, tensor<4xi32>, tensor<40xf32>) {
      %11:2 = linalg.generic {indexing_maps = [#map1, #map2, #map2], iterator_types = ["reduction"]} ins(%arg6 : tensor<40xf32>) outs(%splat, %splat_0 : tensor<f32>, tensor<i32>) {
      ^bb0(%in: f32, %out: f32, %out_5: i32):
        %13 = linalg.index 0 : index
        %14 = arith.index_cast %13 : index to i32
        %15 = arith.cmpf ogt, %in, %out : f32
        %16 = arith.select %15, %in, %out : f32
        %17 = arith.select %15, %14, %out_5 : i32
        linalg.yield %16, %17 : f32, i32
      } -> (tensor<f32>, tensor<i32>)
      %extracted = tensor.extract %11#0[] : tensor<f32>
      %extracted_2 = tensor.extract %11#1[] : tensor<i32>
      %inserted = tensor.insert %extracted into %arg4[%arg3] : tensor<4xf32>
      %inserted_3 = tensor.insert %extracted_2 into %arg5[%arg3] : tensor<4xi32>
      %12 = arith.index_cast %extracted_2 : i32 to index
      %inserted_4 = tensor.insert %cst into %arg6[%12] : tensor<40xf32>
      scf.yield %inserted, %inserted_3, %inserted_4 : tensor<4xf32>, tensor<4xi32>, tensor<40xf32>
    }
    %expanded = tensor.expand_shape %8#0 [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
    %expanded_1 = tensor.expand_shape %8#1 [[0, 1]] output_shape [1, 4] : tensor<4xi32> into tensor<1x4xi32>
    %9 = ktdp.construct_access_tile %2[%0, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<3x4xf32> -> !ktdp.access_tile<1x4xindex>
    ktdp.store %expanded, %9 : tensor<1x4xf32>, <1x4xindex>
    %10 = ktdp.construct_access_tile %3[%0, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<3x4xi32> -> !ktdp.access_tile<1x4xindex>
    ktdp.store %expanded_1, %10 : tensor<1x4xi32>, <1x4xindex>
    return
  }
}
