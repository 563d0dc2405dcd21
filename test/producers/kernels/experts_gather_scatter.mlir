#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0) -> (d0)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#set2 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 15 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set4 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set5 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 15 >= 0)>
#set6 = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>
#set7 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @k(%x: index, %ord: index, %exp: index, %gw: index, %w: index, %y: index) attributes {grid = [2]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %1 = arith.muli %0, %c4 : index
    %2 = arith.addi %1, %c4 : index
    %3 = ktdp.construct_memory_view %x, sizes: [8, 32], strides: [32, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8x32xf16>
    %4 = ktdp.construct_memory_view %ord, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xi32>
    %5 = ktdp.construct_memory_view %exp, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xi32>
    %6 = ktdp.construct_memory_view %gw, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xf32>
    %7 = ktdp.construct_memory_view %w, sizes: [3, 32, 16], strides: [512, 16, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x32x16xf16>
    %8 = ktdp.construct_memory_view %y, sizes: [8, 16], strides: [16, 1] {coordinate_set = #set3, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8x16xf16>
    scf.for %arg6 = %1 to %2 step %c1 {
      %9 = ktdp.construct_indirect_access_tile intermediate_variables(%arg7, %arg8) %3[ind(%4[%arg6 + %arg7]), (%arg8)] {variables_space_order = #map, variables_space_set = #set4} : memref<8x32xf16>, memref<8xi32> -> !ktdp.access_tile<1x32xindex>
      %10 = ktdp.load %9 : <1x32xindex> -> tensor<1x32xf16>
      %11 = ktdp.construct_indirect_access_tile intermediate_variables(%arg7, %arg8, %arg9) %7[ind(%5[%arg6 + %arg7]), (%arg8), (%arg9)] {variables_space_order = #map1, variables_space_set = #set5} : memref<3x32x16xf16>, memref<8xi32> -> !ktdp.access_tile<1x32x16xindex>
      %12 = ktdp.load %11 : <1x32x16xindex> -> tensor<1x32x16xf16>
      %13 = ktdp.construct_access_tile %6[%arg6] {access_tile_order = #map2, access_tile_set = #set6} : memref<8xf32> -> !ktdp.access_tile<1xindex>
      %14 = ktdp.load %13 : <1xindex> -> tensor<1xf32>
      %collapsed = tensor.collapse_shape %12 [[0, 1], [2]] : tensor<1x32x16xf16> into tensor<32x16xf16>
      %cst = arith.constant dense<0.000000e+00> : tensor<1x16xf32>
      %15 = linalg.matmul ins(%10, %collapsed : tensor<1x32xf16>, tensor<32x16xf16>) outs(%cst : tensor<1x16xf32>) -> tensor<1x16xf32>
      %extracted = tensor.extract %14[%c0] : tensor<1xf32>
      %splat = tensor.splat %extracted : tensor<1x16xf32>
      %16 = arith.mulf %15, %splat : tensor<1x16xf32>
      %17 = arith.truncf %16 : tensor<1x16xf32> to tensor<1x16xf16>
      %18 = ktdp.construct_indirect_access_tile intermediate_variables(%arg7, %arg8) %8[ind(%4[%arg6 + %arg7]), (%arg8)] {variables_space_order = #map, variables_space_set = #set7} : memref<8x16xf16>, memref<8xi32> -> !ktdp.access_tile<1x16xindex>
      ktdp.store %17, %18 : tensor<1x16xf16>, <1x16xindex>
    }
    return
  }
}
