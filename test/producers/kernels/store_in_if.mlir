#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @k(%x: index, %y: index, %flag: i1) attributes {grid = [4]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %1 = ktdp.construct_memory_view %x, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x16xf16>
    %2 = ktdp.construct_memory_view %y, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x16xf16>
    %3 = ktdp.construct_access_tile %1[%0, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<4x16xf16> -> !ktdp.access_tile<1x16xindex>
    %4 = ktdp.load %3 : <1x16xindex> -> tensor<1x16xf16>
    %5 = arith.cmpi ult, %0, %c2 : index
    %6 = arith.andi %5, %flag : i1
    scf.if %6 {
      %7 = ktdp.construct_access_tile %2[%0, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<4x16xf16> -> !ktdp.access_tile<1x16xindex>
      ktdp.store %4, %7 : tensor<1x16xf16>, <1x16xindex>
    } else {
      %7 = arith.remui %0, %c2 : index
      %8 = arith.cmpi eq, %7, %c0 : index
      scf.if %8 {
        %9 = arith.negf %4 : tensor<1x16xf16>
        %10 = ktdp.construct_access_tile %2[%0, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<4x16xf16> -> !ktdp.access_tile<1x16xindex>
        ktdp.store %9, %10 : tensor<1x16xf16>, <1x16xindex>
      }
    }
    return
  }
}
