#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 23 >= 0)>
#set1 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 23 >= 0, d2 >= 0, -d2 + 15 >= 0)>
#set2 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 15 >= 0)>
#set3 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 23 >= 0)>
#set4 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 23 >= 0, d2 >= 0, -d2 + 7 >= 0)>
#set5 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 7 >= 0)>
module {
  func.func @k(%a: index, %b: index, %c: index) attributes {grid = [2, 2, 3]} {
    %0:3 = ktdp.get_compute_tile_id : index, index, index
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %1 = arith.muli %0#0, %c8 : index
    %2 = arith.muli %0#1, %c8 : index
    %3 = ktdp.construct_memory_view %a, sizes: [3, 16, 24], strides: [384, 24, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x16x24xbf16>
    %4 = ktdp.construct_memory_view %b, sizes: [3, 24, 16], strides: [384, 16, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x24x16xbf16>
    %5 = ktdp.construct_memory_view %c, sizes: [3, 16, 16], strides: [256, 16, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x16x16xf32>
    %6 = ktdp.construct_access_tile %3[%0#2, %1, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<3x16x24xbf16> -> !ktdp.access_tile<1x8x24xindex>
    %7 = ktdp.load %6 : <1x8x24xindex> -> tensor<1x8x24xbf16>
    %8 = ktdp.construct_access_tile %4[%0#2, %c0, %2] {access_tile_order = #map, access_tile_set = #set4} : memref<3x24x16xbf16> -> !ktdp.access_tile<1x24x8xindex>
    %9 = ktdp.load %8 : <1x24x8xindex> -> tensor<1x24x8xbf16>
    %10 = tensor.empty() : tensor<1x8x8xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
    %12 = linalg.batch_matmul ins(%7, %9 : tensor<1x8x24xbf16>, tensor<1x24x8xbf16>) outs(%11 : tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
    %13 = ktdp.construct_access_tile %5[%0#2, %1, %2] {access_tile_order = #map, access_tile_set = #set5} : memref<3x16x16xf32> -> !ktdp.access_tile<1x8x8xindex>
    ktdp.store %12, %13 : tensor<1x8x8xf32>, <1x8x8xindex>
    return
  }
}
