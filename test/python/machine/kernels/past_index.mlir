// y[r, :] = x[rows[r], :] for 4 rows, the indices of which are read from memory. Whether it is legal
// depends on the data: an index of 6 names a row that x does not have.

#x_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#y_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#four = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @gather_rows(%x_ptr: index, %rows_ptr: index, %y_ptr: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [6, 16], strides: [16, 1] {
    coordinate_set = #x_set, memory_space = #ktdp.spyre_memory_space<HBM>
  } : memref<6x16xf16>
  %rows = ktdp.construct_memory_view %rows_ptr, sizes: [4], strides: [1] {
    coordinate_set = #four, memory_space = #ktdp.spyre_memory_space<HBM>
  } : memref<4xi32>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [4, 16], strides: [16, 1] {
    coordinate_set = #y_set, memory_space = #ktdp.spyre_memory_space<HBM>
  } : memref<4x16xf16>
  %from = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c)
      %x[ind(%rows[%r]), (%c)] {
    variables_space_set = #y_set, variables_space_order = #id
  } : memref<6x16xf16>, memref<4xi32> -> !ktdp.access_tile<4x16xindex>
  %data = ktdp.load %from : <4x16xindex> -> tensor<4x16xf16>
  %to = ktdp.construct_access_tile %y[%c0, %c0] {
    access_tile_set = #y_set, access_tile_order = #id
  } : memref<4x16xf16> -> !ktdp.access_tile<4x16xindex>
  ktdp.store %data, %to : tensor<4x16xf16>, <4x16xindex>
  return
}
