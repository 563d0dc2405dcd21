#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 9 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
module {
  func.func @k(%x: index, %i: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %0 = ktdp.construct_memory_view %x, sizes: [10], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<10xf32>
    %1 = ktdp.construct_memory_view %i, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xi32>
    %2 = ktdp.construct_memory_view %y, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xf32>
    %3 = ktdp.construct_access_tile %0[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<10xf32> -> !ktdp.access_tile<10xindex>
    %4 = ktdp.load %3 : <10xindex> -> tensor<10xf32>
    %5 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map, access_tile_set = #set1} : memref<8xi32> -> !ktdp.access_tile<8xindex>
    %6 = ktdp.load %5 : <8xindex> -> tensor<8xi32>
    %cst = arith.constant dense<0> : tensor<8xi32>
    %cst_0 = arith.constant dense<9> : tensor<8xi32>
    %cst_1 = arith.constant dense<10> : tensor<8xi32>
    %7 = arith.cmpi sge, %6, %cst : tensor<8xi32>
    %8 = arith.cmpi slt, %6, %cst_1 : tensor<8xi32>
    %9 = arith.andi %7, %8 : tensor<8xi1>
    %10 = arith.maxsi %6, %cst : tensor<8xi32>
    %11 = arith.minsi %10, %cst_0 : tensor<8xi32>
    %12 = arith.index_cast %11 : tensor<8xi32> to tensor<8xindex>
    %expanded = tensor.expand_shape %12 [[0, 1]] output_shape [8, 1] : tensor<8xindex> into tensor<8x1xindex>
    %gather = tensor.gather %4[%expanded] gather_dims([0]) : (tensor<10xf32>, tensor<8x1xindex>) -> tensor<8xf32>
    %cst_2 = arith.constant dense<-1.000000e+00> : tensor<8xf32>
    %13 = arith.select %9, %gather, %cst_2 : tensor<8xi1>, tensor<8xf32>
    %14 = ktdp.construct_access_tile %2[%c0] {access_tile_order = #map, access_tile_set = #set1} : memref<8xf32> -> !ktdp.access_tile<8xindex>
    ktdp.store %13, %14 : tensor<8xf32>, <8xindex>
    return
  }
}
