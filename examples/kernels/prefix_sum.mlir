// Running sums of integers.
//
//   y[i] = x[0] + x[1] + .. + x[i]
//
// x holds i32, sums are i64.
//
// Division: a round takes 131,072 elements; core c has the 4096 from 4096c on. Each is read once and
// written once, though every sum depends on all elements before it:
//
// 1. In the core, the block is a square of 64 x 64, row after row. Running sums along rows are a product
//    with a triangle of ones; their last column holds the sums of rows, and a product with a strict
//    triangle makes of them what lies before each row.
// 2. Every core publishes the sum of its block, and every core gathers all 32 sums. What lies before a
//    core's block is the sum of those with a smaller number.
// 3. The sum of a whole round is carried to the next one. All cores know it from the same 32 numbers, so
//    it needs no exchange of its own.
//
// The triangles are made once, before the loop, from the indices of their elements.
//
// Shows: `inter_tile_gather` in a loop, integer products, i32 widened to i64, tensors of rank 0 and of one
// element, a scalar carried by a loop, `linalg.index` in two dimensions.

#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#block = affine_set<(d0) : (d0 >= 0, -d0 + 4095 >= 0)>
#line = affine_map<(d0) -> (d0)>
#point = affine_map<(d0) -> ()>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_set<(i)[g] : (i >= 0, -i + 31 >= 0)>
#one_group = affine_set<(g) : (g == 0)>

module {
  func.func @prefix_sum(%x_ptr: index, %y_ptr: index, %n: index) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %block = arith.constant 4096 : index
    %round = arith.constant 131072 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %offset = arith.muli %core, %block : index
    %no_sums = tensor.splat %zero : tensor<64x64xi64>
    %no_column = tensor.splat %zero : tensor<64x1xi64>
    %no_total = tensor.splat %zero : tensor<i64>

    %x = ktdp.construct_memory_view %x_ptr, sizes: [%n], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xi32>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%n], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xi64>

    // upto[k, j] says whether k counts for j; before[i, k] whether row k lies before row i.
    %none = tensor.empty() : tensor<64x64xi64>
    %upto, %before = linalg.generic {
        indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
        outs(%none, %none : tensor<64x64xi64>, tensor<64x64xi64>) {
    ^bb0(%unused: i64, %unused_too: i64):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %counts = arith.cmpi ule, %row, %column : index
      %lies_before = arith.cmpi ugt, %row, %column : index
      %upper = arith.extui %counts : i1 to i64
      %lower = arith.extui %lies_before : i1 to i64
      linalg.yield %upper, %lower : i64, i64
    } -> (tensor<64x64xi64>, tensor<64x64xi64>)

    %all_rounds = scf.for %start = %c0 to %n step %round iter_args(%carried = %zero) -> (i64) {
      %first = arith.addi %start, %offset : index
      %from = ktdp.construct_access_tile %x[%first] {
        access_tile_set = #block, access_tile_order = #line
      } : memref<?xi32> -> !ktdp.access_tile<4096xindex>
      %in = ktdp.load %from : !ktdp.access_tile<4096xindex> -> tensor<4096xi32>
      %square = tensor.expand_shape %in [[0, 1]] output_shape [64, 64]
          : tensor<4096xi32> into tensor<64x64xi32>
      %wide = arith.extsi %square : tensor<64x64xi32> to tensor<64x64xi64>
      %in_rows = linalg.matmul ins(%wide, %upto : tensor<64x64xi64>, tensor<64x64xi64>)
          outs(%no_sums : tensor<64x64xi64>) -> tensor<64x64xi64>
      %row_sums = tensor.extract_slice %in_rows[0, 63] [64, 1] [1, 1]
          : tensor<64x64xi64> to tensor<64x1xi64>
      %rows_before = linalg.matmul ins(%before, %row_sums : tensor<64x64xi64>, tensor<64x1xi64>)
          outs(%no_column : tensor<64x1xi64>) -> tensor<64x1xi64>

      %last_row = tensor.extract %row_sums[%c63, %c0] : tensor<64x1xi64>
      %rest = tensor.extract %rows_before[%c63, %c0] : tensor<64x1xi64>
      %block_sum = arith.addi %last_row, %rest : i64
      %own = tensor.from_elements %block_sum : tensor<1xi64>
      %sent = ktdp.inter_tile_produce producer_tiles_per_group = #all
          -> !ktdp.tile_future<(tensor<1xi64>), groups = #one_group> {
      ^bb0(%group: index):
        ktdp.yield_partial %own : tensor<1xi64>
      }
      %sums = ktdp.inter_tile_gather(%sent)
          consumer_tiles_per_group = #all, gather_dimensions = [0]
          : !ktdp.tile_future<(tensor<1xi64>), groups = #one_group> -> tensor<32xi64>

      // What lies before this core's block in the round, and the whole round.
      %totals:2 = linalg.generic {
          indexing_maps = [#line, #point, #point], iterator_types = ["reduction"]}
          ins(%sums : tensor<32xi64>) outs(%no_total, %no_total : tensor<i64>, tensor<i64>) {
      ^bb0(%s: i64, %so_far_before: i64, %so_far: i64):
        %other = linalg.index 0 : index
        %is_before = arith.cmpi ult, %other, %core : index
        %part = arith.select %is_before, %s, %zero : i64
        %more_before = arith.addi %so_far_before, %part : i64
        %more = arith.addi %so_far, %s : i64
        linalg.yield %more_before, %more : i64, i64
      } -> (tensor<i64>, tensor<i64>)
      %before_block = tensor.extract %totals#0[] : tensor<i64>
      %whole = tensor.extract %totals#1[] : tensor<i64>
      %base = arith.addi %carried, %before_block : i64

      %column = tensor.collapse_shape %rows_before [[0, 1]] : tensor<64x1xi64> into tensor<64xi64>
      %running = linalg.generic {
          indexing_maps = [#elements, #rows, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%in_rows, %column : tensor<64x64xi64>, tensor<64xi64>)
          outs(%none : tensor<64x64xi64>) {
      ^bb0(%s: i64, %r: i64, %unused: i64):
        %in_block = arith.addi %s, %r : i64
        %sum = arith.addi %in_block, %base : i64
        linalg.yield %sum : i64
      } -> tensor<64x64xi64>
      %out = tensor.collapse_shape %running [[0, 1]] : tensor<64x64xi64> into tensor<4096xi64>
      %to = ktdp.construct_access_tile %y[%first] {
        access_tile_set = #block, access_tile_order = #line
      } : memref<?xi64> -> !ktdp.access_tile<4096xindex>
      ktdp.store %out, %to : tensor<4096xi64>, !ktdp.access_tile<4096xindex>
      %next = arith.addi %carried, %whole : i64
      scf.yield %next : i64
    }
    return
  }
}
