#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 11 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %0 = ktdp.construct_memory_view %x, sizes: [12, 16], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<12x16xf32>
    %1 = ktdp.construct_memory_view %y, sizes: [12, 16], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<12x16xf32>
    %2 = ktdp.construct_access_tile %0[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<12x16xf32> -> !ktdp.access_tile<12x16xindex>
    %3 = ktdp.load %2 : <12x16xindex> -> tensor<12x16xf32>
    %4 = tensor.empty() : tensor<12x16xf32>
    %5 = scf.forall (%arg2, %arg3) = (0, 0) to (12, 16) step (4, 8) shared_outs(%arg4 = %4) -> (tensor<12x16xf32>) {
      %extracted_slice = tensor.extract_slice %3[%arg2, %arg3] [4, 8] [1, 1] : tensor<12x16xf32> to tensor<4x8xf32>
      %7 = arith.addi %arg2, %arg3 : index
      %8 = arith.index_cast %7 : index to i32
      %9 = arith.sitofp %8 : i32 to f32
      %splat = tensor.splat %9 : tensor<4x8xf32>
      %10 = arith.addf %extracted_slice, %splat : tensor<4x8xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %10 into %arg4[%arg2, %arg3] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<12x16xf32>
      }
    }
    %6 = ktdp.construct_access_tile %1[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<12x16xf32> -> !ktdp.access_tile<12x16xindex>
    ktdp.store %5, %6 : tensor<12x16xf32>, <12x16xindex>
    return
  }
}
