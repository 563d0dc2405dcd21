#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
module {
  func.func @k(%x: index, %y: index, %n: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %cst = arith.constant dense<0.000000e+00> : tensor<32xf32>
    %0:2 = scf.for %arg3 = %c0 to %n step %c1 iter_args(%arg4 = %x, %arg5 = %cst) -> (index, tensor<32xf32>) {
      %3 = ktdp.construct_memory_view %arg4, sizes: [32], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32xf32>
      %4 = ktdp.construct_access_tile %3[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<32xf32> -> !ktdp.access_tile<32xindex>
      %5 = ktdp.load %4 : <32xindex> -> tensor<32xf32>
      %6 = arith.addf %arg5, %5 : tensor<32xf32>
      %7 = arith.addi %arg4, %c32 : index
      scf.yield %7, %6 : index, tensor<32xf32>
    }
    %1 = ktdp.construct_memory_view %y, sizes: [32], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<32xf32>
    %2 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<32xf32> -> !ktdp.access_tile<32xindex>
    ktdp.store %0#1, %2 : tensor<32xf32>, <32xindex>
    return
  }
}
