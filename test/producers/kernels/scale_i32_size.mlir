#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 127 >= 0)>
module {
  func.func @k(%x: index {tt.divisibility = 16 : i32}, %y: index {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %alpha: f32) attributes {grid = [3, 1, 1]} {
    %0 = ktdp.get_compute_tile_id : index
    %1 = arith.index_cast %0 : index to i32
    %c128_i32 = arith.constant 128 : i32
    %2 = arith.muli %1, %c128_i32 : i32
    %3 = arith.index_cast %2 : i32 to index
    %4 = arith.index_cast %n : i32 to index
    %5 = ktdp.construct_memory_view %x, sizes: [%4], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?xf32>
    %6 = ktdp.construct_memory_view %y, sizes: [%4], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?xf32>
    %7 = ktdp.construct_access_tile %5[%3] {access_tile_order = #map, access_tile_set = #set1} : memref<?xf32> -> !ktdp.access_tile<128xindex>
    %8 = ktdp.load %7 : <128xindex> -> tensor<128xf32>
    %splat = tensor.splat %alpha : tensor<128xf32>
    %9 = arith.mulf %8, %splat : tensor<128xf32>
    %10 = ktdp.construct_access_tile %6[%3] {access_tile_order = #map, access_tile_set = #set1} : memref<?xf32> -> !ktdp.access_tile<128xindex>
    ktdp.store %9, %10 : tensor<128xf32>, <128xindex>
    return
  }
}
