#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %0 = ktdp.construct_memory_view %x, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x16xf16>
    %1 = ktdp.construct_memory_view %y, sizes: [4, 16], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<4x16xf16>
    %2 = ktdp.construct_access_tile %0[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<4x16xf16> -> !ktdp.access_tile<4x16xindex>
    %3 = ktdp.load %2 : <4x16xindex> -> tensor<4x16xf16>
    %4 = tensor.empty() : tensor<4x16xf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<4x16xf16>) outs(%4 : tensor<4x16xf16>) {
    ^bb0(%in: f16, %out: f16):
      %cst = arith.constant 0.000000e+00 : f16
      %7 = arith.cmpf ogt, %in, %cst : f16
      %8 = scf.if %7 -> (f16) {
        %9 = math.sqrt %in : f16
        scf.yield %9 : f16
      } else {
        %9 = arith.mulf %in, %in : f16
        scf.yield %9 : f16
      }
      linalg.yield %8 : f16
    } -> tensor<4x16xf16>
    %6 = ktdp.construct_access_tile %1[%c0, %c0] {access_tile_order = #map, access_tile_set = #set} : memref<4x16xf16> -> !ktdp.access_tile<4x16xindex>
    ktdp.store %5, %6 : tensor<4x16xf16>, <4x16xindex>
    return
  }
}
