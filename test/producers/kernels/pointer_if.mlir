#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>
module {
  func.func @k(%q: index, %k: index, %y: index, %w: i1) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %0 = scf.if %w -> (index) {
      scf.yield %q : index
    } else {
      scf.yield %k : index
    }
    %1 = ktdp.construct_memory_view %0, sizes: [16], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16xf16>
    %2 = ktdp.construct_memory_view %y, sizes: [16], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16xf16>
    %3 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<16xf16> -> !ktdp.access_tile<16xindex>
    %4 = ktdp.load %3 : <16xindex> -> tensor<16xf16>
    %5 = ktdp.construct_access_tile %2[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<16xf16> -> !ktdp.access_tile<16xindex>
    ktdp.store %4, %5 : tensor<16xf16>, <16xindex>
    return
  }
}
