// New keys and values of a step, written to their slots in a paged cache.
//
//   keys[slots[t], h, :] = k[t, h, :]   and   values[slots[t], h, :] = v[t, h, :]
//
// A page of the cache holds 16 tokens; slot s is place s mod 16 of page s / 16, and since pages lie one
// behind the other, slots count through all of them. A negative slot means that the token is not to be
// kept, as in a batch that was padded.
//
// Division: core c takes token c, then c + 32, and so on. A token is 8 heads of 128 elements, 16 whole
// sticks for keys and as many for values, so transfers of single tokens waste nothing.
//
// The slots of different tokens differ, or two cores would write one address. The kernel relies on it;
// the machine's full check sees where it does not hold.
//
// A token that is not kept must not be written at all, so the scatter stands in a branch: the slot is
// loaded as a scalar first. Each byte is moved once; what no slot names keeps what it held.
//
// Shows: an indirect access tile for a scatter, i64 indices, a branch without else around a store, a
// captured value as a subscript in parentheses.

#new = affine_set<(d0, d1, d2)[s0]
    : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 127 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#token = affine_set<(d0, d1, d2) : (d0 == 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 127 >= 0)>
#one = affine_set<(d0) : (d0 == 0)>
#order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#line = affine_map<(d0) -> (d0)>

module {
  func.func @paged_cache_write(%k_ptr: index, %v_ptr: index, %slots_ptr: index, %keys_ptr: index,
                               %values_ptr: index, %tokens: index, %pages: index)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %cores = arith.constant 32 : index
    %page_size = arith.constant 16 : index
    %zero = arith.constant 0 : i64
    %places = arith.muli %pages, %page_size : index

    %k = ktdp.construct_memory_view %k_ptr, sizes: [%tokens, 8, 128], strides: [1024, 128, 1] {
      coordinate_set = #new, memory_space = #ktdp.memory_space<global>
    } : memref<?x8x128xf16>
    %v = ktdp.construct_memory_view %v_ptr, sizes: [%tokens, 8, 128], strides: [1024, 128, 1] {
      coordinate_set = #new, memory_space = #ktdp.memory_space<global>
    } : memref<?x8x128xf16>
    %slots = ktdp.construct_memory_view %slots_ptr, sizes: [%tokens], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xi64>
    %keys = ktdp.construct_memory_view %keys_ptr, sizes: [%places, 8, 128], strides: [1024, 128, 1] {
      coordinate_set = #new, memory_space = #ktdp.memory_space<global>
    } : memref<?x8x128xf16>
    %values = ktdp.construct_memory_view %values_ptr,
        sizes: [%places, 8, 128], strides: [1024, 128, 1] {
      coordinate_set = #new, memory_space = #ktdp.memory_space<global>
    } : memref<?x8x128xf16>

    scf.for %token = %core to %tokens step %cores {
      %slot_at = ktdp.construct_access_tile %slots[%token] {
        access_tile_set = #one, access_tile_order = #line
      } : memref<?xi64> -> !ktdp.access_tile<1xindex>
      %slot_tile = ktdp.load %slot_at : !ktdp.access_tile<1xindex> -> tensor<1xi64>
      %slot = tensor.extract %slot_tile[%c0] : tensor<1xi64>
      %is_kept = arith.cmpi sge, %slot, %zero : i64
      scf.if %is_kept {
        %k_at = ktdp.construct_access_tile %k[%token, %c0, %c0] {
          access_tile_set = #token, access_tile_order = #order
        } : memref<?x8x128xf16> -> !ktdp.access_tile<1x8x128xindex>
        %v_at = ktdp.construct_access_tile %v[%token, %c0, %c0] {
          access_tile_set = #token, access_tile_order = #order
        } : memref<?x8x128xf16> -> !ktdp.access_tile<1x8x128xindex>
        %k_tile = ktdp.load %k_at : !ktdp.access_tile<1x8x128xindex> -> tensor<1x8x128xf16>
        %v_tile = ktdp.load %v_at : !ktdp.access_tile<1x8x128xindex> -> tensor<1x8x128xf16>
        %k_to = ktdp.construct_indirect_access_tile intermediate_variables(%t, %h, %d)
            %keys[ind(%slots[%token + %t]), (%h), (%d)] {
          variables_space_set = #token, variables_space_order = #order
        } : memref<?x8x128xf16>, memref<?xi64> -> !ktdp.access_tile<1x8x128xindex>
        %v_to = ktdp.construct_indirect_access_tile intermediate_variables(%t, %h, %d)
            %values[ind(%slots[%token + %t]), (%h), (%d)] {
          variables_space_set = #token, variables_space_order = #order
        } : memref<?x8x128xf16>, memref<?xi64> -> !ktdp.access_tile<1x8x128xindex>
        ktdp.store %k_tile, %k_to : tensor<1x8x128xf16>, !ktdp.access_tile<1x8x128xindex>
        ktdp.store %v_tile, %v_to : tensor<1x8x128xf16>, !ktdp.access_tile<1x8x128xindex>
      }
    }
    return
  }
}
