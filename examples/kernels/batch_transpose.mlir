// Many small matrices, each transposed by one core through its own scratchpad.
//
//   y[b, j, i] = x[b, i, j]
//
// Division: core c takes matrix c of the batch, then c + 32, and so on. Matrices are 64 x 64.
//
// A kernel may name places in the scratchpad itself. Here a matrix is stored to one row by row and loaded
// again through another view of the same place, with the strides exchanged: element (i, j) of the second
// view lies where element (j, i) of the first one does. No op computes anything; device memory sees whole
// rows on both sides, each byte once.
//
// The place begins at byte 1,048,576 of the scratchpad and takes 8 KiB; a compiler keeps its tiles away
// from it. Every core means its own scratchpad, since the memory space names no core. A core's own
// transfers happen in the order in which they are written, so the load sees what was stored, and the next
// matrix may go to the same place.
//
// Shows: views of the running core's scratchpad, memory spaces as the RFC spells them, two views of one
// place, strides that are not row-major, a constant address.

#batch = affine_set<(d0, d1, d2)[s0]
    : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#matrix_of_batch = affine_set<(d0, d1, d2)
    : (d0 == 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#matrix = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#order_3d = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#order = affine_map<(d0, d1) -> (d0, d1)>

module {
  func.func @batch_transpose(%x_ptr: index, %y_ptr: index, %count: index)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %cores = arith.constant 32 : index
    %place = arith.constant 524288 : index
    %x = ktdp.construct_memory_view %x_ptr, sizes: [%count, 64, 64], strides: [4096, 64, 1] {
      coordinate_set = #batch, memory_space = #ktdp.spyre_memory_space<HBM>
    } : memref<?x64x64xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%count, 64, 64], strides: [4096, 64, 1] {
      coordinate_set = #batch, memory_space = #ktdp.spyre_memory_space<HBM>
    } : memref<?x64x64xf16>
    %by_rows = ktdp.construct_memory_view %place, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.spyre_memory_space<LX>
    } : memref<64x64xf16>
    %by_columns = ktdp.construct_memory_view %place, sizes: [64, 64], strides: [1, 64] {
      coordinate_set = #matrix, memory_space = #ktdp.spyre_memory_space<LX>
    } : memref<64x64xf16>
    %rows_at = ktdp.construct_access_tile %by_rows[%c0, %c0] {
      access_tile_set = #matrix, access_tile_order = #order
    } : memref<64x64xf16> -> !ktdp.access_tile<64x64xindex>
    %columns_at = ktdp.construct_access_tile %by_columns[%c0, %c0] {
      access_tile_set = #matrix, access_tile_order = #order
    } : memref<64x64xf16> -> !ktdp.access_tile<64x64xindex>

    scf.for %b = %core to %count step %cores {
      %x_at = ktdp.construct_access_tile %x[%b, %c0, %c0] {
        access_tile_set = #matrix_of_batch, access_tile_order = #order_3d
      } : memref<?x64x64xf16> -> !ktdp.access_tile<1x64x64xindex>
      %in = ktdp.load %x_at : !ktdp.access_tile<1x64x64xindex> -> tensor<1x64x64xf16>
      %matrix = tensor.collapse_shape %in [[0, 1], [2]]
          : tensor<1x64x64xf16> into tensor<64x64xf16>
      ktdp.store %matrix, %rows_at : tensor<64x64xf16>, !ktdp.access_tile<64x64xindex>
      %turned = ktdp.load %columns_at : !ktdp.access_tile<64x64xindex> -> tensor<64x64xf16>
      %out = tensor.expand_shape %turned [[0, 1], [2]] output_shape [1, 64, 64]
          : tensor<64x64xf16> into tensor<1x64x64xf16>
      %y_at = ktdp.construct_access_tile %y[%b, %c0, %c0] {
        access_tile_set = #matrix_of_batch, access_tile_order = #order_3d
      } : memref<?x64x64xf16> -> !ktdp.access_tile<1x64x64xindex>
      ktdp.store %out, %y_at : tensor<1x64x64xf16>, !ktdp.access_tile<1x64x64xindex>
    }
    return
  }
}
