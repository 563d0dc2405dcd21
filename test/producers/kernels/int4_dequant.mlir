#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 31 >= 0)>
module {
  func.func @k(%w: index, %s: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %0 = ktdp.construct_memory_view %w, sizes: [8, 16], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8x16xi8>
    %1 = ktdp.construct_memory_view %s, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xf16>
    %2 = ktdp.construct_memory_view %y, sizes: [8, 32], strides: [32, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8x32xf16>
    %3 = ktdp.construct_access_tile %0[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<8x16xi8> -> !ktdp.access_tile<8x16xindex>
    %4 = ktdp.load %3 : <8x16xindex> -> tensor<8x16xi8>
    %5 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map1, access_tile_set = #set1} : memref<8xf16> -> !ktdp.access_tile<8xindex>
    %6 = ktdp.load %5 : <8xindex> -> tensor<8xf16>
    %cst = arith.constant dense<4> : tensor<8x16xi8>
    %7 = arith.shli %4, %cst : tensor<8x16xi8>
    %8 = arith.shrsi %7, %cst : tensor<8x16xi8>
    %9 = arith.shrsi %4, %cst : tensor<8x16xi8>
    %10 = arith.sitofp %8 : tensor<8x16xi8> to tensor<8x16xf16>
    %11 = arith.sitofp %9 : tensor<8x16xi8> to tensor<8x16xf16>
    %expanded = tensor.expand_shape %10 [[0], [1, 2]] output_shape [8, 16, 1] : tensor<8x16xf16> into tensor<8x16x1xf16>
    %expanded_0 = tensor.expand_shape %11 [[0], [1, 2]] output_shape [8, 16, 1] : tensor<8x16xf16> into tensor<8x16x1xf16>
    %concat = tensor.concat dim(2) %expanded, %expanded_0 : (tensor<8x16x1xf16>, tensor<8x16x1xf16>) -> tensor<8x16x2xf16>
    %collapsed = tensor.collapse_shape %concat [[0], [1, 2]] : tensor<8x16x2xf16> into tensor<8x32xf16>
    %12 = tensor.empty() : tensor<8x32xf16>
    %broadcasted = linalg.broadcast ins(%6 : tensor<8xf16>) outs(%12 : tensor<8x32xf16>) dimensions = [1] 
    %13 = arith.mulf %collapsed, %broadcasted : tensor<8x32xf16>
    %14 = ktdp.construct_access_tile %2[%c0, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<8x32xf16> -> !ktdp.access_tile<8x32xindex>
    ktdp.store %13, %14 : tensor<8x32xf16>, <8x32xindex>
    return
  }
}
