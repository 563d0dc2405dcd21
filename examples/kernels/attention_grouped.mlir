// One step of decoding with grouped queries, the keys of a head divided over cores.
//
//   out[g, :] = sum_j softmax_j(scale * q[g, :] . k[j, :]) * v[j, :]
//
// for each of 8 heads of keys and values and the up to 8 query heads g that share it.
//
// Division: the grid is 8 x 4: a head, and a share of its keys. Core (h, s) takes the blocks of 128 keys
// whose number is s modulo 4. One query a head has no rows to divide; its keys are what is long.
//
// All query heads of a group are the rows of one product, so each key and value is read once, for all
// of them. A core runs online softmax (see `flash_attention`) over its blocks and ends with a state: m,
// the largest score, l, the sum of exp(score - m), and acc, the sum of exp(score - m) * v. Two states of
// different keys combine to the state of all of them:
//
//   m = max(m1, m2)   l = l1 * exp(m1 - m) + l2 * exp(m2 - m)   acc likewise
//
// That is associative and commutative: the four cores of a head reduce their states, three roles of one
// future, and the core with share 0 divides and stores.
//
// A core without keys (short sequences) has the state of nothing: m is the lowest finite f32, so that
// exp(m - m) is 1 and not a NaN, and l and acc are 0.
//
// Shows: `inter_tile_reduce` of three roles of different shapes, a combiner that computes, groups of
// cores in a column of the grid, loops that some cores do not enter.

#query = affine_set<(d0, d1, d2)[s0]
    : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + s0 - 1 >= 0, d2 >= 0, -d2 + 127 >= 0)>
#rows_of_query = affine_set<(d0, d1, d2)
    : (d0 == 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 127 >= 0)>
#block = affine_set<(d0, d1, d2) : (d0 == 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 127 >= 0)>
#order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#m_k = affine_map<(m, n, k) -> (m, k)>
#n_k = affine_map<(m, n, k) -> (n, k)>
#m_n = affine_map<(m, n, k) -> (m, n)>
#same_head = affine_set<(i)[g] : ((i - g) mod 8 == 0, i >= 0, -i + 31 >= 0)>
#first_share = affine_set<(i)[g] : (i - g == 0)>
#heads = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

module {
  func.func @attention_grouped(%q_ptr: index, %k_ptr: index, %v_ptr: index, %out_ptr: index,
                               %group: index, %length: index, %scale: f32)
      attributes {grid = [8, 4]} {
    %head, %share = ktdp.get_compute_tile_id : index, index
    %c0 = arith.constant 0 : index
    %block = arith.constant 128 : index
    %stride = arith.constant 512 : index
    %lowest = arith.constant 0xFF7FFFFF : f32
    %zero = arith.constant 0.0 : f32
    %first = arith.muli %share, %block : index
    %query_stride = arith.muli %group, %block : index
    %head_stride = arith.muli %length, %block : index
    %no_max = tensor.splat %lowest : tensor<8xf32>
    %no_sum = tensor.splat %zero : tensor<8xf32>
    %no_acc = tensor.splat %zero : tensor<8x128xf32>

    %q = ktdp.construct_memory_view %q_ptr,
        sizes: [8, %group, 128], strides: [%query_stride, 128, 1] {
      coordinate_set = #query, memory_space = #ktdp.memory_space<global>
    } : memref<8x?x128xf16>
    %k = ktdp.construct_memory_view %k_ptr,
        sizes: [8, %length, 128], strides: [%head_stride, 128, 1] {
      coordinate_set = #query, memory_space = #ktdp.memory_space<global>
    } : memref<8x?x128xf16>
    %v = ktdp.construct_memory_view %v_ptr,
        sizes: [8, %length, 128], strides: [%head_stride, 128, 1] {
      coordinate_set = #query, memory_space = #ktdp.memory_space<global>
    } : memref<8x?x128xf16>
    %out = ktdp.construct_memory_view %out_ptr,
        sizes: [8, %group, 128], strides: [%query_stride, 128, 1] {
      coordinate_set = #query, memory_space = #ktdp.memory_space<global>
    } : memref<8x?x128xf16>

    %q_at = ktdp.construct_access_tile %q[%head, %c0, %c0] {
      access_tile_set = #rows_of_query, access_tile_order = #order
    } : memref<8x?x128xf16> -> !ktdp.access_tile<1x8x128xindex>
    %q_3d = ktdp.load %q_at : !ktdp.access_tile<1x8x128xindex> -> tensor<1x8x128xf16>
    %q_tile = tensor.collapse_shape %q_3d [[0, 1], [2]]
        : tensor<1x8x128xf16> into tensor<8x128xf16>

    %max, %sum, %acc = scf.for %key = %first to %length step %stride
        iter_args(%old_max = %no_max, %old_sum = %no_sum, %old_acc = %no_acc)
        -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) {
      %k_at = ktdp.construct_access_tile %k[%head, %key, %c0] {
        access_tile_set = #block, access_tile_order = #order
      } : memref<8x?x128xf16> -> !ktdp.access_tile<1x128x128xindex>
      %k_3d = ktdp.load %k_at : !ktdp.access_tile<1x128x128xindex> -> tensor<1x128x128xf16>
      %k_tile = tensor.collapse_shape %k_3d [[0, 1], [2]]
          : tensor<1x128x128xf16> into tensor<128x128xf16>
      %v_at = ktdp.construct_access_tile %v[%head, %key, %c0] {
        access_tile_set = #block, access_tile_order = #order
      } : memref<8x?x128xf16> -> !ktdp.access_tile<1x128x128xindex>
      %v_3d = ktdp.load %v_at : !ktdp.access_tile<1x128x128xindex> -> tensor<1x128x128xf16>
      %v_tile = tensor.collapse_shape %v_3d [[0, 1], [2]]
          : tensor<1x128x128xf16> into tensor<128x128xf16>

      %products = linalg.matmul indexing_maps = [#m_k, #n_k, #m_n]
          ins(%q_tile, %k_tile : tensor<8x128xf16>, tensor<128x128xf16>)
          outs(%no_acc : tensor<8x128xf32>) -> tensor<8x128xf32>
      %left = arith.subi %length, %key : index
      %none = tensor.empty() : tensor<8x128xf32>
      %scores = linalg.generic {
          indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%products : tensor<8x128xf32>) outs(%none : tensor<8x128xf32>) {
      ^bb0(%s: f32, %unused: f32):
        %column = linalg.index 1 : index
        %exists = arith.cmpi slt, %column, %left : index
        %scaled = arith.mulf %s, %scale : f32
        %masked = arith.select %exists, %scaled, %lowest : f32
        linalg.yield %masked : f32
      } -> tensor<8x128xf32>

      %new_max = linalg.reduce { arith.maximumf }
          ins(%scores : tensor<8x128xf32>) outs(%old_max : tensor<8xf32>) dimensions = [1]
      %powers = linalg.generic {
          indexing_maps = [#elements, #rows, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%scores, %new_max : tensor<8x128xf32>, tensor<8xf32>)
          outs(%none : tensor<8x128xf32>) {
      ^bb0(%s: f32, %m: f32, %unused: f32):
        %shifted = arith.subf %s, %m : f32
        %power = math.exp %shifted : f32
        linalg.yield %power : f32
      } -> tensor<8x128xf32>
      %fall = arith.subf %old_max, %new_max : tensor<8xf32>
      %factor = math.exp %fall : tensor<8xf32>
      %kept_sum = arith.mulf %old_sum, %factor : tensor<8xf32>
      %new_sum = linalg.reduce { arith.addf }
          ins(%powers : tensor<8x128xf32>) outs(%kept_sum : tensor<8xf32>) dimensions = [1]
      %kept_acc = linalg.generic {
          indexing_maps = [#elements, #rows, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%old_acc, %factor : tensor<8x128xf32>, tensor<8xf32>)
          outs(%none : tensor<8x128xf32>) {
      ^bb0(%a: f32, %f: f32, %unused: f32):
        %kept = arith.mulf %a, %f : f32
        linalg.yield %kept : f32
      } -> tensor<8x128xf32>
      %weights = arith.truncf %powers : tensor<8x128xf32> to tensor<8x128xf16>
      %new_acc = linalg.matmul ins(%weights, %v_tile : tensor<8x128xf16>, tensor<128x128xf16>)
          outs(%kept_acc : tensor<8x128xf32>) -> tensor<8x128xf32>
      scf.yield %new_max, %new_sum, %new_acc : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>
    }

    %states = ktdp.inter_tile_produce producer_tiles_per_group = #same_head
        -> !ktdp.tile_future<(tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>), groups = #heads> {
    ^bb0(%number: index):
      ktdp.yield_partial %max, %sum, %acc : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>
    }
    %all_max, %all_sum, %all_acc = ktdp.inter_tile_reduce(%states)
        consumer_tiles_per_group = #first_share,
        identity(%no_max, %no_sum, %no_acc : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>)
        : !ktdp.tile_future<(tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>), groups = #heads>
        -> tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32> {
    ^bb0(%m1: tensor<8xf32>, %l1: tensor<8xf32>, %acc1: tensor<8x128xf32>,
         %m2: tensor<8xf32>, %l2: tensor<8xf32>, %acc2: tensor<8x128xf32>):
      %m = arith.maximumf %m1, %m2 : tensor<8xf32>
      %fall1 = arith.subf %m1, %m : tensor<8xf32>
      %fall2 = arith.subf %m2, %m : tensor<8xf32>
      %factor1 = math.exp %fall1 : tensor<8xf32>
      %factor2 = math.exp %fall2 : tensor<8xf32>
      %part1 = arith.mulf %l1, %factor1 : tensor<8xf32>
      %part2 = arith.mulf %l2, %factor2 : tensor<8xf32>
      %l = arith.addf %part1, %part2 : tensor<8xf32>
      %empty = tensor.empty() : tensor<8x128xf32>
      %mix = linalg.generic {
          indexing_maps = [#elements, #elements, #rows, #rows, #elements],
          iterator_types = ["parallel", "parallel"]}
          ins(%acc1, %acc2, %factor1, %factor2
              : tensor<8x128xf32>, tensor<8x128xf32>, tensor<8xf32>, tensor<8xf32>)
          outs(%empty : tensor<8x128xf32>) {
      ^bb0(%a: f32, %b: f32, %f: f32, %h: f32, %unused: f32):
        %a_part = arith.mulf %a, %f : f32
        %b_part = arith.mulf %b, %h : f32
        %both = arith.addf %a_part, %b_part : f32
        linalg.yield %both : f32
      } -> tensor<8x128xf32>
      ktdp.yield_reduced %m, %l, %mix : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>
    }

    %is_first = arith.cmpi eq, %share, %c0 : index
    scf.if %is_first {
      %no_result = tensor.empty() : tensor<8x128xf16>
      %result = linalg.generic {
          indexing_maps = [#elements, #rows, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%all_acc, %all_sum : tensor<8x128xf32>, tensor<8xf32>)
          outs(%no_result : tensor<8x128xf16>) {
      ^bb0(%a: f32, %s: f32, %unused: f16):
        %part = arith.divf %a, %s : f32
        %narrow = arith.truncf %part : f32 to f16
        linalg.yield %narrow : f16
      } -> tensor<8x128xf16>
      %result_3d = tensor.expand_shape %result [[0, 1], [2]] output_shape [1, 8, 128]
          : tensor<8x128xf16> into tensor<1x8x128xf16>
      %to = ktdp.construct_access_tile %out[%head, %c0, %c0] {
        access_tile_set = #rows_of_query, access_tile_order = #order
      } : memref<8x?x128xf16> -> !ktdp.access_tile<1x8x128xindex>
      ktdp.store %result_3d, %to : tensor<1x8x128xf16>, !ktdp.access_tile<1x8x128xindex>
    }
    return
  }
}
