// 4 cores copy 8 rows of a matrix of 8 x 64, two rows each. @outside starts one row too late, so the
// last core names row 8 of the view.

#matrix = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#two_rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @inside(%x_ptr: index, %y_ptr: index) attributes {grid = [4]} {
  %core = ktdp.get_compute_tile_id : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [8, 64], strides: [64, 1] {
    coordinate_set = #matrix, memory_space = #ktdp.spyre_memory_space<HBM>
  } : memref<8x64xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [8, 64], strides: [64, 1] {
    coordinate_set = #matrix, memory_space = #ktdp.spyre_memory_space<HBM>
  } : memref<8x64xf16>
  %from = ktdp.construct_access_tile %x[2 * %core, 0] {
    access_tile_set = #two_rows, access_tile_order = #id
  } : memref<8x64xf16> -> !ktdp.access_tile<2x64xindex>
  %to = ktdp.construct_access_tile %y[2 * %core, 0] {
    access_tile_set = #two_rows, access_tile_order = #id
  } : memref<8x64xf16> -> !ktdp.access_tile<2x64xindex>
  %rows = ktdp.load %from : <2x64xindex> -> tensor<2x64xf16>
  ktdp.store %rows, %to : tensor<2x64xf16>, <2x64xindex>
  return
}

func.func @outside(%x_ptr: index, %y_ptr: index) attributes {grid = [4]} {
  %core = ktdp.get_compute_tile_id : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [8, 64], strides: [64, 1] {
    coordinate_set = #matrix, memory_space = #ktdp.spyre_memory_space<HBM>
  } : memref<8x64xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [8, 64], strides: [64, 1] {
    coordinate_set = #matrix, memory_space = #ktdp.spyre_memory_space<HBM>
  } : memref<8x64xf16>
  %from = ktdp.construct_access_tile %x[2 * %core + 1, 0] {
    access_tile_set = #two_rows, access_tile_order = #id
  } : memref<8x64xf16> -> !ktdp.access_tile<2x64xindex>
  %to = ktdp.construct_access_tile %y[2 * %core, 0] {
    access_tile_set = #two_rows, access_tile_order = #id
  } : memref<8x64xf16> -> !ktdp.access_tile<2x64xindex>
  %rows = ktdp.load %from : <2x64xindex> -> tensor<2x64xf16>
  ktdp.store %rows, %to : tensor<2x64xf16>, <2x64xindex>
  return
}
