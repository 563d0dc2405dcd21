// Rotary position embedding of queries or keys.
//
// A head of 128 elements is 64 pairs (x[d], x[d + 64]); pair d of a token at position p is turned by
// an angle that tables hold as cosine and sine:
//
//   y[h, t, d]      = x[t, h, d] * cos[p, d]      - x[t, h, d + 64] * sin[p, d]
//   y[h, t, d + 64] = x[t, h, d + 64] * cos[p, d] + x[t, h, d] * sin[p, d]      with p = positions[t]
//
// x has the layout of a projection, heads inside tokens; y that of attention, tokens inside heads.
//
// Division: core c takes 8 tokens at 8c, then those 256 further on, and walks their heads 8 at a time.
//
// The angles of a token are the same for all heads: cosines and sines are gathered once a block of
// tokens, by positions that are read from memory. The halves of a head are a stick each, so they are
// loaded and stored as two tiles and nothing is moved inside the scratchpad. The change of layout is
// the order map of the store: it visits the points of y token by token, as the tile has them. Sticks
// stay whole, since only outer dimensions change places.
//
// Each element of x is read once and of y written once. Tokens and heads past the end are masked by
// the sets of the views.
//
// Shows: an order map that is not the identity, views of rank 3, access tiles at a constant offset, a
// gather by i32 positions, an operand that is the same along one dimension (heads) of a
// `linalg.generic`, a `generic` with two results.

#tensor = affine_set<(d0, d1, d2)[s0, s1]
    : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0, d2 >= 0, -d2 + 127 >= 0)>
#table = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#half = affine_set<(d0, d1, d2)
    : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#angles = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#token_first = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#order_2d = affine_map<(d0, d1) -> (d0, d1)>
#all_heads = affine_map<(d0, d1, d2) -> (d0, d2)>

module {
  func.func @rotary_embedding(%x_ptr: index, %positions_ptr: index, %cos_ptr: index,
                              %sin_ptr: index, %y_ptr: index, %tokens: index, %heads: index,
                              %longest: index) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %block = arith.constant 8 : index
    %stride = arith.constant 256 : index
    %head_size = arith.constant 128 : index
    %first = arith.muli %core, %block : index
    %token_stride = arith.muli %heads, %head_size : index
    %head_stride = arith.muli %tokens, %head_size : index

    %x = ktdp.construct_memory_view %x_ptr,
        sizes: [%tokens, %heads, 128], strides: [%token_stride, 128, 1] {
      coordinate_set = #tensor, memory_space = #ktdp.memory_space<global>
    } : memref<?x?x128xf16>
    %y = ktdp.construct_memory_view %y_ptr,
        sizes: [%heads, %tokens, 128], strides: [%head_stride, 128, 1] {
      coordinate_set = #tensor, memory_space = #ktdp.memory_space<global>
    } : memref<?x?x128xf16>
    %positions = ktdp.construct_memory_view %positions_ptr, sizes: [%tokens], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xi32>
    %cosines = ktdp.construct_memory_view %cos_ptr, sizes: [%longest, 64], strides: [64, 1] {
      coordinate_set = #table, memory_space = #ktdp.memory_space<global>
    } : memref<?x64xf16>
    %sines = ktdp.construct_memory_view %sin_ptr, sizes: [%longest, 64], strides: [64, 1] {
      coordinate_set = #table, memory_space = #ktdp.memory_space<global>
    } : memref<?x64xf16>

    scf.for %token = %first to %tokens step %stride {
      %cos_at = ktdp.construct_indirect_access_tile intermediate_variables(%t, %d)
          %cosines[ind(%positions[%token + %t]), (%d)] {
        variables_space_set = #angles, variables_space_order = #order_2d
      } : memref<?x64xf16>, memref<?xi32> -> !ktdp.access_tile<8x64xindex>
      %sin_at = ktdp.construct_indirect_access_tile intermediate_variables(%t, %d)
          %sines[ind(%positions[%token + %t]), (%d)] {
        variables_space_set = #angles, variables_space_order = #order_2d
      } : memref<?x64xf16>, memref<?xi32> -> !ktdp.access_tile<8x64xindex>
      %cos = ktdp.load %cos_at : !ktdp.access_tile<8x64xindex> -> tensor<8x64xf16>
      %sin = ktdp.load %sin_at : !ktdp.access_tile<8x64xindex> -> tensor<8x64xf16>

      scf.for %head = %c0 to %heads step %block {
        %low_at = ktdp.construct_access_tile %x[%token, %head, 0] {
          access_tile_set = #half, access_tile_order = #order
        } : memref<?x?x128xf16> -> !ktdp.access_tile<8x8x64xindex>
        %high_at = ktdp.construct_access_tile %x[%token, %head, 64] {
          access_tile_set = #half, access_tile_order = #order
        } : memref<?x?x128xf16> -> !ktdp.access_tile<8x8x64xindex>
        %low = ktdp.load %low_at : !ktdp.access_tile<8x8x64xindex> -> tensor<8x8x64xf16>
        %high = ktdp.load %high_at : !ktdp.access_tile<8x8x64xindex> -> tensor<8x8x64xf16>

        %none = tensor.empty() : tensor<8x8x64xf16>
        %turned:2 = linalg.generic {
            indexing_maps = [#order, #order, #all_heads, #all_heads, #order, #order],
            iterator_types = ["parallel", "parallel", "parallel"]}
            ins(%low, %high, %cos, %sin
                : tensor<8x8x64xf16>, tensor<8x8x64xf16>, tensor<8x64xf16>, tensor<8x64xf16>)
            outs(%none, %none : tensor<8x8x64xf16>, tensor<8x8x64xf16>) {
        ^bb0(%a: f16, %b: f16, %c: f16, %s: f16, %unused_low: f16, %unused_high: f16):
          %wide_a = arith.extf %a : f16 to f32
          %wide_b = arith.extf %b : f16 to f32
          %wide_c = arith.extf %c : f16 to f32
          %wide_s = arith.extf %s : f16 to f32
          %ac = arith.mulf %wide_a, %wide_c : f32
          %bs = arith.mulf %wide_b, %wide_s : f32
          %bc = arith.mulf %wide_b, %wide_c : f32
          %as = arith.mulf %wide_a, %wide_s : f32
          %new_a = arith.subf %ac, %bs : f32
          %new_b = arith.addf %bc, %as : f32
          %narrow_a = arith.truncf %new_a : f32 to f16
          %narrow_b = arith.truncf %new_b : f32 to f16
          linalg.yield %narrow_a, %narrow_b : f16, f16
        } -> (tensor<8x8x64xf16>, tensor<8x8x64xf16>)

        %low_to = ktdp.construct_access_tile %y[%head, %token, 0] {
          access_tile_set = #half, access_tile_order = #token_first
        } : memref<?x?x128xf16> -> !ktdp.access_tile<8x8x64xindex>
        %high_to = ktdp.construct_access_tile %y[%head, %token, 64] {
          access_tile_set = #half, access_tile_order = #token_first
        } : memref<?x?x128xf16> -> !ktdp.access_tile<8x8x64xindex>
        ktdp.store %turned#0, %low_to : tensor<8x8x64xf16>, !ktdp.access_tile<8x8x64xindex>
        ktdp.store %turned#1, %high_to : tensor<8x8x64xf16>, !ktdp.access_tile<8x8x64xindex>
      }
    }
    return
  }
}
