#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %0 = ktdp.construct_memory_view %x, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x16xi32>
    %1 = ktdp.construct_memory_view %y, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x16xi32>
    %2 = ktdp.construct_access_tile %0[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<4x16xi32> -> !ktdp.access_tile<4x16xindex>
    %3 = ktdp.load %2 : <4x16xindex> -> tensor<4x16xi32>
    %cst = arith.constant dense<0> : tensor<i32>
    %cst_0 = arith.constant dense<1> : tensor<4x16xi32>
    %c0_i32 = arith.constant 0 : i32
    %4:2 = scf.while (%arg2 = %3, %arg3 = %c0) : (tensor<4x16xi32>, index) -> (tensor<4x16xi32>, index) {
      %reduced = linalg.reduce { arith.ori } ins(%arg2 : tensor<4x16xi32>) outs(%cst : tensor<i32>) dimensions = [0, 1] 
      %extracted = tensor.extract %reduced[] : tensor<i32>
      %8 = arith.cmpi ne, %extracted, %c0_i32 : i32
      scf.condition(%8) %arg2, %arg3 : tensor<4x16xi32>, index
    } do {
    ^bb0(%arg2: tensor<4x16xi32>, %arg3: index):
      %8 = arith.shrui %arg2, %cst_0 : tensor<4x16xi32>
      %9 = arith.addi %arg3, %c1 : index
      scf.yield %8, %9 : tensor<4x16xi32>, index
    }
    %5 = arith.index_cast %4#1 : index to i32
    %splat = tensor.splat %5 : tensor<4x16xi32>
    %6 = arith.addi %splat, %4#0 : tensor<4x16xi32>
    %7 = ktdp.construct_access_tile %1[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<4x16xi32> -> !ktdp.access_tile<4x16xindex>
    ktdp.store %6, %7 : tensor<4x16xi32>, <4x16xindex>
    return
  }
}
