#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 255 >= 0)>
module {
  func.func @k(%x: index, %y: index, %z: index, %n: index) attributes {grid = [4]} {
    %0 = ktdp.get_compute_tile_id : index
    %c256 = arith.constant 256 : index
    %1 = arith.muli %0, %c256 : index
    %2 = ktdp.construct_memory_view %x, sizes: [%n], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?xf16>
    %3 = ktdp.construct_memory_view %y, sizes: [%n], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?xf16>
    %4 = ktdp.construct_memory_view %z, sizes: [%n], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?xf16>
    %5 = ktdp.construct_access_tile %2[%1] {access_tile_order = #map, access_tile_set = #set1} : memref<?xf16> -> !ktdp.access_tile<256xindex>
    %6 = ktdp.load %5 : <256xindex> -> tensor<256xf16>
    %7 = ktdp.construct_access_tile %3[%1] {access_tile_order = #map, access_tile_set = #set1} : memref<?xf16> -> !ktdp.access_tile<256xindex>
    %8 = ktdp.load %7 : <256xindex> -> tensor<256xf16>
    %generated = tensor.generate  {
    ^bb0(%arg4: index):
      %14 = arith.addi %arg4, %1 : index
      tensor.yield %14 : index
    } : tensor<256xindex>
    %splat = tensor.splat %n : tensor<256xindex>
    %9 = arith.cmpi slt, %generated, %splat : tensor<256xindex>
    %cst = arith.constant dense<0.000000e+00> : tensor<256xf16>
    %10 = arith.select %9, %6, %cst : tensor<256xi1>, tensor<256xf16>
    %11 = arith.select %9, %8, %cst : tensor<256xi1>, tensor<256xf16>
    %12 = arith.addf %10, %11 : tensor<256xf16>
    %13 = ktdp.construct_access_tile %4[%1] {access_tile_order = #map, access_tile_set = #set1} : memref<?xf16> -> !ktdp.access_tile<256xindex>
    ktdp.store %12, %13 : tensor<256xf16>, <256xindex>
    return
  }
}
