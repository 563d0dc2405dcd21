// The gated layer of a language model on four cores.
//
//   y = (silu(x * gate) . (x * up)) * down      silu(a) = a / (1 + exp(-a))
//
// with * a matrix product and . elementwise; x is tokens x width, gate and up are width x hidden, down is
// hidden x width.
//
// Division: the hidden dimension. Core c takes the blocks of 128 hidden columns whose number is c
// modulo 4: a column block of gate and up, the same rows of down. So the activations of a block are made
// and used on one core, and never leave it; each weight is read by one core. The other way, a core for
// some of the tokens, would read all weights four times.
//
// 32 tokens go through at a time:
//
// 1. All cores need the tokens. Core 0 loads them and publishes them, and all four consume: one read of
//    device memory instead of four. The load stands in the producer's region, which the others skip.
// 2. Each core sums act * down over its blocks, in f32: a partial result for all of the width.
// 3. A reduce-scatter adds the four partial results and leaves 8 tokens with each core, which stores
//    them.
//
// Widths go up to 512; what lies outside is loaded as zeros and silu(0) * 0 is 0, so no mask is needed.
//
// Shows: a broadcast (`inter_tile_consume`), a load in the region of `inter_tile_produce`,
// `inter_tile_reduce_scatter`, products that follow each other without leaving the scratchpad.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#tokens = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 511 >= 0)>
#few_tokens = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 511 >= 0)>
#in_weights = affine_set<(d0, d1) : (d0 >= 0, -d0 + 511 >= 0, d1 >= 0, -d1 + 127 >= 0)>
#out_weights = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 511 >= 0)>
#order = affine_map<(d0, d1) -> (d0, d1)>
#first = affine_set<(i)[g] : (i == 0)>
#all = affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>
#one_group = affine_set<(g) : (g == 0)>

module {
  func.func @swiglu_mlp_4(%x_ptr: index, %gate_ptr: index, %up_ptr: index, %down_ptr: index,
                          %y_ptr: index, %count: index, %width: index, %hidden: index)
      attributes {grid = [4]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %tokens_a_round = arith.constant 32 : index
    %block = arith.constant 128 : index
    %stride = arith.constant 512 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %first_column = arith.muli %core, %block : index
    %own_tokens = arith.muli %core, %c8 : index
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

    scf.for %token = %c0 to %count step %tokens_a_round {
      %sent = ktdp.inter_tile_produce producer_tiles_per_group = #first
          -> !ktdp.tile_future<(tensor<32x512xf16>), groups = #one_group> {
      ^bb0(%group: index):
        %x_at = ktdp.construct_access_tile %x[%token, %c0] {
          access_tile_set = #tokens, access_tile_order = #order
        } : memref<?x?xf16> -> !ktdp.access_tile<32x512xindex>
        %loaded = ktdp.load %x_at : !ktdp.access_tile<32x512xindex> -> tensor<32x512xf16>
        ktdp.yield_partial %loaded : tensor<32x512xf16>
      }
      %tokens = ktdp.inter_tile_consume(%sent) consumer_tiles_per_group = #all
          : !ktdp.tile_future<(tensor<32x512xf16>), groups = #one_group> -> tensor<32x512xf16>

      %partial = scf.for %column = %first_column to %hidden step %stride
          iter_args(%so_far = %no_sum) -> (tensor<32x512xf32>) {
        %gate_at = ktdp.construct_access_tile %gate[%c0, %column] {
          access_tile_set = #in_weights, access_tile_order = #order
        } : memref<?x?xf16> -> !ktdp.access_tile<512x128xindex>
        %up_at = ktdp.construct_access_tile %up[%c0, %column] {
          access_tile_set = #in_weights, access_tile_order = #order
        } : memref<?x?xf16> -> !ktdp.access_tile<512x128xindex>
        %down_at = ktdp.construct_access_tile %down[%column, %c0] {
          access_tile_set = #out_weights, access_tile_order = #order
        } : memref<?x?xf16> -> !ktdp.access_tile<128x512xindex>
        %gate_tile = ktdp.load %gate_at : !ktdp.access_tile<512x128xindex> -> tensor<512x128xf16>
        %gated = linalg.matmul ins(%tokens, %gate_tile : tensor<32x512xf16>, tensor<512x128xf16>)
            outs(%no_act : tensor<32x128xf32>) -> tensor<32x128xf32>
        %up_tile = ktdp.load %up_at : !ktdp.access_tile<512x128xindex> -> tensor<512x128xf16>
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

        %down_tile = ktdp.load %down_at : !ktdp.access_tile<128x512xindex> -> tensor<128x512xf16>
        %more = linalg.matmul ins(%act, %down_tile : tensor<32x128xf16>, tensor<128x512xf16>)
            outs(%so_far : tensor<32x512xf32>) -> tensor<32x512xf32>
        scf.yield %more : tensor<32x512xf32>
      }

      %partials = ktdp.inter_tile_produce producer_tiles_per_group = #all
          -> !ktdp.tile_future<(tensor<32x512xf32>), groups = #one_group> {
      ^bb0(%group: index):
        ktdp.yield_partial %partial : tensor<32x512xf32>
      }
      %sum = ktdp.inter_tile_reduce_scatter(%partials)
          consumer_tiles_per_group = #all, scatter_dimensions = [0],
          identity(%no_sum : tensor<32x512xf32>)
          : !ktdp.tile_future<(tensor<32x512xf32>), groups = #one_group> -> tensor<8x512xf32> {
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
