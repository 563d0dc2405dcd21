#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
module {
  func.func private @st(%arg0: index, %arg1: index, %arg2: tensor<4xf16>) {
    %0 = ktdp.construct_memory_view %arg0, sizes: [16], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16xf16>
    %1 = ktdp.construct_access_tile %0[%arg1] {access_tile_order = #map, access_tile_set = #set1} : memref<16xf16> -> !ktdp.access_tile<4xindex>
    ktdp.store %arg2, %1 : tensor<4xf16>, <4xindex>
    return
  }
  func.func @k(%x: index, %y: index) attributes {grid = [4]} {
    %0 = ktdp.get_compute_tile_id : index
    %c4 = arith.constant 4 : index
    %1 = arith.muli %0, %c4 : index
    %2 = ktdp.construct_memory_view %x, sizes: [16], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16xf16>
    %3 = ktdp.construct_access_tile %2[%1] {access_tile_order = #map, access_tile_set = #set1} : memref<16xf16> -> !ktdp.access_tile<4xindex>
    %4 = ktdp.load %3 : <4xindex> -> tensor<4xf16>
    call @st(%y, %1, %4) : (index, index, tensor<4xf16>) -> ()
    return
  }
}
