// A matrix transposed with whole rows on both sides.
//
//   y[c, r] = x[r, c]
//
// Division: a round takes a square of 1024 x 1024. Core c loads its rows 32c .. 32c+31 and stores rows
// 32c .. 32c+31 of the result.
//
// One side of a transposition is awkward: what is a row here is a column there. A core that loaded the
// columns it needs would read 32 elements of each row, half a stick, and the memory moves whole sticks.
// So cores load whole rows and trade: with an all-to-all every core cuts its 32 x 1024 elements into 32
// pieces of 32 columns, one for each core, and puts the 32 pieces that it receives one below the other,
// which gives it 1024 x 32: its columns of all rows. Those it transposes in its scratchpad.
//
// Each byte is read once and written once, in whole rows of 2 KiB. All that crosses is on the ring.
//
// Shows: `inter_tile_all_to_all` with different split and concat dimensions, `linalg.transpose`.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#strip = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 1023 >= 0)>
#order = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_set<(i)[g] : (i >= 0, -i + 31 >= 0)>
#one_group = affine_set<(g) : (g == 0)>

module {
  func.func @transpose_all_to_all(%x_ptr: index, %y_ptr: index, %rows: index, %cols: index)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %strip = arith.constant 32 : index
    %square = arith.constant 1024 : index
    %offset = arith.muli %core, %strip : index
    %x = ktdp.construct_memory_view %x_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%cols, %rows], strides: [%rows, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>

    scf.for %row = %c0 to %rows step %square {
      scf.for %column = %c0 to %cols step %square {
        %own_row = arith.addi %row, %offset : index
        %from = ktdp.construct_access_tile %x[%own_row, %column] {
          access_tile_set = #strip, access_tile_order = #order
        } : memref<?x?xf16> -> !ktdp.access_tile<32x1024xindex>
        %in = ktdp.load %from : !ktdp.access_tile<32x1024xindex> -> tensor<32x1024xf16>

        %sent = ktdp.inter_tile_produce producer_tiles_per_group = #all
            -> !ktdp.tile_future<(tensor<32x1024xf16>), groups = #one_group> {
        ^bb0(%group: index):
          ktdp.yield_partial %in : tensor<32x1024xf16>
        }
        %columns = ktdp.inter_tile_all_to_all(%sent)
            consumer_tiles_per_group = #all, split_dimensions = [1], concat_dimensions = [0]
            : !ktdp.tile_future<(tensor<32x1024xf16>), groups = #one_group>
            -> tensor<1024x32xf16>

        %none = tensor.empty() : tensor<32x1024xf16>
        %out = linalg.transpose ins(%columns : tensor<1024x32xf16>)
            outs(%none : tensor<32x1024xf16>) permutation = [1, 0]
        %own_column = arith.addi %column, %offset : index
        %to = ktdp.construct_access_tile %y[%own_column, %row] {
          access_tile_set = #strip, access_tile_order = #order
        } : memref<?x?xf16> -> !ktdp.access_tile<32x1024xindex>
        ktdp.store %out, %to : tensor<32x1024xf16>, !ktdp.access_tile<32x1024xindex>
      }
    }
    return
  }
}
