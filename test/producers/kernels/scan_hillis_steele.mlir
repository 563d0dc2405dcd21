#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    %0 = ktdp.construct_memory_view %x, sizes: [32], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32xi32>
    %1 = ktdp.construct_memory_view %y, sizes: [32], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32xi32>
    %2 = ktdp.construct_access_tile %0[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<32xi32> -> !ktdp.access_tile<32xindex>
    %3 = ktdp.load %2 : <32xindex> -> tensor<32xi32>
    %extracted_slice = tensor.extract_slice %3[0] [31] [1] : tensor<32xi32> to tensor<31xi32>
    %padded = tensor.pad %extracted_slice low[1] high[0] {
    ^bb0(%arg2: index):
      tensor.yield %c0_i32 : i32
    } : tensor<31xi32> to tensor<32xi32>
    %4 = arith.addi %3, %padded : tensor<32xi32>
    %extracted_slice_0 = tensor.extract_slice %4[0] [30] [1] : tensor<32xi32> to tensor<30xi32>
    %padded_1 = tensor.pad %extracted_slice_0 low[2] high[0] {
    ^bb0(%arg2: index):
      tensor.yield %c0_i32 : i32
    } : tensor<30xi32> to tensor<32xi32>
    %5 = arith.addi %4, %padded_1 : tensor<32xi32>
    %extracted_slice_2 = tensor.extract_slice %5[0] [28] [1] : tensor<32xi32> to tensor<28xi32>
    %padded_3 = tensor.pad %extracted_slice_2 low[4] high[0] {
    ^bb0(%arg2: index):
      tensor.yield %c0_i32 : i32
    } : tensor<28xi32> to tensor<32xi32>
    %6 = arith.addi %5, %padded_3 : tensor<32xi32>
    %extracted_slice_4 = tensor.extract_slice %6[0] [24] [1] : tensor<32xi32> to tensor<24xi32>
    %padded_5 = tensor.pad %extracted_slice_4 low[8] high[0] {
    ^bb0(%arg2: index):
      tensor.yield %c0_i32 : i32
    } : tensor<24xi32> to tensor<32xi32>
    %7 = arith.addi %6, %padded_5 : tensor<32xi32>
    %extracted_slice_6 = tensor.extract_slice %7[0] [16] [1] : tensor<32xi32> to tensor<16xi32>
    %padded_7 = tensor.pad %extracted_slice_6 low[16] high[0] {
    ^bb0(%arg2: index):
      tensor.yield %c0_i32 : i32
    } : tensor<16xi32> to tensor<32xi32>
    %8 = arith.addi %7, %padded_7 : tensor<32xi32>
    %9 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<32xi32> -> !ktdp.access_tile<32xindex>
    ktdp.store %8, %9 : tensor<32xi32>, <32xindex>
    return
  }
}
