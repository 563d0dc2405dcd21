// Causal attention with a mask of keys, scores held whole.
//
//   out[h, i, :] = sum_j softmax_j(scale * q[h, i, :] . k[h, j, :]) * v[h, j, :]
//
// over the keys j <= i for which keep[j] is true. A query that may see no key gets zeros.
//
// Division: an item is a head and a block of 64 queries; core c takes item c, then c + 32, and so on.
// All keys of the head, up to 512, are in the scratchpad, so the scores of a block are one tile of
// 64 x 512 in f32 and softmax needs one maximum and one sum. (`flash_attention` does without.)
//
// Both products run on the matrix unit in f16 with f32 results. The first takes k as it lies, as
// `linalg.matmul` with the indexing map of a transposed operand; no copy is made.
//
// What a query may not see gets minus infinity before the softmax: keys behind it, keys that the mask
// leaves out, and columns of the tile that do not exist. If that is all of a row, the maximum is
// minus infinity; 0 takes its place, or the shifted scores would be no numbers.
//
// Queries and results are moved once. Cores that work on one head read its keys and values each.
//
// Shows: a mask of i1 in memory, `linalg.matmul` with indexing maps, f16 products with f32
// accumulators, quotient and remainder of index values, a scale as an argument of type f32.

#tensor = affine_set<(d0, d1, d2)[s0, s1]
    : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#queries = affine_set<(d0, d1, d2) : (d0 == 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#keys = affine_set<(d0, d1, d2) : (d0 == 0, d1 >= 0, -d1 + 511 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#mask = affine_set<(d0) : (d0 >= 0, -d0 + 511 >= 0)>
#order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#line = affine_map<(d0) -> (d0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#m_k = affine_map<(m, n, k) -> (m, k)>
#n_k = affine_map<(m, n, k) -> (n, k)>
#m_n = affine_map<(m, n, k) -> (m, n)>

module {
  func.func @attention_causal(%q_ptr: index, %k_ptr: index, %v_ptr: index, %keep_ptr: index,
                              %out_ptr: index, %heads: index, %length: index, %scale: f32)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %cores = arith.constant 32 : index
    %block = arith.constant 64 : index
    %minus_inf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %head_stride = arith.muli %length, %block : index
    %blocks = arith.ceildivui %length, %block : index
    %items = arith.muli %heads, %blocks : index

    %q = ktdp.construct_memory_view %q_ptr,
        sizes: [%heads, %length, 64], strides: [%head_stride, 64, 1] {
      coordinate_set = #tensor, memory_space = #ktdp.memory_space<global>
    } : memref<?x?x64xf16>
    %k = ktdp.construct_memory_view %k_ptr,
        sizes: [%heads, %length, 64], strides: [%head_stride, 64, 1] {
      coordinate_set = #tensor, memory_space = #ktdp.memory_space<global>
    } : memref<?x?x64xf16>
    %v = ktdp.construct_memory_view %v_ptr,
        sizes: [%heads, %length, 64], strides: [%head_stride, 64, 1] {
      coordinate_set = #tensor, memory_space = #ktdp.memory_space<global>
    } : memref<?x?x64xf16>
    %keep = ktdp.construct_memory_view %keep_ptr, sizes: [%length], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xi1>
    %out = ktdp.construct_memory_view %out_ptr,
        sizes: [%heads, %length, 64], strides: [%head_stride, 64, 1] {
      coordinate_set = #tensor, memory_space = #ktdp.memory_space<global>
    } : memref<?x?x64xf16>

    // What does not exist is loaded as false, so the mask knows the length as well.
    %keep_at = ktdp.construct_access_tile %keep[%c0] {
      access_tile_set = #mask, access_tile_order = #line
    } : memref<?xi1> -> !ktdp.access_tile<512xindex>
    %kept = ktdp.load %keep_at : !ktdp.access_tile<512xindex> -> tensor<512xi1>

    scf.for %item = %core to %items step %cores {
      %head = arith.divui %item, %blocks : index
      %number = arith.remui %item, %blocks : index
      %query = arith.muli %number, %block : index

      %q_at = ktdp.construct_access_tile %q[%head, %query, %c0] {
        access_tile_set = #queries, access_tile_order = #order
      } : memref<?x?x64xf16> -> !ktdp.access_tile<1x64x64xindex>
      %q_3d = ktdp.load %q_at : !ktdp.access_tile<1x64x64xindex> -> tensor<1x64x64xf16>
      %q_tile = tensor.collapse_shape %q_3d [[0, 1], [2]]
          : tensor<1x64x64xf16> into tensor<64x64xf16>
      %k_at = ktdp.construct_access_tile %k[%head, %c0, %c0] {
        access_tile_set = #keys, access_tile_order = #order
      } : memref<?x?x64xf16> -> !ktdp.access_tile<1x512x64xindex>
      %k_3d = ktdp.load %k_at : !ktdp.access_tile<1x512x64xindex> -> tensor<1x512x64xf16>
      %k_tile = tensor.collapse_shape %k_3d [[0, 1], [2]]
          : tensor<1x512x64xf16> into tensor<512x64xf16>
      %v_at = ktdp.construct_access_tile %v[%head, %c0, %c0] {
        access_tile_set = #keys, access_tile_order = #order
      } : memref<?x?x64xf16> -> !ktdp.access_tile<1x512x64xindex>
      %v_3d = ktdp.load %v_at : !ktdp.access_tile<1x512x64xindex> -> tensor<1x512x64xf16>
      %v_tile = tensor.collapse_shape %v_3d [[0, 1], [2]]
          : tensor<1x512x64xf16> into tensor<512x64xf16>

      %no_scores = tensor.splat %zero : tensor<64x512xf32>
      %products = linalg.matmul indexing_maps = [#m_k, #n_k, #m_n]
          ins(%q_tile, %k_tile : tensor<64x64xf16>, tensor<512x64xf16>)
          outs(%no_scores : tensor<64x512xf32>) -> tensor<64x512xf32>

      %none = tensor.empty() : tensor<64x512xf32>
      %scores = linalg.generic {
          indexing_maps = [#elements, #columns, #elements],
          iterator_types = ["parallel", "parallel"]}
          ins(%products, %kept : tensor<64x512xf32>, tensor<512xi1>)
          outs(%none : tensor<64x512xf32>) {
      ^bb0(%s: f32, %allowed: i1, %unused: f32):
        %row = linalg.index 0 : index
        %key = linalg.index 1 : index
        %own = arith.addi %query, %row : index
        %before = arith.cmpi ule, %key, %own : index
        %seen = arith.andi %before, %allowed : i1
        %scaled = arith.mulf %s, %scale : f32
        %masked = arith.select %seen, %scaled, %minus_inf : f32
        linalg.yield %masked : f32
      } -> tensor<64x512xf32>

      %no_max = tensor.splat %minus_inf : tensor<64xf32>
      %max = linalg.reduce { arith.maximumf }
          ins(%scores : tensor<64x512xf32>) outs(%no_max : tensor<64xf32>) dimensions = [1]
      %powers = linalg.generic {
          indexing_maps = [#elements, #rows, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%scores, %max : tensor<64x512xf32>, tensor<64xf32>)
          outs(%none : tensor<64x512xf32>) {
      ^bb0(%s: f32, %m: f32, %unused: f32):
        %blind = arith.cmpf oeq, %m, %minus_inf : f32
        %base = arith.select %blind, %zero, %m : f32
        %shifted = arith.subf %s, %base : f32
        %power = math.exp %shifted : f32
        linalg.yield %power : f32
      } -> tensor<64x512xf32>
      %no_sum = tensor.splat %zero : tensor<64xf32>
      %sum = linalg.reduce { arith.addf }
          ins(%powers : tensor<64x512xf32>) outs(%no_sum : tensor<64xf32>) dimensions = [1]

      // At most 1 each, so f16 is enough; the division waits until after the product.
      %no_weights = tensor.empty() : tensor<64x512xf16>
      %weights = linalg.map { arith.truncf } ins(%powers : tensor<64x512xf32>)
          outs(%no_weights : tensor<64x512xf16>)
      %no_mix = tensor.splat %zero : tensor<64x64xf32>
      %mix = linalg.matmul ins(%weights, %v_tile : tensor<64x512xf16>, tensor<512x64xf16>)
          outs(%no_mix : tensor<64x64xf32>) -> tensor<64x64xf32>
      %no_result = tensor.empty() : tensor<64x64xf16>
      %result = linalg.generic {
          indexing_maps = [#elements, #rows, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%mix, %sum : tensor<64x64xf32>, tensor<64xf32>)
          outs(%no_result : tensor<64x64xf16>) {
      ^bb0(%e: f32, %s: f32, %unused: f16):
        %any = arith.cmpf ogt, %s, %zero : f32
        %part = arith.divf %e, %s : f32
        %safe = arith.select %any, %part, %zero : f32
        %narrow = arith.truncf %safe : f32 to f16
        linalg.yield %narrow : f16
      } -> tensor<64x64xf16>

      %result_3d = tensor.expand_shape %result [[0, 1], [2]] output_shape [1, 64, 64]
          : tensor<64x64xf16> into tensor<1x64x64xf16>
      %to = ktdp.construct_access_tile %out[%head, %query, %c0] {
        access_tile_set = #queries, access_tile_order = #order
      } : memref<?x?x64xf16> -> !ktdp.access_tile<1x64x64xindex>
      ktdp.store %result_3d, %to : tensor<1x64x64xf16>, !ktdp.access_tile<1x64x64xindex>
    }
    return
  }
}
