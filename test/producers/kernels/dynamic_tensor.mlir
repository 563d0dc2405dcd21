#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>
module {
  func.func @k(%x: index, %y: index, %n: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %0 = ktdp.construct_memory_view %x, sizes: [8], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8xf32>
    %1 = ktdp.construct_memory_view %y, sizes: [1], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<1xf32>
    %2 = ktdp.construct_access_tile %0[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<8xf32> -> !ktdp.access_tile<8xindex>
    %3 = ktdp.load %2 : <8xindex> -> tensor<8xf32>
    %extracted_slice = tensor.extract_slice %3[0] [%n] [1] : tensor<8xf32> to tensor<?xf32>
    %splat = tensor.splat %cst : tensor<f32>
    %reduced = linalg.reduce { arith.addf } ins(%extracted_slice : tensor<?xf32>) outs(%splat : tensor<f32>) dimensions = [0] 
    %extracted = tensor.extract %reduced[] : tensor<f32>
    %from_elements = tensor.from_elements %extracted : tensor<1xf32>
    %4 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map, access_tile_set = #set1} : memref<1xf32> -> !ktdp.access_tile<1xindex>
    ktdp.store %from_elements, %4 : tensor<1xf32>, <1xindex>
    return
  }
}
