#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#set = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @k(%x: index, %y: index, %M: i32, %N: i32) attributes {grid = [2, 2]} {
    %core0, %core1 = ktdp.get_compute_tile_id : index, index
    %c16 = arith.constant 16 : index
    %0 = arith.muli %core0, %c16 : index
    %1 = arith.muli %core1, %c16 : index
    %2 = arith.index_cast %M : i32 to index
    %3 = arith.index_cast %N : i32 to index
    %4 = ktdp.construct_memory_view %x, sizes: [%2, %3], strides: [%3, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?x?xf16>
    %5 = ktdp.construct_memory_view %y, sizes: [%2, %3], strides: [%3, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?x?xf32>
    %6 = ktdp.construct_access_tile %4[%0, %1] {access_tile_order = #map, access_tile_set = #set1} : memref<?x?xf16> -> !ktdp.access_tile<16x16xindex>
    %7 = ktdp.load %6 : <16x16xindex> -> tensor<16x16xf16>
    %8 = tensor.empty() : tensor<16xi32>
    %9 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel"]} outs(%8 : tensor<16xi32>) {
    ^bb0(%out: i32):
      %22 = linalg.index 0 : index
      %23 = arith.index_cast %22 : index to i32
      linalg.yield %23 : i32
    } -> tensor<16xi32>
    %10 = arith.index_cast %0 : index to i32
    %11 = arith.index_cast %1 : index to i32
    %splat = tensor.splat %10 : tensor<16xi32>
    %splat_0 = tensor.splat %11 : tensor<16xi32>
    %12 = arith.addi %9, %splat : tensor<16xi32>
    %13 = arith.addi %9, %splat_0 : tensor<16xi32>
    %expanded = tensor.expand_shape %12 [[0, 1]] output_shape [16, 1] : tensor<16xi32> into tensor<16x1xi32>
    %expanded_1 = tensor.expand_shape %13 [[0, 1]] output_shape [1, 16] : tensor<16xi32> into tensor<1x16xi32>
    %splat_2 = tensor.splat %M : tensor<16x1xi32>
    %splat_3 = tensor.splat %N : tensor<1x16xi32>
    %14 = arith.cmpi slt, %expanded, %splat_2 : tensor<16x1xi32>
    %15 = arith.cmpi slt, %expanded_1, %splat_3 : tensor<1x16xi32>
    %16 = tensor.empty() : tensor<16x16xi1>
    %collapsed = tensor.collapse_shape %14 [[0, 1]] : tensor<16x1xi1> into tensor<16xi1>
    %collapsed_4 = tensor.collapse_shape %15 [[0, 1]] : tensor<1x16xi1> into tensor<16xi1>
    %broadcasted = linalg.broadcast ins(%collapsed : tensor<16xi1>) outs(%16 : tensor<16x16xi1>) dimensions = [1] 
    %broadcasted_5 = linalg.broadcast ins(%collapsed_4 : tensor<16xi1>) outs(%16 : tensor<16x16xi1>) dimensions = [0] 
    %17 = arith.andi %broadcasted, %broadcasted_5 : tensor<16x16xi1>
    %18 = arith.extf %7 : tensor<16x16xf16> to tensor<16x16xf32>
    %cst = arith.constant dense<1.000000e+00> : tensor<16x16xf32>
    %19 = arith.addf %18, %cst : tensor<16x16xf32>
    %cst_6 = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    %20 = arith.select %17, %19, %cst_6 : tensor<16x16xi1>, tensor<16x16xf32>
    %21 = ktdp.construct_access_tile %5[%0, %1] {access_tile_order = #map, access_tile_set = #set1} : memref<?x?xf32> -> !ktdp.access_tile<16x16xindex>
    ktdp.store %20, %21 : tensor<16x16xf32>, <16x16xindex>
    return
  }
}
