#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 22 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0)>
module {
  func.func @k(%x: index, %cu: index, %y: index, %maxlen: index) attributes {grid = [3]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %cst = arith.constant 0.000000e+00 : f32
    %1 = ktdp.construct_memory_view %x, sizes: [23, 8], strides: [8, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<23x8xf16>
    %2 = ktdp.construct_memory_view %cu, sizes: [4], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4xi32>
    %3 = ktdp.construct_memory_view %y, sizes: [3, 8], strides: [8, 1] {coordinate_set = #set2, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x8xf16>
    %4 = arith.addi %0, %c1 : index
    %5 = memref.load %2[%0] : memref<4xi32>
    %6 = memref.load %2[%4] : memref<4xi32>
    %7 = arith.index_cast %5 : i32 to index
    %8 = arith.index_cast %6 : i32 to index
    %9 = arith.subi %8, %7 : index
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<8xf32>
    %10 = scf.for %arg4 = %c0 to %maxlen step %c4 iter_args(%arg5 = %cst_0) -> (tensor<8xf32>) {
      %16 = arith.subi %9, %arg4 : index
      %17 = arith.cmpi sgt, %16, %c0 : index
      %18 = scf.if %17 -> (tensor<8xf32>) {
        %19 = arith.minsi %16, %c4 : index
        %20 = scf.for %arg6 = %c0 to %19 step %c1 iter_args(%arg7 = %arg5) -> (tensor<8xf32>) {
          %21 = arith.addi %7, %arg4 : index
          %22 = arith.addi %21, %arg6 : index
          %23 = ktdp.construct_access_tile %1[%22, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<23x8xf16> -> !ktdp.access_tile<1x8xindex>
          %24 = ktdp.load %23 : <1x8xindex> -> tensor<1x8xf16>
          %25 = arith.extf %24 : tensor<1x8xf16> to tensor<1x8xf32>
          %collapsed = tensor.collapse_shape %25 [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
          %26 = arith.addf %arg7, %collapsed : tensor<8xf32>
          scf.yield %26 : tensor<8xf32>
        }
        scf.yield %20 : tensor<8xf32>
      } else {
        scf.yield %arg5 : tensor<8xf32>
      }
      scf.yield %18 : tensor<8xf32>
    }
    %11 = arith.index_cast %9 : index to i32
    %12 = arith.sitofp %11 : i32 to f32
    %splat = tensor.splat %12 : tensor<8xf32>
    %13 = arith.divf %10, %splat : tensor<8xf32>
    %14 = arith.truncf %13 : tensor<8xf32> to tensor<8xf16>
    %expanded = tensor.expand_shape %14 [[0, 1]] output_shape [1, 8] : tensor<8xf16> into tensor<1x8xf16>
    %15 = ktdp.construct_access_tile %3[%0, %c0] {access_tile_order = #map, access_tile_set = #set3} : memref<3x8xf16> -> !ktdp.access_tile<1x8xindex>
    ktdp.store %expanded, %15 : tensor<1x8xf16>, <1x8xindex>
    return
  }
}
