// 2 cores double the 64 elements of x, half each, in place. @outside takes a view whose coordinates
// are all legal, but which begins 32 elements late and so ends behind the array.

#half = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
#whole = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id = affine_map<(d0) -> (d0)>

func.func @inside(%x_ptr: index) attributes {grid = [2]} {
  %core = ktdp.get_compute_tile_id : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [64], strides: [1] {
    coordinate_set = #whole, memory_space = #ktdp.spyre_memory_space<HBM>
  } : memref<64xf32>
  %tile = ktdp.construct_access_tile %x[32 * %core] {
    access_tile_set = #half, access_tile_order = #id
  } : memref<64xf32> -> !ktdp.access_tile<32xindex>
  %data = ktdp.load %tile : <32xindex> -> tensor<32xf32>
  %twice = arith.addf %data, %data : tensor<32xf32>
  ktdp.store %twice, %tile : tensor<32xf32>, <32xindex>
  return
}

func.func @outside(%x_ptr: index) attributes {grid = [2]} {
  %core = ktdp.get_compute_tile_id : index
  %c32 = arith.constant 32 : index
  %late = arith.addi %x_ptr, %c32 : index
  %x = ktdp.construct_memory_view %late, sizes: [64], strides: [1] {
    coordinate_set = #whole, memory_space = #ktdp.spyre_memory_space<HBM>
  } : memref<64xf32>
  %tile = ktdp.construct_access_tile %x[32 * %core] {
    access_tile_set = #half, access_tile_order = #id
  } : memref<64xf32> -> !ktdp.access_tile<32xindex>
  %data = ktdp.load %tile : <32xindex> -> tensor<32xf32>
  %twice = arith.addf %data, %data : tensor<32xf32>
  ktdp.store %twice, %tile : tensor<32xf32>, <32xindex>
  return
}
