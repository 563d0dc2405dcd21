#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set4 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @k(%q: index, %k: index, %o: index) attributes {grid = [2]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %1 = ktdp.construct_memory_view %q, sizes: [2, 32], strides: [32, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<2x32xbf16>
    %2 = ktdp.construct_memory_view %k, sizes: [16, 32], strides: [32, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16x32xbf16>
    %3 = ktdp.construct_memory_view %o, sizes: [2, 16], strides: [16, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<2x16xbf16>
    %4 = ktdp.construct_access_tile %1[%0, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<2x32xbf16> -> !ktdp.access_tile<1x32xindex>
    %5 = ktdp.load %4 : <1x32xindex> -> tensor<1x32xbf16>
    %6 = ktdp.construct_access_tile %2[%c0, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<16x32xbf16> -> !ktdp.access_tile<16x32xindex>
    %7 = ktdp.load %6 : <16x32xindex> -> tensor<16x32xbf16>
    %collapsed = tensor.collapse_shape %5 [[0, 1]] : tensor<1x32xbf16> into tensor<32xbf16>
    %cst = arith.constant dense<0.000000e+00> : tensor<16xf32>
    %8 = linalg.matvec ins(%7, %collapsed : tensor<16x32xbf16>, tensor<32xbf16>) outs(%cst : tensor<16xf32>) -> tensor<16xf32>
    %9 = tensor.empty() : tensor<16xf32>
    %10 = linalg.softmax dimension(0) ins(%8 : tensor<16xf32>) outs(%9 : tensor<16xf32>) -> tensor<16xf32>
    %11 = arith.truncf %10 : tensor<16xf32> to tensor<16xbf16>
    %expanded = tensor.expand_shape %11 [[0, 1]] output_shape [1, 16] : tensor<16xbf16> into tensor<1x16xbf16>
    %12 = ktdp.construct_access_tile %3[%0, %c0] {access_tile_order = #map, access_tile_set = #set4} : memref<2x16xbf16> -> !ktdp.access_tile<1x16xindex>
    ktdp.store %expanded, %12 : tensor<1x16xbf16>, <1x16xindex>
    return
  }
}
