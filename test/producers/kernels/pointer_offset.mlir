#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [3]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %1 = arith.muli %0, %c64 : index
    %2 = arith.addi %x, %1 : index
    %3 = arith.addi %y, %1 : index
    %4 = ktdp.construct_memory_view %2, sizes: [64], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64xf16>
    %5 = ktdp.construct_memory_view %3, sizes: [64], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64xf16>
    %6 = ktdp.construct_access_tile %4[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<64xf16> -> !ktdp.access_tile<64xindex>
    %7 = ktdp.load %6 : <64xindex> -> tensor<64xf16>
    %8 = math.absf %7 : tensor<64xf16>
    %9 = ktdp.construct_access_tile %5[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<64xf16> -> !ktdp.access_tile<64xindex>
    ktdp.store %8, %9 : tensor<64xf16>, <64xindex>
    return
  }
}
