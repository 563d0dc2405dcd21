#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 9 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 4 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %0 = ktdp.construct_memory_view %x, sizes: [8, 10], strides: [10, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8x10xf16>
    %1 = ktdp.construct_memory_view %y, sizes: [4, 5], strides: [5, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x5xf16>
    %2 = ktdp.construct_access_tile %0[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<8x10xf16> -> !ktdp.access_tile<8x10xindex>
    %3 = ktdp.load %2 : <8x10xindex> -> tensor<8x10xf16>
    %extracted_slice = tensor.extract_slice %3[0, 0] [4, 5] [2, 2] : tensor<8x10xf16> to tensor<4x5xf16>
    %extracted_slice_0 = tensor.extract_slice %3[0, 1] [4, 5] [2, 2] : tensor<8x10xf16> to tensor<4x5xf16>
    %extracted_slice_1 = tensor.extract_slice %3[1, 0] [4, 5] [2, 2] : tensor<8x10xf16> to tensor<4x5xf16>
    %extracted_slice_2 = tensor.extract_slice %3[1, 1] [4, 5] [2, 2] : tensor<8x10xf16> to tensor<4x5xf16>
    %4 = arith.maximumf %extracted_slice, %extracted_slice_0 : tensor<4x5xf16>
    %5 = arith.maximumf %extracted_slice_1, %extracted_slice_2 : tensor<4x5xf16>
    %6 = arith.maximumf %4, %5 : tensor<4x5xf16>
    %7 = ktdp.construct_access_tile %1[%c0, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<4x5xf16> -> !ktdp.access_tile<4x5xindex>
    ktdp.store %6, %7 : tensor<4x5xf16>, <4x5xindex>
    return
  }
}
