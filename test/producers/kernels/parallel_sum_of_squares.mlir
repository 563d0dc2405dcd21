#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 3 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c4 = arith.constant 4 : index
    %c0_i32 = arith.constant 0 : i32
    %0 = ktdp.construct_memory_view %x, sizes: [8, 4], strides: [4, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8x4xi32>
    %1 = ktdp.construct_memory_view %y, sizes: [1], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<1xi32>
    %2 = ktdp.construct_access_tile %0[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<8x4xi32> -> !ktdp.access_tile<8x4xindex>
    %3 = ktdp.load %2 : <8x4xindex> -> tensor<8x4xi32>
    %4 = scf.parallel (%arg2, %arg3) = (%c0, %c0) to (%c8, %c4) step (%c1, %c1) init (%c0_i32) -> i32 {
      %extracted = tensor.extract %3[%arg2, %arg3] : tensor<8x4xi32>
      %6 = arith.muli %extracted, %extracted : i32
      scf.reduce(%6 : i32) {
      ^bb0(%arg4: i32, %arg5: i32):
        %7 = arith.addi %arg4, %arg5 : i32
        scf.reduce.return %7 : i32
      }
    }
    %from_elements = tensor.from_elements %4 : tensor<1xi32>
    %5 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map1, access_tile_set = #set1} : memref<1xi32> -> !ktdp.access_tile<1xindex>
    ktdp.store %from_elements, %5 : tensor<1xi32>, <1xindex>
    return
  }
}
