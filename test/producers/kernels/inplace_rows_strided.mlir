#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 31 >= 0)>
module {
  func.func @k(%x: index, %rows: index, %stride: index, %cols: index) attributes {grid = [2]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %1 = ktdp.construct_memory_view %x, sizes: [%rows, %cols], strides: [%stride, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?x?xf32>
    scf.for %arg4 = %0 to %rows step %c2 {
      %2 = ktdp.construct_access_tile %1[%arg4, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<?x?xf32> -> !ktdp.access_tile<1x32xindex>
      %3 = ktdp.load %2 : <1x32xindex> -> tensor<1x32xf32>
      %4 = arith.addf %3, %3 : tensor<1x32xf32>
      %5 = ktdp.construct_access_tile %1[%arg4, %c0] {access_tile_order = #map, access_tile_set = #set1} : memref<?x?xf32> -> !ktdp.access_tile<1x32xindex>
      ktdp.store %4, %5 : tensor<1x32xf32>, <1x32xindex>
    }
    return
  }
}
