#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %0 = ktdp.construct_memory_view %x, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x16xf16>
    %1 = ktdp.construct_memory_view %y, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x16xf16>
    scf.forall (%arg2) in (4) {
      %2 = ktdp.construct_access_tile %0[%arg2, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<4x16xf16> -> !ktdp.access_tile<1x16xindex>
      %3 = ktdp.load %2 : <1x16xindex> -> tensor<1x16xf16>
      %4 = arith.negf %3 : tensor<1x16xf16>
      %5 = ktdp.construct_access_tile %1[%arg2, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<4x16xf16> -> !ktdp.access_tile<1x16xindex>
      ktdp.store %4, %5 : tensor<1x16xf16>, <1x16xindex>
    }
    return
  }
}
