#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>
module {
  func.func @k(%nx: index, %v: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c-1_i32 = arith.constant -1 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = ktdp.construct_memory_view %nx, sizes: [8], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xi32>
    %1 = ktdp.construct_memory_view %v, sizes: [8], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xf32>
    %2 = ktdp.construct_memory_view %y, sizes: [1], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<1xf32>
    %3:2 = scf.while (%arg3 = %cst, %arg4 = %c0_i32) : (f32, i32) -> (f32, i32) {
      %5 = arith.cmpi ne, %arg4, %c-1_i32 : i32
      scf.condition(%5) %arg3, %arg4 : f32, i32
    } do {
    ^bb0(%arg3: f32, %arg4: i32):
      %5 = arith.index_cast %arg4 : i32 to index
      %6 = ktdp.construct_access_tile %1[%5] {access_tile_order = #map, access_tile_set = #set1} : memref<8xf32> -> !ktdp.access_tile<1xindex>
      %7 = ktdp.load %6 : <1xindex> -> tensor<1xf32>
      %8 = ktdp.construct_access_tile %0[%5] {access_tile_order = #map, access_tile_set = #set1} : memref<8xi32> -> !ktdp.access_tile<1xindex>
      %9 = ktdp.load %8 : <1xindex> -> tensor<1xi32>
      %extracted = tensor.extract %7[%c0] : tensor<1xf32>
      %extracted_0 = tensor.extract %9[%c0] : tensor<1xi32>
      %10 = arith.addf %arg3, %extracted : f32
      scf.yield %10, %extracted_0 : f32, i32
    }
    %from_elements = tensor.from_elements %3#0 : tensor<1xf32>
    %4 = ktdp.construct_access_tile %2[%c0] {access_tile_order = #map, access_tile_set = #set1} : memref<1xf32> -> !ktdp.access_tile<1xindex>
    ktdp.store %from_elements, %4 : tensor<1xf32>, <1xindex>
    return
  }
}
