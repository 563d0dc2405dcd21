#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %0 = ktdp.construct_memory_view %x, sizes: [8], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xf32>
    %1 = ktdp.construct_memory_view %y, sizes: [8], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xf32>
    %2 = ktdp.construct_access_tile %0[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<8xf32> -> !ktdp.access_tile<8xindex>
    %3 = ktdp.load %2 : <8xindex> -> tensor<8xf32>
    %4 = scf.for %arg2 = %c1 to %c8 step %c1 iter_args(%arg3 = %3) -> (tensor<8xf32>) {
      %extracted = tensor.extract %arg3[%arg2] : tensor<8xf32>
      %6:2 = scf.while (%arg4 = %arg3, %arg5 = %arg2) : (tensor<8xf32>, index) -> (tensor<8xf32>, index) {
        %7 = arith.cmpi sgt, %arg5, %c0 : index
        %8 = scf.if %7 -> (i1) {
          %9 = arith.subi %arg5, %c1 : index
          %extracted_0 = tensor.extract %arg4[%9] : tensor<8xf32>
          %10 = arith.cmpf ogt, %extracted_0, %extracted : f32
          scf.yield %10 : i1
        } else {
          %false = arith.constant false
          scf.yield %false : i1
        }
        scf.condition(%8) %arg4, %arg5 : tensor<8xf32>, index
      } do {
      ^bb0(%arg4: tensor<8xf32>, %arg5: index):
        %7 = arith.subi %arg5, %c1 : index
        %extracted_0 = tensor.extract %arg4[%7] : tensor<8xf32>
        %inserted_1 = tensor.insert %extracted_0 into %arg4[%arg5] : tensor<8xf32>
        scf.yield %inserted_1, %7 : tensor<8xf32>, index
      }
      %inserted = tensor.insert %extracted into %6#0[%6#1] : tensor<8xf32>
      scf.yield %inserted : tensor<8xf32>
    }
    %5 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<8xf32> -> !ktdp.access_tile<8xindex>
    ktdp.store %4, %5 : tensor<8xf32>, <8xindex>
    return
  }
}
