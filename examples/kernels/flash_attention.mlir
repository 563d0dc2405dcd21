// Causal attention over sequences of any length, with online softmax.
//
//   out[h, i, :] = sum_{j <= i} softmax_j(scale * q[h, i, :] . k[h, j, :]) * v[h, j, :]
//
// The scores of a long sequence do not fit the scratchpad, so keys pass by in blocks of 128. A block of
// 128 queries carries, a query, the largest score m so far, the sum l of exp(score - m) so far, and
// the sum acc of exp(score - m) * v so far. A block of keys may raise m to n; what was summed then
// counts exp(m - n) times as much. After the last block the result is acc / l.
//
// Division: an item is a head and a block of queries; core c takes item c, then c + 32, and so on.
// Blocks of keys behind the last query of the item are not visited at all, so the loop over keys has
// a bound that differs by core, and by item.
//
// Every row sees key 0 in the first block, so m is finite from then on, and exp(-inf - m) is 0: neither
// the first block nor a masked score is a special case.
//
// Products run in f16 with f32 accumulators. A core holds three tiles of 128 x 128 in f16 and two in
// f32, a quarter of its scratchpad. Queries and results are moved once.
//
// Shows: a loop with trip counts that differ by core, three tensors of different shape carried through
// it, a product that starts from a tensor that is not zero.

#tensor = affine_set<(d0, d1, d2)[s0, s1]
    : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0, d2 >= 0, -d2 + 127 >= 0)>
#block = affine_set<(d0, d1, d2) : (d0 == 0, d1 >= 0, -d1 + 127 >= 0, d2 >= 0, -d2 + 127 >= 0)>
#order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#m_k = affine_map<(m, n, k) -> (m, k)>
#n_k = affine_map<(m, n, k) -> (n, k)>
#m_n = affine_map<(m, n, k) -> (m, n)>

module {
  func.func @flash_attention(%q_ptr: index, %k_ptr: index, %v_ptr: index, %out_ptr: index,
                             %heads: index, %length: index, %scale: f32)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %cores = arith.constant 32 : index
    %block = arith.constant 128 : index
    %minus_inf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %head_stride = arith.muli %length, %block : index
    %blocks = arith.ceildivui %length, %block : index
    %items = arith.muli %heads, %blocks : index

    %q = ktdp.construct_memory_view %q_ptr,
        sizes: [%heads, %length, 128], strides: [%head_stride, 128, 1] {
      coordinate_set = #tensor, memory_space = #ktdp.memory_space<global>
    } : memref<?x?x128xf16>
    %k = ktdp.construct_memory_view %k_ptr,
        sizes: [%heads, %length, 128], strides: [%head_stride, 128, 1] {
      coordinate_set = #tensor, memory_space = #ktdp.memory_space<global>
    } : memref<?x?x128xf16>
    %v = ktdp.construct_memory_view %v_ptr,
        sizes: [%heads, %length, 128], strides: [%head_stride, 128, 1] {
      coordinate_set = #tensor, memory_space = #ktdp.memory_space<global>
    } : memref<?x?x128xf16>
    %out = ktdp.construct_memory_view %out_ptr,
        sizes: [%heads, %length, 128], strides: [%head_stride, 128, 1] {
      coordinate_set = #tensor, memory_space = #ktdp.memory_space<global>
    } : memref<?x?x128xf16>

    scf.for %item = %core to %items step %cores {
      %head = arith.divui %item, %blocks : index
      %number = arith.remui %item, %blocks : index
      %query = arith.muli %number, %block : index
      %behind = arith.addi %query, %block : index
      %end = arith.minui %behind, %length : index

      %q_at = ktdp.construct_access_tile %q[%head, %query, %c0] {
        access_tile_set = #block, access_tile_order = #order
      } : memref<?x?x128xf16> -> !ktdp.access_tile<1x128x128xindex>
      %q_3d = ktdp.load %q_at : !ktdp.access_tile<1x128x128xindex> -> tensor<1x128x128xf16>
      %q_tile = tensor.collapse_shape %q_3d [[0, 1], [2]]
          : tensor<1x128x128xf16> into tensor<128x128xf16>

      %no_max = tensor.splat %minus_inf : tensor<128xf32>
      %no_sum = tensor.splat %zero : tensor<128xf32>
      %no_acc = tensor.splat %zero : tensor<128x128xf32>
      %max, %sum, %acc = scf.for %key = %c0 to %end step %block
          iter_args(%old_max = %no_max, %old_sum = %no_sum, %old_acc = %no_acc)
          -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
        %k_at = ktdp.construct_access_tile %k[%head, %key, %c0] {
          access_tile_set = #block, access_tile_order = #order
        } : memref<?x?x128xf16> -> !ktdp.access_tile<1x128x128xindex>
        %k_3d = ktdp.load %k_at : !ktdp.access_tile<1x128x128xindex> -> tensor<1x128x128xf16>
        %k_tile = tensor.collapse_shape %k_3d [[0, 1], [2]]
            : tensor<1x128x128xf16> into tensor<128x128xf16>

        %products = linalg.matmul indexing_maps = [#m_k, #n_k, #m_n]
            ins(%q_tile, %k_tile : tensor<128x128xf16>, tensor<128x128xf16>)
            outs(%no_acc : tensor<128x128xf32>) -> tensor<128x128xf32>
        %none = tensor.empty() : tensor<128x128xf32>
        %scores = linalg.generic {
            indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
            ins(%products : tensor<128x128xf32>) outs(%none : tensor<128x128xf32>) {
        ^bb0(%s: f32, %unused: f32):
          %row = linalg.index 0 : index
          %column = linalg.index 1 : index
          %own = arith.addi %query, %row : index
          %other = arith.addi %key, %column : index
          %seen = arith.cmpi ule, %other, %own : index
          %scaled = arith.mulf %s, %scale : f32
          %masked = arith.select %seen, %scaled, %minus_inf : f32
          linalg.yield %masked : f32
        } -> tensor<128x128xf32>

        %new_max = linalg.reduce { arith.maximumf }
            ins(%scores : tensor<128x128xf32>) outs(%old_max : tensor<128xf32>) dimensions = [1]
        %powers = linalg.generic {
            indexing_maps = [#elements, #rows, #elements],
            iterator_types = ["parallel", "parallel"]}
            ins(%scores, %new_max : tensor<128x128xf32>, tensor<128xf32>)
            outs(%none : tensor<128x128xf32>) {
        ^bb0(%s: f32, %m: f32, %unused: f32):
          %shifted = arith.subf %s, %m : f32
          %power = math.exp %shifted : f32
          linalg.yield %power : f32
        } -> tensor<128x128xf32>

        // What is summed so far, as seen from the new maximum.
        %few = tensor.empty() : tensor<128xf32>
        %fall = linalg.sub ins(%old_max, %new_max : tensor<128xf32>, tensor<128xf32>)
            outs(%few : tensor<128xf32>) -> tensor<128xf32>
        %factor = linalg.exp ins(%fall : tensor<128xf32>)
            outs(%few : tensor<128xf32>) -> tensor<128xf32>
        %kept_sum = linalg.mul ins(%old_sum, %factor : tensor<128xf32>, tensor<128xf32>)
            outs(%few : tensor<128xf32>) -> tensor<128xf32>
        %kept_acc = linalg.generic {
            indexing_maps = [#elements, #rows, #elements],
            iterator_types = ["parallel", "parallel"]}
            ins(%old_acc, %factor : tensor<128x128xf32>, tensor<128xf32>)
            outs(%none : tensor<128x128xf32>) {
        ^bb0(%a: f32, %f: f32, %unused: f32):
          %kept = arith.mulf %a, %f : f32
          linalg.yield %kept : f32
        } -> tensor<128x128xf32>

        %new_sum = linalg.reduce { arith.addf }
            ins(%powers : tensor<128x128xf32>) outs(%kept_sum : tensor<128xf32>) dimensions = [1]
        %no_weights = tensor.empty() : tensor<128x128xf16>
        %weights = linalg.map { arith.truncf } ins(%powers : tensor<128x128xf32>)
            outs(%no_weights : tensor<128x128xf16>)
        %v_at = ktdp.construct_access_tile %v[%head, %key, %c0] {
          access_tile_set = #block, access_tile_order = #order
        } : memref<?x?x128xf16> -> !ktdp.access_tile<1x128x128xindex>
        %v_3d = ktdp.load %v_at : !ktdp.access_tile<1x128x128xindex> -> tensor<1x128x128xf16>
        %v_tile = tensor.collapse_shape %v_3d [[0, 1], [2]]
            : tensor<1x128x128xf16> into tensor<128x128xf16>
        %new_acc = linalg.matmul ins(%weights, %v_tile : tensor<128x128xf16>, tensor<128x128xf16>)
            outs(%kept_acc : tensor<128x128xf32>) -> tensor<128x128xf32>
        scf.yield %new_max, %new_sum, %new_acc
            : tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
      }

      %no_result = tensor.empty() : tensor<128x128xf16>
      %result = linalg.generic {
          indexing_maps = [#elements, #rows, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%acc, %sum : tensor<128x128xf32>, tensor<128xf32>)
          outs(%no_result : tensor<128x128xf16>) {
      ^bb0(%a: f32, %s: f32, %unused: f16):
        %part = arith.divf %a, %s : f32
        %narrow = arith.truncf %part : f32 to f16
        linalg.yield %narrow : f16
      } -> tensor<128x128xf16>
      %result_3d = tensor.expand_shape %result [[0, 1], [2]] output_shape [1, 128, 128]
          : tensor<128x128xf16> into tensor<1x128x128xf16>
      %to = ktdp.construct_access_tile %out[%head, %query, %c0] {
        access_tile_set = #block, access_tile_order = #order
      } : memref<?x?x128xf16> -> !ktdp.access_tile<1x128x128xindex>
      ktdp.store %result_3d, %to : tensor<1x128x128xf16>, !ktdp.access_tile<1x128x128xindex>
    }
    return
  }
}
