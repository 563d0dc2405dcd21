#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 99 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    %c1_i32 = arith.constant 1 : i32
    %0 = ktdp.construct_memory_view %x, sizes: [100], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<100xi8>
    %1 = ktdp.construct_memory_view %y, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xi32>
    %2 = ktdp.construct_access_tile %0[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<100xi8> -> !ktdp.access_tile<100xindex>
    %3 = ktdp.load %2 : <100xindex> -> tensor<100xi8>
    %cst = arith.constant dense<0> : tensor<8xi32>
    %4 = scf.for %arg2 = %c0 to %c100 step %c1 iter_args(%arg3 = %cst) -> (tensor<8xi32>) {
      %extracted = tensor.extract %3[%arg2] : tensor<100xi8>
      %6 = arith.index_castui %extracted : i8 to index
      %extracted_0 = tensor.extract %arg3[%6] : tensor<8xi32>
      %7 = arith.addi %extracted_0, %c1_i32 : i32
      %inserted = tensor.insert %7 into %arg3[%6] : tensor<8xi32>
      scf.yield %inserted : tensor<8xi32>
    }
    %5 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map, access_tile_set = #set1} : memref<8xi32> -> !ktdp.access_tile<8xindex>
    ktdp.store %4, %5 : tensor<8xi32>, <8xindex>
    return
  }
}
