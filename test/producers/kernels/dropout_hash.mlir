#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 127 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
module {
  func.func @k(%x: index, %y: index, %seed: i32, %p: f32) attributes {grid = [2]} {
    %0 = ktdp.get_compute_tile_id : index
    %c64 = arith.constant 64 : index
    %1 = arith.muli %0, %c64 : index
    %2 = ktdp.construct_memory_view %x, sizes: [128], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<128xf32>
    %3 = ktdp.construct_memory_view %y, sizes: [128], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<128xf32>
    %4 = ktdp.construct_access_tile %2[%1] {access_tile_order = #map, access_tile_set = #set1} : memref<128xf32> -> !ktdp.access_tile<64xindex>
    %5 = ktdp.load %4 : <64xindex> -> tensor<64xf32>
    %generated = tensor.generate  {
    ^bb0(%arg4: index):
      %22 = arith.addi %arg4, %1 : index
      %23 = arith.index_cast %22 : index to i32
      tensor.yield %23 : i32
    } : tensor<64xi32>
    %splat = tensor.splat %seed : tensor<64xi32>
    %6 = arith.xori %generated, %splat : tensor<64xi32>
    %cst = arith.constant dense<16> : tensor<64xi32>
    %cst_0 = arith.constant dense<13> : tensor<64xi32>
    %cst_1 = arith.constant dense<-2048144789> : tensor<64xi32>
    %cst_2 = arith.constant dense<-1028477387> : tensor<64xi32>
    %7 = arith.shrui %6, %cst : tensor<64xi32>
    %8 = arith.xori %6, %7 : tensor<64xi32>
    %9 = arith.muli %8, %cst_1 : tensor<64xi32>
    %10 = arith.shrui %9, %cst_0 : tensor<64xi32>
    %11 = arith.xori %9, %10 : tensor<64xi32>
    %12 = arith.muli %11, %cst_2 : tensor<64xi32>
    %13 = arith.shrui %12, %cst : tensor<64xi32>
    %14 = arith.xori %12, %13 : tensor<64xi32>
    %15 = arith.uitofp %14 : tensor<64xi32> to tensor<64xf32>
    %cst_3 = arith.constant dense<2.32830644E-10> : tensor<64xf32>
    %16 = arith.mulf %15, %cst_3 : tensor<64xf32>
    %splat_4 = tensor.splat %p : tensor<64xf32>
    %17 = arith.cmpf ogt, %16, %splat_4 : tensor<64xf32>
    %cst_5 = arith.constant 1.000000e+00 : f32
    %18 = arith.subf %cst_5, %p : f32
    %splat_6 = tensor.splat %18 : tensor<64xf32>
    %19 = arith.divf %5, %splat_6 : tensor<64xf32>
    %cst_7 = arith.constant dense<0.000000e+00> : tensor<64xf32>
    %20 = arith.select %17, %19, %cst_7 : tensor<64xi1>, tensor<64xf32>
    %21 = ktdp.construct_access_tile %3[%1] {access_tile_order = #map, access_tile_set = #set1} : memref<128xf32> -> !ktdp.access_tile<64xindex>
    ktdp.store %20, %21 : tensor<64xf32>, <64xindex>
    return
  }
}
