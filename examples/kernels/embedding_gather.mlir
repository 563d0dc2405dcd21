// Rows of a table, picked by a list of numbers: the embedding of tokens.
//
//   out[t, c] = table[ids[t], c]
//
// Division: core c takes 16 tokens at 16c, then those 512 further on; a tile holds 16 x 1024 columns,
// and wider tables are walked in steps of 1024.
//
// The row is read from the view of the ids: `ind(%ids[..])`. A direct access tile could not say this,
// since the coordinates are data. Rows are read in whole sticks if the width is a multiple of 64; each
// element of the output is written once, and of the table only rows that occur are read.
//
// Tokens past the end: the id there is outside the set of %ids and reads as 0, so row 0 is loaded, and
// the store leaves it out. An id outside the table is a fault that names it.
//
// Shows: an indirect access tile for a gather, i64 indices, subscripts that add a value of the kernel
// to a variable of the tile, direct and indirect subscripts side by side.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 1023 >= 0)>
#order = affine_map<(d0, d1) -> (d0, d1)>

module {
  func.func @embedding_gather(%ids_ptr: index, %table_ptr: index, %out_ptr: index, %tokens: index,
                              %vocabulary: index, %width: index) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %block = arith.constant 16 : index
    %stride = arith.constant 512 : index
    %columns = arith.constant 1024 : index
    %first = arith.muli %core, %block : index

    %ids = ktdp.construct_memory_view %ids_ptr, sizes: [%tokens], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xi64>
    %table = ktdp.construct_memory_view %table_ptr,
        sizes: [%vocabulary, %width], strides: [%width, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %out = ktdp.construct_memory_view %out_ptr, sizes: [%tokens, %width], strides: [%width, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>

    scf.for %token = %first to %tokens step %stride {
      scf.for %column = %c0 to %width step %columns {
        %from = ktdp.construct_indirect_access_tile intermediate_variables(%t, %c)
            %table[ind(%ids[%token + %t]), (%column + %c)] {
          variables_space_set = #block, variables_space_order = #order
        } : memref<?x?xf16>, memref<?xi64> -> !ktdp.access_tile<16x1024xindex>
        %rows = ktdp.load %from : !ktdp.access_tile<16x1024xindex> -> tensor<16x1024xf16>
        %to = ktdp.construct_access_tile %out[%token, %column] {
          access_tile_set = #block, access_tile_order = #order
        } : memref<?x?xf16> -> !ktdp.access_tile<16x1024xindex>
        ktdp.store %rows, %to : tensor<16x1024xf16>, !ktdp.access_tile<16x1024xindex>
      }
    }
    return
  }
}
