#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 4 >= 0, d1 >= 0, -d1 + 47 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %0 = ktdp.construct_memory_view %x, sizes: [5, 48], strides: [48, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<5x48xf32>
    %1 = ktdp.construct_memory_view %y, sizes: [5, 48], strides: [48, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<5x48xf32>
    %2 = ktdp.construct_access_tile %0[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<5x48xf32> -> !ktdp.access_tile<5x48xindex>
    %3 = ktdp.load %2 : <5x48xindex> -> tensor<5x48xf32>
    %4 = tensor.empty() : tensor<48x48xf32>
    %5 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%4 : tensor<48x48xf32>) {
    ^bb0(%out: f32):
      %8 = linalg.index 0 : index
      %9 = linalg.index 1 : index
      %10 = arith.cmpi ule, %8, %9 : index
      %11 = arith.uitofp %10 : i1 to f32
      linalg.yield %11 : f32
    } -> tensor<48x48xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<5x48xf32>
    %6 = linalg.matmul ins(%3, %5 : tensor<5x48xf32>, tensor<48x48xf32>) outs(%cst : tensor<5x48xf32>) -> tensor<5x48xf32>
    %7 = ktdp.construct_access_tile %1[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<5x48xf32> -> !ktdp.access_tile<5x48xindex>
    ktdp.store %6, %7 : tensor<5x48xf32>, <5x48xindex>
    return
  }
}
