// The sum of eight vectors, known to all eight cores, with data going to the next neighbour only.
//
//   y[r, m, :] = x[r, 0, :] + x[r, 1, :] + .. + x[r, 7, :]     for every member m of ring r
//
// Division: 32 cores are four rings of eight. Core 8r + m is member m of ring r and holds x[r, m], 2048
// elements at a time, as eight chunks of 256.
//
// `inter_tile_reduce` says the same in one op and leaves the way to the machine; here the way is written
// out, step by step, as the classical ring:
//
// 1. Seven steps that reduce. In step t member m sends chunk m - t and receives chunk m - t - 1 (modulo 8)
//    from member m - 1, to which it adds its own. After seven steps chunk m + 1 of member m is complete.
// 2. Seven steps that spread. In step t member m sends chunk m + 1 - t, which is complete, and receives
//    chunk m - t, which replaces its own.
//
// In each step every core sends 1 KiB to one neighbour, and all links of the ring are busy: the least that
// an all-reduce can move over a link. Every member adds the same numbers in the same order, so all eight
// results are equal to the bit.
//
// A step is a future that eight cores produce and the same eight consume, each from one source: the
// dependency says that consumer c waits for its left neighbour alone. So the members need not be in step.
//
// Shows: `inter_tile_consume` as routing, with `producer_dependency_per_consumer` of a consumer and a
// group; futures in loops; slices at places that are computed.

#vectors = affine_set<(d0, d1, d2, d3)[s0]
    : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + s0 - 1 >= 0, d3 >= 0,
       -d3 + 255 >= 0)>
#chunks = affine_set<(d0, d1, d2, d3)
    : (d0 == 0, d1 == 0, d2 >= 0, -d2 + 7 >= 0, d3 >= 0, -d3 + 255 >= 0)>
#order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#ring = affine_set<(i)[g] : (i - 8 * g >= 0, -i + 8 * g + 7 >= 0)>
#rings = affine_set<(g) : (g >= 0, -g + 3 >= 0)>
#left_neighbour = affine_set<(p)[c, g] : (p - 8 * g - (c - 8 * g + 7) mod 8 == 0)>

module {
  func.func @ring_all_reduce(%x_ptr: index, %y_ptr: index, %pieces: index)
      attributes {grid = [8, 4]} {
    %member, %ring = ktdp.get_compute_tile_id : index, index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %vector = arith.muli %pieces, %c256 : index
    %ring_stride = arith.muli %vector, %c8 : index
    %x = ktdp.construct_memory_view %x_ptr,
        sizes: [4, 8, %pieces, 256], strides: [%ring_stride, %vector, 256, 1] {
      coordinate_set = #vectors, memory_space = #ktdp.memory_space<global>
    } : memref<4x8x?x256xf32>
    %y = ktdp.construct_memory_view %y_ptr,
        sizes: [4, 8, %pieces, 256], strides: [%ring_stride, %vector, 256, 1] {
      coordinate_set = #vectors, memory_space = #ktdp.memory_space<global>
    } : memref<4x8x?x256xf32>
    // Counts down modulo 8 without negative numbers.
    %from_above = arith.addi %member, %c8 : index

    scf.for %piece = %c0 to %pieces step %c8 {
      %from = ktdp.construct_access_tile %x[%ring, %member, %piece, %c0] {
        access_tile_set = #chunks, access_tile_order = #order
      } : memref<4x8x?x256xf32> -> !ktdp.access_tile<1x1x8x256xindex>
      %in = ktdp.load %from : !ktdp.access_tile<1x1x8x256xindex> -> tensor<1x1x8x256xf32>
      %own = tensor.collapse_shape %in [[0, 1, 2], [3]]
          : tensor<1x1x8x256xf32> into tensor<8x256xf32>

      %reduced = scf.for %t = %c0 to %c7 step %c1 iter_args(%chunks = %own) -> (tensor<8x256xf32>) {
        %ahead = arith.subi %from_above, %t : index
        %behind = arith.subi %ahead, %c1 : index
        %out_number = arith.remui %ahead, %c8 : index
        %in_number = arith.remui %behind, %c8 : index
        %sent = ktdp.inter_tile_produce producer_tiles_per_group = #ring
            -> !ktdp.tile_future<(tensor<1x256xf32>), groups = #rings> {
        ^bb0(%number: index):
          %outgoing = tensor.extract_slice %chunks[%out_number, 0] [1, 256] [1, 1]
              : tensor<8x256xf32> to tensor<1x256xf32>
          ktdp.yield_partial %outgoing : tensor<1x256xf32>
        }
        %received = ktdp.inter_tile_consume(%sent) consumer_tiles_per_group = #ring,
            producer_dependency_per_consumer = #left_neighbour
            : !ktdp.tile_future<(tensor<1x256xf32>), groups = #rings> -> tensor<1x256xf32>
        %old = tensor.extract_slice %chunks[%in_number, 0] [1, 256] [1, 1]
            : tensor<8x256xf32> to tensor<1x256xf32>
        %sum = arith.addf %received, %old : tensor<1x256xf32>
        %new = tensor.insert_slice %sum into %chunks[%in_number, 0] [1, 256] [1, 1]
            : tensor<1x256xf32> into tensor<8x256xf32>
        scf.yield %new : tensor<8x256xf32>
      }

      %spread = scf.for %t = %c0 to %c7 step %c1
          iter_args(%chunks = %reduced) -> (tensor<8x256xf32>) {
        %behind = arith.subi %from_above, %t : index
        %ahead = arith.addi %behind, %c1 : index
        %out_number = arith.remui %ahead, %c8 : index
        %in_number = arith.remui %behind, %c8 : index
        %sent = ktdp.inter_tile_produce producer_tiles_per_group = #ring
            -> !ktdp.tile_future<(tensor<1x256xf32>), groups = #rings> {
        ^bb0(%number: index):
          %outgoing = tensor.extract_slice %chunks[%out_number, 0] [1, 256] [1, 1]
              : tensor<8x256xf32> to tensor<1x256xf32>
          ktdp.yield_partial %outgoing : tensor<1x256xf32>
        }
        %received = ktdp.inter_tile_consume(%sent) consumer_tiles_per_group = #ring,
            producer_dependency_per_consumer = #left_neighbour
            : !ktdp.tile_future<(tensor<1x256xf32>), groups = #rings> -> tensor<1x256xf32>
        %new = tensor.insert_slice %received into %chunks[%in_number, 0] [1, 256] [1, 1]
            : tensor<1x256xf32> into tensor<8x256xf32>
        scf.yield %new : tensor<8x256xf32>
      }

      %out = tensor.expand_shape %spread [[0, 1, 2], [3]] output_shape [1, 1, 8, 256]
          : tensor<8x256xf32> into tensor<1x1x8x256xf32>
      %to = ktdp.construct_access_tile %y[%ring, %member, %piece, %c0] {
        access_tile_set = #chunks, access_tile_order = #order
      } : memref<4x8x?x256xf32> -> !ktdp.access_tile<1x1x8x256xindex>
      ktdp.store %out, %to : tensor<1x1x8x256xf32>, !ktdp.access_tile<1x1x8x256xindex>
    }
    return
  }
}
