#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set1 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 9 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 31 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 3 >= 0)>
#set3 = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>
#set4 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#set5 = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>
#set6 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 31 >= 0)>
module {
  func.func @k(%q: index, %kc: index, %vc: index, %bt: index, %len: index, %o: index) attributes {grid = [3]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %1 = ktdp.construct_memory_view %q, sizes: [3, 32], strides: [32, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x32xf16>
    %2 = ktdp.construct_memory_view %kc, sizes: [10, 8, 32], strides: [256, 32, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<10x8x32xf16>
    %3 = ktdp.construct_memory_view %vc, sizes: [10, 8, 32], strides: [256, 32, 1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<10x8x32xf16>
    %4 = ktdp.construct_memory_view %bt, sizes: [3, 4], strides: [4, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x4xi32>
    %5 = ktdp.construct_memory_view %len, sizes: [3], strides: [1] {coordinate_set = #set3, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3xi32>
    %6 = ktdp.construct_memory_view %o, sizes: [3, 32], strides: [32, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x32xf16>
    %7 = ktdp.construct_access_tile %1[%0, %c0] {access_tile_order = #map, access_tile_set = #set4} : memref<3x32xf16> -> !ktdp.access_tile<1x32xindex>
    %8 = ktdp.load %7 : <1x32xindex> -> tensor<1x32xf16>
    %9 = ktdp.construct_access_tile %5[%0] {access_tile_order = #map1, access_tile_set = #set5} : memref<3xi32> -> !ktdp.access_tile<1xindex>
    %10 = ktdp.load %9 : <1xindex> -> tensor<1xi32>
    %extracted = tensor.extract %10[%c0] : tensor<1xi32>
    %11 = arith.index_cast %extracted : i32 to index
    %12 = arith.ceildivui %11, %c8 : index
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<1x32xf32>
    %13:3 = scf.for %arg6 = %c0 to %12 step %c1 iter_args(%arg7 = %cst, %arg8 = %cst_0, %arg9 = %cst_1) -> (f32, f32, tensor<1x32xf32>) {
      %17 = ktdp.construct_indirect_access_tile intermediate_variables(%arg10, %arg11, %arg12) %2[ind(%4[%0, %arg6 + %arg10]), (%arg11), (%arg12)] {variables_space_order = #map2, variables_space_set = #set6} : memref<10x8x32xf16>, memref<3x4xi32> -> !ktdp.access_tile<1x8x32xindex>
      %18 = ktdp.load %17 : <1x8x32xindex> -> tensor<1x8x32xf16>
      %collapsed = tensor.collapse_shape %18 [[0, 1], [2]] : tensor<1x8x32xf16> into tensor<8x32xf16>
      %19 = ktdp.construct_indirect_access_tile intermediate_variables(%arg10, %arg11, %arg12) %3[ind(%4[%0, %arg6 + %arg10]), (%arg11), (%arg12)] {variables_space_order = #map2, variables_space_set = #set6} : memref<10x8x32xf16>, memref<3x4xi32> -> !ktdp.access_tile<1x8x32xindex>
      %20 = ktdp.load %19 : <1x8x32xindex> -> tensor<1x8x32xf16>
      %collapsed_2 = tensor.collapse_shape %20 [[0, 1], [2]] : tensor<1x8x32xf16> into tensor<8x32xf16>
      %21 = tensor.empty() : tensor<32x8xf16>
      %transposed = linalg.transpose ins(%collapsed : tensor<8x32xf16>) outs(%21 : tensor<32x8xf16>) permutation = [1, 0] 
      %cst_3 = arith.constant dense<0.000000e+00> : tensor<1x8xf32>
      %22 = linalg.matmul ins(%8, %transposed : tensor<1x32xf16>, tensor<32x8xf16>) outs(%cst_3 : tensor<1x8xf32>) -> tensor<1x8xf32>
      %23 = arith.muli %arg6, %c8 : index
      %generated = tensor.generate  {
      ^bb0(%arg10: index, %arg11: index):
        %33 = arith.addi %23, %arg11 : index
        %34 = arith.cmpi ult, %33, %11 : index
        tensor.yield %34 : i1
      } : tensor<1x8xi1>
      %splat_4 = tensor.splat %cst : tensor<1x8xf32>
      %24 = arith.select %generated, %22, %splat_4 : tensor<1x8xi1>, tensor<1x8xf32>
      %splat_5 = tensor.splat %arg7 : tensor<1xf32>
      %reduced = linalg.reduce { arith.maximumf } ins(%24 : tensor<1x8xf32>) outs(%splat_5 : tensor<1xf32>) dimensions = [1] 
      %extracted_6 = tensor.extract %reduced[%c0] : tensor<1xf32>
      %splat_7 = tensor.splat %extracted_6 : tensor<1x8xf32>
      %25 = arith.subf %24, %splat_7 : tensor<1x8xf32>
      %26 = math.exp %25 : tensor<1x8xf32>
      %27 = arith.subf %arg7, %extracted_6 : f32
      %28 = math.exp %27 : f32
      %29 = arith.mulf %arg8, %28 : f32
      %splat_8 = tensor.splat %29 : tensor<1xf32>
      %reduced_9 = linalg.reduce { arith.addf } ins(%26 : tensor<1x8xf32>) outs(%splat_8 : tensor<1xf32>) dimensions = [1] 
      %extracted_10 = tensor.extract %reduced_9[%c0] : tensor<1xf32>
      %splat_11 = tensor.splat %28 : tensor<1x32xf32>
      %30 = arith.mulf %arg9, %splat_11 : tensor<1x32xf32>
      %31 = arith.truncf %26 : tensor<1x8xf32> to tensor<1x8xf16>
      %32 = linalg.matmul ins(%31, %collapsed_2 : tensor<1x8xf16>, tensor<8x32xf16>) outs(%30 : tensor<1x32xf32>) -> tensor<1x32xf32>
      scf.yield %extracted_6, %extracted_10, %32 : f32, f32, tensor<1x32xf32>
    }
    %splat = tensor.splat %13#1 : tensor<1x32xf32>
    %14 = arith.divf %13#2, %splat : tensor<1x32xf32>
    %15 = arith.truncf %14 : tensor<1x32xf32> to tensor<1x32xf16>
    %16 = ktdp.construct_access_tile %6[%0, %c0] {access_tile_order = #map, access_tile_set = #set4} : memref<3x32xf16> -> !ktdp.access_tile<1x32xindex>
    ktdp.store %15, %16 : tensor<1x32xf16>, <1x32xindex>
    return
  }
}
