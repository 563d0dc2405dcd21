#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 19 >= 0)>
#set1 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 2 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 19 >= 0)>
module {
  func.func @k(%x: index, %w: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f16
    %0 = ktdp.construct_memory_view %x, sizes: [4, 20], strides: [20, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x20xf16>
    %1 = ktdp.construct_memory_view %w, sizes: [6, 4, 3], strides: [12, 3, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<6x4x3xf16>
    %2 = ktdp.construct_memory_view %y, sizes: [6, 20], strides: [20, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<6x20xf32>
    %3 = ktdp.construct_access_tile %0[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<4x20xf16> -> !ktdp.access_tile<4x20xindex>
    %4 = ktdp.load %3 : <4x20xindex> -> tensor<4x20xf16>
    %5 = ktdp.construct_access_tile %1[%c0, %c0, %c0] {access_tile_order = #map1, access_tile_set = #set1} : memref<6x4x3xf16> -> !ktdp.access_tile<6x4x3xindex>
    %6 = ktdp.load %5 : <6x4x3xindex> -> tensor<6x4x3xf16>
    %padded = tensor.pad %4 low[0, 1] high[0, 1] {
    ^bb0(%arg3: index, %arg4: index):
      tensor.yield %cst : f16
    } : tensor<4x20xf16> to tensor<4x22xf16>
    %extracted_slice = tensor.extract_slice %padded[0, 0] [4, 20] [1, 1] : tensor<4x22xf16> to tensor<4x20xf16>
    %extracted_slice_0 = tensor.extract_slice %padded[0, 1] [4, 20] [1, 1] : tensor<4x22xf16> to tensor<4x20xf16>
    %extracted_slice_1 = tensor.extract_slice %padded[0, 2] [4, 20] [1, 1] : tensor<4x22xf16> to tensor<4x20xf16>
    %expanded = tensor.expand_shape %extracted_slice [[0, 1], [2]] output_shape [4, 1, 20] : tensor<4x20xf16> into tensor<4x1x20xf16>
    %expanded_2 = tensor.expand_shape %extracted_slice_0 [[0, 1], [2]] output_shape [4, 1, 20] : tensor<4x20xf16> into tensor<4x1x20xf16>
    %expanded_3 = tensor.expand_shape %extracted_slice_1 [[0, 1], [2]] output_shape [4, 1, 20] : tensor<4x20xf16> into tensor<4x1x20xf16>
    %concat = tensor.concat dim(1) %expanded, %expanded_2, %expanded_3 : (tensor<4x1x20xf16>, tensor<4x1x20xf16>, tensor<4x1x20xf16>) -> tensor<4x3x20xf16>
    %collapsed = tensor.collapse_shape %concat [[0, 1], [2]] : tensor<4x3x20xf16> into tensor<12x20xf16>
    %collapsed_4 = tensor.collapse_shape %6 [[0], [1, 2]] : tensor<6x4x3xf16> into tensor<6x12xf16>
    %cst_5 = arith.constant dense<0.000000e+00> : tensor<6x20xf32>
    %7 = linalg.matmul ins(%collapsed_4, %collapsed : tensor<6x12xf16>, tensor<12x20xf16>) outs(%cst_5 : tensor<6x20xf32>) -> tensor<6x20xf32>
    %8 = ktdp.construct_access_tile %2[%c0, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<6x20xf32> -> !ktdp.access_tile<6x20xindex>
    ktdp.store %7, %8 : tensor<6x20xf32>, <6x20xindex>
    return
  }
}
