#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
module {
  func.func @k(%x: index, %y: index, %M: index, %N: index) attributes {grid = [4]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %1 = ktdp.construct_memory_view %x, sizes: [%M, %N], strides: [%N, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?x?xf16>
    %2 = ktdp.construct_memory_view %y, sizes: [%M, %N], strides: [%N, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?x?xf16>
    scf.for %arg4 = %0 to %M step %c4 {
      %3:2 = scf.for %arg5 = %c0 to %N step %c64 iter_args(%arg6 = %cst, %arg7 = %cst_0) -> (f32, f32) {
        %4 = ktdp.construct_access_tile %1[%arg4, %arg5] {access_tile_order = #map, access_tile_set = #set1} : memref<?x?xf16> -> !ktdp.access_tile<1x64xindex>
        %5 = ktdp.load %4 : <1x64xindex> -> tensor<1x64xf16>
        %6 = arith.extf %5 : tensor<1x64xf16> to tensor<1x64xf32>
        %generated = tensor.generate  {
        ^bb0(%arg8: index, %arg9: index):
          %13 = arith.addi %arg9, %arg5 : index
          %14 = arith.cmpi slt, %13, %N : index
          tensor.yield %14 : i1
        } : tensor<1x64xi1>
        %splat = tensor.splat %cst : tensor<1x64xf32>
        %7 = arith.select %generated, %6, %splat : tensor<1x64xi1>, tensor<1x64xf32>
        %from_elements = tensor.from_elements %arg6 : tensor<1xf32>
        %reduced = linalg.reduce { arith.maximumf } ins(%7 : tensor<1x64xf32>) outs(%from_elements : tensor<1xf32>) dimensions = [1] 
        %extracted = tensor.extract %reduced[%c0] : tensor<1xf32>
        %splat_1 = tensor.splat %extracted : tensor<1x64xf32>
        %8 = arith.subf %7, %splat_1 : tensor<1x64xf32>
        %9 = math.exp %8 : tensor<1x64xf32>
        %10 = arith.subf %arg6, %extracted : f32
        %11 = math.exp %10 : f32
        %12 = arith.mulf %arg7, %11 : f32
        %from_elements_2 = tensor.from_elements %12 : tensor<1xf32>
        %reduced_3 = linalg.reduce { arith.addf } ins(%9 : tensor<1x64xf32>) outs(%from_elements_2 : tensor<1xf32>) dimensions = [1] 
        %extracted_4 = tensor.extract %reduced_3[%c0] : tensor<1xf32>
        scf.yield %extracted, %extracted_4 : f32, f32
      }
      scf.for %arg5 = %c0 to %N step %c64 {
        %4 = ktdp.construct_access_tile %1[%arg4, %arg5] {access_tile_order = #map, access_tile_set = #set1} : memref<?x?xf16> -> !ktdp.access_tile<1x64xindex>
        %5 = ktdp.load %4 : <1x64xindex> -> tensor<1x64xf16>
        %6 = arith.extf %5 : tensor<1x64xf16> to tensor<1x64xf32>
        %splat = tensor.splat %3#0 : tensor<1x64xf32>
        %7 = arith.subf %6, %splat : tensor<1x64xf32>
        %8 = math.exp %7 : tensor<1x64xf32>
        %splat_1 = tensor.splat %3#1 : tensor<1x64xf32>
        %9 = arith.divf %8, %splat_1 : tensor<1x64xf32>
        %10 = arith.truncf %9 : tensor<1x64xf32> to tensor<1x64xf16>
        %11 = ktdp.construct_access_tile %2[%arg4, %arg5] {access_tile_order = #map, access_tile_set = #set1} : memref<?x?xf16> -> !ktdp.access_tile<1x64xindex>
        ktdp.store %10, %11 : tensor<1x64xf16>, <1x64xindex>
      }
    }
    return
  }
}
