// The gated layer of a language model on all 32 cores.
//
//   y = (silu(x * gate) . (x * up)) * down      silu(a) = a / (1 + exp(-a))
//
// with * a matrix product and . elementwise, as `swiglu_mlp_4` computes it.
//
// Division: the grid is 4 x 8. The first coordinate is a share of the hidden dimension, as on four cores;
// the second one is a share of the tokens, 32 of the 256 that go through at a time. So
//
// - the four cores with the same tokens need the same x: the one with share 0 loads it and the four
//   consume it;
// - the eight cores with the same share of the hidden dimension need the same weights: the one with the
//   first tokens loads them and the eight consume them, three tiles as three roles of one future, block
//   after block;
// - the four cores with the same tokens hold partial results, and a reduce-scatter leaves 8 tokens with
//   each of them.
//
// Every byte of x and of the weights is read from device memory once in a round; the ring does the rest.
//
// Shows: rows and columns of a grid as groups, futures of three roles consumed inside a loop, groups
// whose loops have different trip counts.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#tokens = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 511 >= 0)>
#few_tokens = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 511 >= 0)>
#in_weights = affine_set<(d0, d1) : (d0 >= 0, -d0 + 511 >= 0, d1 >= 0, -d1 + 127 >= 0)>
#out_weights = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 511 >= 0)>
#order = affine_map<(d0, d1) -> (d0, d1)>
#first_of_row = affine_set<(i)[g] : (i - 4 * g == 0)>
#row = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#rows = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
#first_of_column = affine_set<(i)[g] : (i - g == 0)>
#column = affine_set<(i)[g] : ((i - g) mod 4 == 0, i >= 0, -i + 31 >= 0)>
#columns = affine_set<(g) : (g >= 0, -g + 3 >= 0)>

module {
  func.func @swiglu_mlp_32(%x_ptr: index, %gate_ptr: index, %up_ptr: index, %down_ptr: index,
                           %y_ptr: index, %count: index, %width: index, %hidden: index)
      attributes {grid = [4, 8]} {
    %share, %token_share = ktdp.get_compute_tile_id : index, index
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %tokens_a_core = arith.constant 32 : index
    %tokens_a_round = arith.constant 256 : index
    %block = arith.constant 128 : index
    %stride = arith.constant 512 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %first_column = arith.muli %share, %block : index
    %first_token = arith.muli %token_share, %tokens_a_core : index
    %own_tokens = arith.muli %share, %c8 : index
    %no_sum = tensor.splat %zero : tensor<32x512xf32>
    %no_act = tensor.splat %zero : tensor<32x128xf32>

    %x = ktdp.construct_memory_view %x_ptr, sizes: [%count, %width], strides: [%width, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %gate = ktdp.construct_memory_view %gate_ptr, sizes: [%width, %hidden], strides: [%hidden, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %up = ktdp.construct_memory_view %up_ptr, sizes: [%width, %hidden], strides: [%hidden, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %down = ktdp.construct_memory_view %down_ptr, sizes: [%hidden, %width], strides: [%width, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%count, %width], strides: [%width, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>

    scf.for %round = %c0 to %count step %tokens_a_round {
      %token = arith.addi %round, %first_token : index
      %sent = ktdp.inter_tile_produce producer_tiles_per_group = #first_of_row
          -> !ktdp.tile_future<(tensor<32x512xf16>), groups = #rows> {
      ^bb0(%group: index):
        %x_at = ktdp.construct_access_tile %x[%token, %c0] {
          access_tile_set = #tokens, access_tile_order = #order
        } : memref<?x?xf16> -> !ktdp.access_tile<32x512xindex>
        %loaded = ktdp.load %x_at : !ktdp.access_tile<32x512xindex> -> tensor<32x512xf16>
        ktdp.yield_partial %loaded : tensor<32x512xf16>
      }
      %tokens = ktdp.inter_tile_consume(%sent) consumer_tiles_per_group = #row
          : !ktdp.tile_future<(tensor<32x512xf16>), groups = #rows> -> tensor<32x512xf16>

      %partial = scf.for %column = %first_column to %hidden step %stride
          iter_args(%so_far = %no_sum) -> (tensor<32x512xf32>) {
        %weights = ktdp.inter_tile_produce producer_tiles_per_group = #first_of_column
            -> !ktdp.tile_future<(tensor<512x128xf16>, tensor<512x128xf16>, tensor<128x512xf16>),
                                 groups = #columns> {
        ^bb0(%group: index):
          %gate_at = ktdp.construct_access_tile %gate[%c0, %column] {
            access_tile_set = #in_weights, access_tile_order = #order
          } : memref<?x?xf16> -> !ktdp.access_tile<512x128xindex>
          %up_at = ktdp.construct_access_tile %up[%c0, %column] {
            access_tile_set = #in_weights, access_tile_order = #order
          } : memref<?x?xf16> -> !ktdp.access_tile<512x128xindex>
          %down_at = ktdp.construct_access_tile %down[%column, %c0] {
            access_tile_set = #out_weights, access_tile_order = #order
          } : memref<?x?xf16> -> !ktdp.access_tile<128x512xindex>
          %a = ktdp.load %gate_at : !ktdp.access_tile<512x128xindex> -> tensor<512x128xf16>
          %b = ktdp.load %up_at : !ktdp.access_tile<512x128xindex> -> tensor<512x128xf16>
          %c = ktdp.load %down_at : !ktdp.access_tile<128x512xindex> -> tensor<128x512xf16>
          ktdp.yield_partial %a, %b, %c
              : tensor<512x128xf16>, tensor<512x128xf16>, tensor<128x512xf16>
        }
        %gate_tile, %up_tile, %down_tile = ktdp.inter_tile_consume(%weights)
            consumer_tiles_per_group = #column
            : !ktdp.tile_future<(tensor<512x128xf16>, tensor<512x128xf16>, tensor<128x512xf16>),
                                groups = #columns>
            -> tensor<512x128xf16>, tensor<512x128xf16>, tensor<128x512xf16>

        %gated = linalg.matmul ins(%tokens, %gate_tile : tensor<32x512xf16>, tensor<512x128xf16>)
            outs(%no_act : tensor<32x128xf32>) -> tensor<32x128xf32>
        %raised = linalg.matmul ins(%tokens, %up_tile : tensor<32x512xf16>, tensor<512x128xf16>)
            outs(%no_act : tensor<32x128xf32>) -> tensor<32x128xf32>
        %none = tensor.empty() : tensor<32x128xf16>
        %act = linalg.generic {
            indexing_maps = [#order, #order, #order], iterator_types = ["parallel", "parallel"]}
            ins(%gated, %raised : tensor<32x128xf32>, tensor<32x128xf32>)
            outs(%none : tensor<32x128xf16>) {
        ^bb0(%a: f32, %b: f32, %unused: f16):
          %minus = arith.negf %a : f32
          %power = math.exp %minus : f32
          %under = arith.addf %power, %one : f32
          %silu = arith.divf %a, %under : f32
          %product = arith.mulf %silu, %b : f32
          %narrow = arith.truncf %product : f32 to f16
          linalg.yield %narrow : f16
        } -> tensor<32x128xf16>
        %more = linalg.matmul ins(%act, %down_tile : tensor<32x128xf16>, tensor<128x512xf16>)
            outs(%so_far : tensor<32x512xf32>) -> tensor<32x512xf32>
        scf.yield %more : tensor<32x512xf32>
      }

      %partials = ktdp.inter_tile_produce producer_tiles_per_group = #row
          -> !ktdp.tile_future<(tensor<32x512xf32>), groups = #rows> {
      ^bb0(%group: index):
        ktdp.yield_partial %partial : tensor<32x512xf32>
      }
      %sum = ktdp.inter_tile_reduce_scatter(%partials)
          consumer_tiles_per_group = #row, scatter_dimensions = [0],
          identity(%no_sum : tensor<32x512xf32>)
          : !ktdp.tile_future<(tensor<32x512xf32>), groups = #rows> -> tensor<8x512xf32> {
      ^bb0(%left: tensor<32x512xf32>, %right: tensor<32x512xf32>):
        %both = arith.addf %left, %right : tensor<32x512xf32>
        ktdp.yield_reduced %both : tensor<32x512xf32>
      }
      %result = arith.truncf %sum : tensor<8x512xf32> to tensor<8x512xf16>
      %own = arith.addi %token, %own_tokens : index
      %y_at = ktdp.construct_access_tile %y[%own, %c0] {
        access_tile_set = #few_tokens, access_tile_order = #order
      } : memref<?x?xf16> -> !ktdp.access_tile<8x512xindex>
      ktdp.store %result, %y_at : tensor<8x512xf16>, !ktdp.access_tile<8x512xindex>
    }
    return
  }
}
