#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>
module {
  func.func @k(%x: index, %y: index, %n: index) attributes {grid = [2]} {
    %0 = ktdp.get_compute_tile_id : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %1 = arith.muli %0, %c16 : index
    %2 = arith.subi %1, %c1 : index
    %3 = arith.addi %1, %c1 : index
    %4 = ktdp.construct_memory_view %x, sizes: [%n], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?xf32>
    %5 = ktdp.construct_memory_view %y, sizes: [%n], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?xf32>
    %6 = ktdp.construct_access_tile %4[%2] {access_tile_order = #map, access_tile_set = #set1} : memref<?xf32> -> !ktdp.access_tile<16xindex>
    %7 = ktdp.load %6 : <16xindex> -> tensor<16xf32>
    %8 = ktdp.construct_access_tile %4[%1] {access_tile_order = #map, access_tile_set = #set1} : memref<?xf32> -> !ktdp.access_tile<16xindex>
    %9 = ktdp.load %8 : <16xindex> -> tensor<16xf32>
    %10 = ktdp.construct_access_tile %4[%3] {access_tile_order = #map, access_tile_set = #set1} : memref<?xf32> -> !ktdp.access_tile<16xindex>
    %11 = ktdp.load %10 : <16xindex> -> tensor<16xf32>
    %12 = arith.addf %7, %9 : tensor<16xf32>
    %13 = arith.addf %12, %11 : tensor<16xf32>
    %14 = ktdp.construct_access_tile %5[%1] {access_tile_order = #map, access_tile_set = #set1} : memref<?xf32> -> !ktdp.access_tile<16xindex>
    ktdp.store %13, %14 : tensor<16xf32>, <16xindex>
    return
  }
}
