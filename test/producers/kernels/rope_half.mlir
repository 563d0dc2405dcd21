#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
module {
  func.func @k(%x: index, %c: index, %s: index, %y: index) attributes {grid = [2, 1]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %1 = arith.muli %0, %c8 : index
    %2 = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16x64xf16>
    %3 = ktdp.construct_memory_view %c, sizes: [16, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16x64xf16>
    %4 = ktdp.construct_memory_view %s, sizes: [16, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16x64xf16>
    %5 = ktdp.construct_memory_view %y, sizes: [16, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16x64xf16>
    %6 = ktdp.construct_access_tile %2[%1, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<16x64xf16> -> !ktdp.access_tile<8x64xindex>
    %7 = ktdp.load %6 : <8x64xindex> -> tensor<8x64xf16>
    %8 = ktdp.construct_access_tile %3[%1, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<16x64xf16> -> !ktdp.access_tile<8x64xindex>
    %9 = ktdp.load %8 : <8x64xindex> -> tensor<8x64xf16>
    %10 = ktdp.construct_access_tile %4[%1, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<16x64xf16> -> !ktdp.access_tile<8x64xindex>
    %11 = ktdp.load %10 : <8x64xindex> -> tensor<8x64xf16>
    %extracted_slice = tensor.extract_slice %7[0, 0] [8, 32] [1, 1] : tensor<8x64xf16> to tensor<8x32xf16>
    %extracted_slice_0 = tensor.extract_slice %7[0, 32] [8, 32] [1, 1] : tensor<8x64xf16> to tensor<8x32xf16>
    %12 = arith.negf %extracted_slice_0 : tensor<8x32xf16>
    %concat = tensor.concat dim(1) %12, %extracted_slice : (tensor<8x32xf16>, tensor<8x32xf16>) -> tensor<8x64xf16>
    %13 = arith.mulf %7, %9 : tensor<8x64xf16>
    %14 = arith.mulf %concat, %11 : tensor<8x64xf16>
    %15 = arith.addf %13, %14 : tensor<8x64xf16>
    %16 = ktdp.construct_access_tile %5[%1, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<16x64xf16> -> !ktdp.access_tile<8x64xindex>
    ktdp.store %15, %16 : tensor<8x64xf16>, <8x64xindex>
    return
  }
}
