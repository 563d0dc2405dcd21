#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @k(%a: index, %b: index, %c: index, %M: index, %N: index, %K: index) attributes {grid = [6]} {
    %0 = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %c16 = arith.constant 16 : index
    %1 = arith.ceildivsi %M, %c16 : index
    %2 = arith.ceildivsi %N, %c16 : index
    %3 = arith.muli %1, %2 : index
    %cst = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    %4 = ktdp.construct_memory_view %a, sizes: [%M, %K], strides: [%K, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?x?xf16>
    %5 = ktdp.construct_memory_view %b, sizes: [%K, %N], strides: [%N, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?x?xf16>
    %6 = ktdp.construct_memory_view %c, sizes: [%M, %N], strides: [%N, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<?x?xf16>
    scf.for %arg6 = %0 to %3 step %c6 {
      %7 = arith.muli %c2, %2 : index
      %8 = arith.divsi %arg6, %7 : index
      %9 = arith.muli %8, %c2 : index
      %10 = arith.subi %1, %9 : index
      %11 = arith.minsi %10, %c2 : index
      %12 = arith.remsi %arg6, %7 : index
      %13 = arith.remsi %12, %11 : index
      %14 = arith.addi %9, %13 : index
      %15 = arith.divsi %12, %11 : index
      %16 = arith.muli %14, %c16 : index
      %17 = arith.muli %15, %c16 : index
      %18 = scf.for %arg7 = %c0 to %K step %c16 iter_args(%arg8 = %cst) -> (tensor<16x16xf32>) {
        %21 = ktdp.construct_access_tile %4[%16, %arg7] {access_tile_order = #map, access_tile_set = #set1} : memref<?x?xf16> -> !ktdp.access_tile<16x16xindex>
        %22 = ktdp.load %21 : <16x16xindex> -> tensor<16x16xf16>
        %23 = ktdp.construct_access_tile %5[%arg7, %17] {access_tile_order = #map, access_tile_set = #set1} : memref<?x?xf16> -> !ktdp.access_tile<16x16xindex>
        %24 = ktdp.load %23 : <16x16xindex> -> tensor<16x16xf16>
        %25 = linalg.matmul ins(%22, %24 : tensor<16x16xf16>, tensor<16x16xf16>) outs(%arg8 : tensor<16x16xf32>) -> tensor<16x16xf32>
        scf.yield %25 : tensor<16x16xf32>
      }
      %19 = arith.truncf %18 : tensor<16x16xf32> to tensor<16x16xf16>
      %20 = ktdp.construct_access_tile %6[%16, %17] {access_tile_order = #map, access_tile_set = #set1} : memref<?x?xf16> -> !ktdp.access_tile<16x16xindex>
      ktdp.store %19, %20 : tensor<16x16xf16>, <16x16xindex>
    }
    return
  }
}
