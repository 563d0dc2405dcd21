// Two cores exchange halves of a tensor that lies in device memory and in two scratchpads.
//
//   y[b, r, :] = x[b, (r + 96) mod 192, :]     for rows r from 0 to 191
//
// Division: core 0 reads rows 0 .. 95 of x and writes rows 0 .. 95 of y; core 1 has the other halves. In
// between, what core 0 read becomes core 1's, and the other way round.
//
// They exchange through a tensor t of 192 x 64 whose rows are spread over three memories, as one view that
// is composed of three:
//
//   rows   0 ..  63   device memory
//   rows  64 .. 127   scratchpad of core 0
//   rows 128 .. 191   scratchpad of core 1
//
// Each part's set says which coordinates of t it holds. Core 0 stores rows 0 .. 95 of t with one store: 64
// go to device memory and 32 to its own scratchpad. Core 1 stores rows 96 .. 191: 32 to the scratchpad of
// core 0 and 64 to its own. Then each loads what the other has stored, across parts again.
//
// Nothing orders a store of one core and a load of another but data: so each core publishes a token when
// its half of t is written and consumes the other's before it reads, and once more before the halves are
// written again for the next tensor of the batch.
//
// The part in a scratchpad starts at byte 1,048,576 of it; a compiler keeps tiles away from there.
//
// Shows: `construct_distributed_memory_view` over device memory and scratchpads, `memory_space` with the
// number of a core, coordinate sets of parts that start where others end, tokens for ordering.

#batch = affine_set<(d0, d1, d2)[s0]
    : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 191 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#in_memory = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#on_core_0 = affine_set<(d0, d1) : (d0 - 64 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#on_core_1 = affine_set<(d0, d1) : (d0 - 128 >= 0, -d0 + 191 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#half = affine_set<(d0, d1) : (d0 >= 0, -d0 + 95 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#half_3d = affine_set<(d0, d1, d2) : (d0 == 0, d1 >= 0, -d1 + 95 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#order = affine_map<(d0, d1) -> (d0, d1)>
#order_3d = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#both = affine_set<(i)[g] : (i >= 0, -i + 1 >= 0)>
#other = affine_set<(p)[c] : (p + c - 1 == 0)>
#one_group = affine_set<(g) : (g == 0)>

module {
  func.func @distributed_copy(%x_ptr: index, %t_ptr: index, %y_ptr: index, %count: index)
      attributes {grid = [2]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows_a_half = arith.constant 96 : index
    %own_half = arith.muli %core, %rows_a_half : index
    %other_half = arith.subi %rows_a_half, %own_half : index
    %in_scratchpad = arith.constant 524288 : index
    %one = arith.constant 1 : i32
    %token = tensor.splat %one : tensor<1xi32>

    %x = ktdp.construct_memory_view %x_ptr, sizes: [%count, 192, 64], strides: [12288, 64, 1] {
      coordinate_set = #batch, memory_space = #ktdp.memory_space<global>
    } : memref<?x192x64xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%count, 192, 64], strides: [12288, 64, 1] {
      coordinate_set = #batch, memory_space = #ktdp.memory_space<global>
    } : memref<?x192x64xf16>
    %t_memory = ktdp.construct_memory_view %t_ptr, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = #in_memory, memory_space = #ktdp.memory_space<global>
    } : memref<64x64xf16>
    %t_core_0 = ktdp.construct_memory_view %in_scratchpad, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = #on_core_0, memory_space = #ktdp.memory_space<ct_local, ct_id = 0>
    } : memref<64x64xf16>
    %t_core_1 = ktdp.construct_memory_view %in_scratchpad, sizes: [64, 64], strides: [64, 1] {
      coordinate_set = #on_core_1, memory_space = #ktdp.memory_space<ct_local, ct_id = 1>
    } : memref<64x64xf16>
    %t = ktdp.construct_distributed_memory_view (%t_memory, %t_core_0, %t_core_1
        : memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf16>) : memref<192x64xf16>

    scf.for %b = %c0 to %count step %c1 {
      %x_at = ktdp.construct_access_tile %x[%b, %own_half, %c0] {
        access_tile_set = #half_3d, access_tile_order = #order_3d
      } : memref<?x192x64xf16> -> !ktdp.access_tile<1x96x64xindex>
      %in = ktdp.load %x_at : !ktdp.access_tile<1x96x64xindex> -> tensor<1x96x64xf16>
      %rows = tensor.collapse_shape %in [[0, 1], [2]]
          : tensor<1x96x64xf16> into tensor<96x64xf16>
      %t_own = ktdp.construct_access_tile %t[%own_half, %c0] {
        access_tile_set = #half, access_tile_order = #order
      } : memref<192x64xf16> -> !ktdp.access_tile<96x64xindex>
      ktdp.store %rows, %t_own : tensor<96x64xf16>, !ktdp.access_tile<96x64xindex>

      %written = ktdp.inter_tile_produce producer_tiles_per_group = #both
          -> !ktdp.tile_future<(tensor<1xi32>), groups = #one_group> {
      ^bb0(%group: index):
        ktdp.yield_partial %token : tensor<1xi32>
      }
      %may_read = ktdp.inter_tile_consume(%written) consumer_tiles_per_group = #both,
          producer_dependency_per_consumer = #other
          : !ktdp.tile_future<(tensor<1xi32>), groups = #one_group> -> tensor<1xi32>

      %t_other = ktdp.construct_access_tile %t[%other_half, %c0] {
        access_tile_set = #half, access_tile_order = #order
      } : memref<192x64xf16> -> !ktdp.access_tile<96x64xindex>
      %exchanged = ktdp.load %t_other : !ktdp.access_tile<96x64xindex> -> tensor<96x64xf16>
      %out = tensor.expand_shape %exchanged [[0, 1], [2]] output_shape [1, 96, 64]
          : tensor<96x64xf16> into tensor<1x96x64xf16>
      %y_at = ktdp.construct_access_tile %y[%b, %own_half, %c0] {
        access_tile_set = #half_3d, access_tile_order = #order_3d
      } : memref<?x192x64xf16> -> !ktdp.access_tile<1x96x64xindex>
      ktdp.store %out, %y_at : tensor<1x96x64xf16>, !ktdp.access_tile<1x96x64xindex>

      %was_read = ktdp.inter_tile_produce producer_tiles_per_group = #both
          -> !ktdp.tile_future<(tensor<1xi32>), groups = #one_group> {
      ^bb0(%group: index):
        ktdp.yield_partial %token : tensor<1xi32>
      }
      %may_write = ktdp.inter_tile_consume(%was_read) consumer_tiles_per_group = #both,
          producer_dependency_per_consumer = #other
          : !ktdp.tile_future<(tensor<1xi32>), groups = #one_group> -> tensor<1xi32>
    }
    return
  }
}
