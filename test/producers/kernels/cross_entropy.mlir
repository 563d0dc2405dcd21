#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#set = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 69 >= 0)>
#set1 = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 69 >= 0)>
#set3 = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>
module {
  func.func @k(%x: index, %lab: index, %y: index, %rows: index) attributes {grid = [4]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %cst = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
    %c-100_i64 = arith.constant -100 : i64
    %1 = ktdp.construct_memory_view %x, sizes: [%rows, 70], strides: [70, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?x70xf32>
    %2 = ktdp.construct_memory_view %lab, sizes: [%rows], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?xi64>
    %3 = ktdp.construct_memory_view %y, sizes: [%rows], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?xf32>
    scf.for %arg4 = %0 to %rows step %c4 {
      %4 = ktdp.construct_access_tile %1[%arg4, %c0] {access_tile_order = #map, access_tile_set = #set2} : memref<?x70xf32> -> !ktdp.access_tile<1x70xindex>
      %5 = ktdp.load %4 : <1x70xindex> -> tensor<1x70xf32>
      %6 = ktdp.construct_access_tile %2[%arg4] {access_tile_order = #map1, access_tile_set = #set3} : memref<?xi64> -> !ktdp.access_tile<1xindex>
      %7 = ktdp.load %6 : <1xindex> -> tensor<1xi64>
      %extracted = tensor.extract %7[%c0] : tensor<1xi64>
      %reduced = linalg.reduce { arith.maximumf } ins(%5 : tensor<1x70xf32>) outs(%cst : tensor<f32>) dimensions = [0, 1] 
      %extracted_1 = tensor.extract %reduced[] : tensor<f32>
      %splat = tensor.splat %extracted_1 : tensor<1x70xf32>
      %8 = arith.subf %5, %splat : tensor<1x70xf32>
      %9 = math.exp %8 : tensor<1x70xf32>
      %reduced_2 = linalg.reduce { arith.addf } ins(%9 : tensor<1x70xf32>) outs(%cst_0 : tensor<f32>) dimensions = [0, 1] 
      %extracted_3 = tensor.extract %reduced_2[] : tensor<f32>
      %10 = math.log %extracted_3 : f32
      %11 = arith.addf %10, %extracted_1 : f32
      %12 = arith.cmpi eq, %extracted, %c-100_i64 : i64
      %13 = scf.if %12 -> (f32) {
        %cst_4 = arith.constant 0.000000e+00 : f32
        scf.yield %cst_4 : f32
      } else {
        %15 = arith.index_cast %extracted : i64 to index
        %extracted_4 = tensor.extract %5[%c0, %15] : tensor<1x70xf32>
        %16 = arith.subf %11, %extracted_4 : f32
        scf.yield %16 : f32
      }
      %from_elements = tensor.from_elements %13 : tensor<1xf32>
      %14 = ktdp.construct_access_tile %3[%arg4] {access_tile_order = #map1, access_tile_set = #set3} : memref<?xf32> -> !ktdp.access_tile<1xindex>
      ktdp.store %from_elements, %14 : tensor<1xf32>, <1xindex>
    }
    return
  }
}
