// The mean over each sequence of a batch whose sequences have different lengths.
//
//   y[b, :] = mean of x[t, :] over starts[b] <= t < starts[b + 1]
//
// x holds all tokens one sequence behind the other; nothing is padded. A sequence without tokens gets
// zeros.
//
// Division: core c takes sequence c, then c + 32, and so on.
//
// A sequence is a view of its own: its address and its length are read from memory, so the view is made in
// the loop and differs by core. Its set has the length as a symbol: a tile that reaches past the end of
// the sequence reads zeros and not the next sequence, and zeros are what a sum wants.
//
// What is known only at launch comes with promises. The width is a multiple of 64, so rows are whole
// sticks and columns need no mask, and at most 1024; the batch has at most 4096 sequences. The kernel
// reads the promises: it walks columns in steps of the granularity.
//
// 16 tokens at a time pass by. The tile begins at a token that is a symbol of its set.
//
// Shows: `!ktdp.runtime_arg` and `runtime_arg_extract` of value, granularity and upper bound; views whose
// address and size differ by core; an access tile with `symbols(..)`.

#tokens = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#some = affine_set<(d0, d1)[s0] : (d0 - s0 >= 0, -d0 + s0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#one_row = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 63 >= 0)>
#pair = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>
#line = affine_map<(d0) -> (d0)>

module {
  func.func @ragged_mean(%x_ptr: index, %starts_ptr: index, %y_ptr: index,
                         %batch_arg: !ktdp.runtime_arg<i32, upperbound = 4096>,
                         %width_arg: !ktdp.runtime_arg<index, granularity = 64, upperbound = 1024>)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cores = arith.constant 32 : index
    %tokens_a_tile = arith.constant 16 : index
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %no_sum = tensor.splat %zero : tensor<64xf32>
    %given_batch = ktdp.runtime_arg_extract value from %batch_arg
        : !ktdp.runtime_arg<i32, upperbound = 4096> -> i32
    %batch_value = arith.index_cast %given_batch : i32 to index
    %most = ktdp.runtime_arg_extract upperbound from %batch_arg
        : !ktdp.runtime_arg<i32, upperbound = 4096> -> index
    %batch = arith.minsi %batch_value, %most : index
    %entries = arith.addi %batch, %c1 : index
    %width = ktdp.runtime_arg_extract value from %width_arg
        : !ktdp.runtime_arg<index, granularity = 64, upperbound = 1024> -> index
    %step = ktdp.runtime_arg_extract granularity from %width_arg
        : !ktdp.runtime_arg<index, granularity = 64, upperbound = 1024> -> index

    %starts = ktdp.construct_memory_view %starts_ptr, sizes: [%entries], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xi32>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%batch, %width], strides: [%width, 1] {
      coordinate_set = #tokens, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>

    scf.for %b = %core to %batch step %cores {
      %starts_at = ktdp.construct_access_tile %starts[%b] {
        access_tile_set = #pair, access_tile_order = #line
      } : memref<?xi32> -> !ktdp.access_tile<2xindex>
      %bounds = ktdp.load %starts_at : !ktdp.access_tile<2xindex> -> tensor<2xi32>
      %start = tensor.extract %bounds[%c0] : tensor<2xi32>
      %end = tensor.extract %bounds[%c1] : tensor<2xi32>
      %length_i32 = arith.subi %end, %start : i32
      %length = arith.index_cast %length_i32 : i32 to index
      %start_index = arith.index_cast %start : i32 to index
      %offset = arith.muli %start_index, %width : index
      %address = arith.addi %x_ptr, %offset : index
      %x = ktdp.construct_memory_view %address, sizes: [%length, %width], strides: [%width, 1] {
        coordinate_set = #tokens, memory_space = #ktdp.memory_space<global>
      } : memref<?x?xf16>

      %length_f32 = arith.sitofp %length_i32 : i32 to f32
      %divisor = arith.maximumf %length_f32, %one : f32

      scf.for %column = %c0 to %width step %step {
        %sum = scf.for %t = %c0 to %length step %tokens_a_tile
            iter_args(%so_far = %no_sum) -> (tensor<64xf32>) {
          %at = ktdp.construct_access_tile %x[0, %column] symbols(%t) {
            access_tile_set = #some, access_tile_order = #elements
          } : memref<?x?xf16> -> !ktdp.access_tile<16x64xindex>
          %in = ktdp.load %at : !ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>
          %more = linalg.generic {
              indexing_maps = [#elements, #columns], iterator_types = ["reduction", "parallel"]}
              ins(%in : tensor<16x64xf16>) outs(%so_far : tensor<64xf32>) {
          ^bb0(%e: f16, %s: f32):
            %wide = arith.extf %e : f16 to f32
            %next = arith.addf %s, %wide : f32
            linalg.yield %next : f32
          } -> tensor<64xf32>
          scf.yield %more : tensor<64xf32>
        }
        %none = tensor.empty() : tensor<64xf16>
        %mean = linalg.map ins(%sum : tensor<64xf32>) outs(%none : tensor<64xf16>)
            (%s: f32, %unused: f16) {
              %part = arith.divf %s, %divisor : f32
              %narrow = arith.truncf %part : f32 to f16
              linalg.yield %narrow : f16
            }
        %row = tensor.expand_shape %mean [[0, 1]] output_shape [1, 64]
            : tensor<64xf16> into tensor<1x64xf16>
        %to = ktdp.construct_access_tile %y[%b, %column] {
          access_tile_set = #one_row, access_tile_order = #elements
        } : memref<?x?xf16> -> !ktdp.access_tile<1x64xindex>
        ktdp.store %row, %to : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
      }
    }
    return
  }
}
