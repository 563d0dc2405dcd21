// One step of decoding with keys and values in a paged cache.
//
//   out[b, g, :] = sum_j softmax_j(scale * q[b, g, :] . k[b, j, :]) * v[b, j, :]    for j < lengths[b]
//
// for each of the 8 heads of keys and the up to 8 query heads g that share it. The cache holds pages of
// 16 tokens in any order; token j of sequence b lies in page table[b, j floordiv 16] at j mod 16.
//
// Division: the grid is 8 x 4. The first coordinate of a core is its head of keys; the second one is the
// sequence it begins with, then it takes every fourth. Sequences have lengths of their own, so cores
// run different numbers of steps.
//
// A step gathers the keys of 128 tokens, 8 pages, with one indirect access tile: the page comes from the
// table, the place in the page is direct, and so is the head. It is a step of online softmax as in
// `flash_attention`, with 8 rows for the queries that share the head: each key and value is read once
// for all of them.
//
// The last step of a sequence reaches past its length. Entries of the table behind the last page are
// read but mean nothing; they must name some page. What is loaded there is masked: scores become minus
// infinity, and 0 times a finite value is 0.
//
// Shows: subscripts with floordiv and mod, direct and indirect subscripts mixed with captured values, a
// grid of rank 2, trip counts read from memory, a view of rank 4.

#query = affine_set<(d0, d1, d2, d3)[s0, s1]
    : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + s1 - 1 >= 0,
       d3 >= 0, -d3 + 127 >= 0)>
#cache = affine_set<(d0, d1, d2, d3)[s0]
    : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 7 >= 0,
       d3 >= 0, -d3 + 127 >= 0)>
#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#group = affine_set<(d0, d1, d2, d3)
    : (d0 == 0, d1 == 0, d2 >= 0, -d2 + 7 >= 0, d3 >= 0, -d3 + 127 >= 0)>
#step = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 127 >= 0)>
#one = affine_set<(d0) : (d0 == 0)>
#order_4d = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#line = affine_map<(d0) -> (d0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#m_k = affine_map<(m, n, k) -> (m, k)>
#n_k = affine_map<(m, n, k) -> (n, k)>
#m_n = affine_map<(m, n, k) -> (m, n)>

module {
  func.func @paged_attention(%q_ptr: index, %keys_ptr: index, %values_ptr: index,
                             %table_ptr: index, %lengths_ptr: index, %out_ptr: index,
                             %batch: index, %group: index, %pages: index, %pages_a_row: index,
                             %scale: f32) attributes {grid = [8, 4]} {
    %head, %begin = ktdp.get_compute_tile_id : index, index
    %c0 = arith.constant 0 : index
    %sequences = arith.constant 4 : index
    %page_size = arith.constant 16 : index
    %step = arith.constant 128 : index
    %minus_inf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %head_stride = arith.muli %group, %step : index
    %c8 = arith.constant 8 : index
    %row_stride = arith.muli %head_stride, %c8 : index

    %q = ktdp.construct_memory_view %q_ptr,
        sizes: [%batch, 8, %group, 128], strides: [%row_stride, %head_stride, 128, 1] {
      coordinate_set = #query, memory_space = #ktdp.memory_space<global>
    } : memref<?x8x?x128xf16>
    %keys = ktdp.construct_memory_view %keys_ptr,
        sizes: [%pages, 16, 8, 128], strides: [16384, 1024, 128, 1] {
      coordinate_set = #cache, memory_space = #ktdp.memory_space<global>
    } : memref<?x16x8x128xf16>
    %values = ktdp.construct_memory_view %values_ptr,
        sizes: [%pages, 16, 8, 128], strides: [16384, 1024, 128, 1] {
      coordinate_set = #cache, memory_space = #ktdp.memory_space<global>
    } : memref<?x16x8x128xf16>
    %table = ktdp.construct_memory_view %table_ptr,
        sizes: [%batch, %pages_a_row], strides: [%pages_a_row, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xi32>
    %lengths = ktdp.construct_memory_view %lengths_ptr, sizes: [%batch], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xi32>
    %out = ktdp.construct_memory_view %out_ptr,
        sizes: [%batch, 8, %group, 128], strides: [%row_stride, %head_stride, 128, 1] {
      coordinate_set = #query, memory_space = #ktdp.memory_space<global>
    } : memref<?x8x?x128xf16>

    scf.for %b = %begin to %batch step %sequences {
      %length_at = ktdp.construct_access_tile %lengths[%b] {
        access_tile_set = #one, access_tile_order = #line
      } : memref<?xi32> -> !ktdp.access_tile<1xindex>
      %length_tile = ktdp.load %length_at : !ktdp.access_tile<1xindex> -> tensor<1xi32>
      %length_i32 = tensor.extract %length_tile[%c0] : tensor<1xi32>
      %length = arith.index_cast %length_i32 : i32 to index

      %q_at = ktdp.construct_access_tile %q[%b, %head, %c0, %c0] {
        access_tile_set = #group, access_tile_order = #order_4d
      } : memref<?x8x?x128xf16> -> !ktdp.access_tile<1x1x8x128xindex>
      %q_4d = ktdp.load %q_at : !ktdp.access_tile<1x1x8x128xindex> -> tensor<1x1x8x128xf16>
      %q_tile = tensor.collapse_shape %q_4d [[0, 1, 2], [3]]
          : tensor<1x1x8x128xf16> into tensor<8x128xf16>

      %no_max = tensor.splat %minus_inf : tensor<8xf32>
      %no_sum = tensor.splat %zero : tensor<8xf32>
      %no_acc = tensor.splat %zero : tensor<8x128xf32>
      %max, %sum, %acc = scf.for %token = %c0 to %length step %step
          iter_args(%old_max = %no_max, %old_sum = %no_sum, %old_acc = %no_acc)
          -> (tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>) {
        %page = arith.divui %token, %page_size : index
        %k_at = ktdp.construct_indirect_access_tile intermediate_variables(%t, %d)
            %keys[ind(%table[%b, %page + %t floordiv 16]), (%t mod 16), (%head), (%d)] {
          variables_space_set = #step, variables_space_order = #elements
        } : memref<?x16x8x128xf16>, memref<?x?xi32> -> !ktdp.access_tile<128x128xindex>
        %k_tile = ktdp.load %k_at : !ktdp.access_tile<128x128xindex> -> tensor<128x128xf16>
        %v_at = ktdp.construct_indirect_access_tile intermediate_variables(%t, %d)
            %values[ind(%table[%b, %page + %t floordiv 16]), (%t mod 16), (%head), (%d)] {
          variables_space_set = #step, variables_space_order = #elements
        } : memref<?x16x8x128xf16>, memref<?x?xi32> -> !ktdp.access_tile<128x128xindex>
        %v_tile = ktdp.load %v_at : !ktdp.access_tile<128x128xindex> -> tensor<128x128xf16>

        %products = linalg.matmul indexing_maps = [#m_k, #n_k, #m_n]
            ins(%q_tile, %k_tile : tensor<8x128xf16>, tensor<128x128xf16>)
            outs(%no_acc : tensor<8x128xf32>) -> tensor<8x128xf32>
        %left = arith.subi %length, %token : index
        %none = tensor.empty() : tensor<8x128xf32>
        %scores = linalg.generic {
            indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
            ins(%products : tensor<8x128xf32>) outs(%none : tensor<8x128xf32>) {
        ^bb0(%s: f32, %unused: f32):
          %column = linalg.index 1 : index
          %seen = arith.cmpi slt, %column, %left : index
          %scaled = arith.mulf %s, %scale : f32
          %masked = arith.select %seen, %scaled, %minus_inf : f32
          linalg.yield %masked : f32
        } -> tensor<8x128xf32>

        %new_max = linalg.reduce { arith.maximumf }
            ins(%scores : tensor<8x128xf32>) outs(%old_max : tensor<8xf32>) dimensions = [1]
        %powers = linalg.generic {
            indexing_maps = [#elements, #rows, #elements],
            iterator_types = ["parallel", "parallel"]}
            ins(%scores, %new_max : tensor<8x128xf32>, tensor<8xf32>)
            outs(%none : tensor<8x128xf32>) {
        ^bb0(%s: f32, %m: f32, %unused: f32):
          %shifted = arith.subf %s, %m : f32
          %power = math.exp %shifted : f32
          linalg.yield %power : f32
        } -> tensor<8x128xf32>

        %few = tensor.empty() : tensor<8xf32>
        %fall = linalg.sub ins(%old_max, %new_max : tensor<8xf32>, tensor<8xf32>)
            outs(%few : tensor<8xf32>) -> tensor<8xf32>
        %factor = linalg.exp ins(%fall : tensor<8xf32>) outs(%few : tensor<8xf32>) -> tensor<8xf32>
        %kept_sum = linalg.mul ins(%old_sum, %factor : tensor<8xf32>, tensor<8xf32>)
            outs(%few : tensor<8xf32>) -> tensor<8xf32>
        %kept_acc = linalg.generic {
            indexing_maps = [#elements, #rows, #elements],
            iterator_types = ["parallel", "parallel"]}
            ins(%old_acc, %factor : tensor<8x128xf32>, tensor<8xf32>)
            outs(%none : tensor<8x128xf32>) {
        ^bb0(%a: f32, %f: f32, %unused: f32):
          %kept = arith.mulf %a, %f : f32
          linalg.yield %kept : f32
        } -> tensor<8x128xf32>

        %new_sum = linalg.reduce { arith.addf }
            ins(%powers : tensor<8x128xf32>) outs(%kept_sum : tensor<8xf32>) dimensions = [1]
        %no_weights = tensor.empty() : tensor<8x128xf16>
        %weights = linalg.map { arith.truncf } ins(%powers : tensor<8x128xf32>)
            outs(%no_weights : tensor<8x128xf16>)
        %new_acc = linalg.matmul ins(%weights, %v_tile : tensor<8x128xf16>, tensor<128x128xf16>)
            outs(%kept_acc : tensor<8x128xf32>) -> tensor<8x128xf32>
        scf.yield %new_max, %new_sum, %new_acc : tensor<8xf32>, tensor<8xf32>, tensor<8x128xf32>
      }

      %no_result = tensor.empty() : tensor<8x128xf16>
      %result = linalg.generic {
          indexing_maps = [#elements, #rows, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%acc, %sum : tensor<8x128xf32>, tensor<8xf32>)
          outs(%no_result : tensor<8x128xf16>) {
      ^bb0(%a: f32, %s: f32, %unused: f16):
        %part = arith.divf %a, %s : f32
        %narrow = arith.truncf %part : f32 to f16
        linalg.yield %narrow : f16
      } -> tensor<8x128xf16>
      %result_4d = tensor.expand_shape %result [[0, 1, 2], [3]] output_shape [1, 1, 8, 128]
          : tensor<8x128xf16> into tensor<1x1x8x128xf16>
      %to = ktdp.construct_access_tile %out[%b, %head, %c0, %c0] {
        access_tile_set = #group, access_tile_order = #order_4d
      } : memref<?x8x?x128xf16> -> !ktdp.access_tile<1x1x8x128xindex>
      ktdp.store %result_4d, %to : tensor<1x1x8x128xf16>, !ktdp.access_tile<1x1x8x128xindex>
    }
    return
  }
}
