#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 5.000000e-01 : f32
    %cst_0 = arith.constant 9.99999997E-7 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %0 = ktdp.construct_memory_view %x, sizes: [4], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4xf32>
    %1 = ktdp.construct_memory_view %y, sizes: [4], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4xf32>
    %2 = ktdp.construct_access_tile %0[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<4xf32> -> !ktdp.access_tile<4xindex>
    %3 = ktdp.load %2 : <4xindex> -> tensor<4xf32>
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %4 = tensor.empty() : tensor<4xf32>
    %5 = scf.for %arg2 = %c0 to %c4 step %c1 iter_args(%arg3 = %4) -> (tensor<4xf32>) {
      %extracted = tensor.extract %3[%arg2] : tensor<4xf32>
      %7:2 = scf.while (%arg4 = %extracted, %arg5 = %cst_1) : (f32, f32) -> (f32, f32) {
        %8 = arith.cmpf ogt, %arg5, %cst_0 : f32
        scf.condition(%8) %arg4, %arg5 : f32, f32
      } do {
      ^bb0(%arg4: f32, %arg5: f32):
        %8 = arith.divf %extracted, %arg4 : f32
        %9 = arith.addf %arg4, %8 : f32
        %10 = arith.mulf %9, %cst : f32
        %11 = arith.subf %10, %arg4 : f32
        %12 = math.absf %11 : f32
        scf.yield %10, %12 : f32, f32
      }
      %inserted = tensor.insert %7#0 into %arg3[%arg2] : tensor<4xf32>
      scf.yield %inserted : tensor<4xf32>
    }
    %6 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<4xf32> -> !ktdp.access_tile<4xindex>
    ktdp.store %5, %6 : tensor<4xf32>, <4xindex>
    return
  }
}
