#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 99 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %0 = ktdp.construct_memory_view %x, sizes: [100], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<100xi32>
    %1 = ktdp.construct_memory_view %y, sizes: [8], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xi32>
    %2 = ktdp.construct_access_tile %0[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<100xi32> -> !ktdp.access_tile<100xindex>
    %3 = ktdp.load %2 : <100xindex> -> tensor<100xi32>
    %cst = arith.constant dense<0> : tensor<8xi32>
    %4 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%3 : tensor<100xi32>) outs(%cst : tensor<8xi32>) {
    ^bb0(%in: i32, %out: i32):
      %6 = linalg.index 0 : index
      %7 = arith.index_cast %6 : index to i32
      %8 = arith.cmpi eq, %in, %7 : i32
      %9 = arith.extui %8 : i1 to i32
      %10 = arith.addi %out, %9 : i32
      linalg.yield %10 : i32
    } -> tensor<8xi32>
    %5 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map, access_tile_set = #set1} : memref<8xi32> -> !ktdp.access_tile<8xindex>
    ktdp.store %4, %5 : tensor<8xi32>, <8xindex>
    return
  }
}
