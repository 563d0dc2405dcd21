// Rows added into a table at places that may repeat: the gradient of an embedding.
//
//   table[ids[u], :] += updates[u, :]   for every u, several u may name one row
//
// A scatter that loads, adds and stores rows would lose additions where two updates name one row: two
// cores, or two elements of one store, write the same address and nothing orders them. So work is
// divided by rows of the table, not by updates: each row has one owner.
//
// Division: core c owns rows 16c .. 16c+15 of the table, then those 512 further on. It keeps them in
// its scratchpad in f32, walks the list of ids in order, and for each id in its range reads that one
// update and adds it. Additions to a row happen in the order of the list, so the result does not depend
// on the number of cores.
//
// Each row of the table is read and written once, each update is read once, by the owner of its row.
// Only the ids are read by all cores. Widths up to 512 columns.
//
// Shows: elements of an integer tile as scalars (`tensor.extract`), a branch that differs by core and
// yields a tensor, `tensor.extract_slice` and `insert_slice` at places that data decides, integer
// arithmetic between i32 and index.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 511 >= 0)>
#one_row = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 511 >= 0)>
#piece = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#order = affine_map<(d0, d1) -> (d0, d1)>
#order_1d = affine_map<(d0) -> (d0)>

module {
  func.func @scatter_add(%table_ptr: index, %ids_ptr: index, %updates_ptr: index, %rows: index,
                         %cols: index, %count: index) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %block = arith.constant 16 : index
    %stride = arith.constant 512 : index
    %ids_a_tile = arith.constant 64 : index
    %first = arith.muli %core, %block : index

    %table = ktdp.construct_memory_view %table_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf32>
    %ids = ktdp.construct_memory_view %ids_ptr, sizes: [%count], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xi32>
    %updates = ktdp.construct_memory_view %updates_ptr, sizes: [%count, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>

    scf.for %row = %first to %rows step %stride {
      %own_at = ktdp.construct_access_tile %table[%row, %c0] {
        access_tile_set = #block, access_tile_order = #order
      } : memref<?x?xf32> -> !ktdp.access_tile<16x512xindex>
      %own = ktdp.load %own_at : !ktdp.access_tile<16x512xindex> -> tensor<16x512xf32>

      %sums = scf.for %start = %c0 to %count step %ids_a_tile
          iter_args(%outer = %own) -> (tensor<16x512xf32>) {
        %ids_at = ktdp.construct_access_tile %ids[%start] {
          access_tile_set = #piece, access_tile_order = #order_1d
        } : memref<?xi32> -> !ktdp.access_tile<64xindex>
        %some_ids = ktdp.load %ids_at : !ktdp.access_tile<64xindex> -> tensor<64xi32>
        %left = arith.subi %count, %start : index
        %here = arith.minsi %left, %ids_a_tile : index

        %inner = scf.for %i = %c0 to %here step %c1
            iter_args(%so_far = %outer) -> (tensor<16x512xf32>) {
          %id = tensor.extract %some_ids[%i] : tensor<64xi32>
          %id_index = arith.index_cast %id : i32 to index
          %place = arith.subi %id_index, %row : index
          // One unsigned comparison says both: not before the block and not behind it.
          %mine = arith.cmpi ult, %place, %block : index
          %next = scf.if %mine -> (tensor<16x512xf32>) {
            %u = arith.addi %start, %i : index
            %update_at = ktdp.construct_access_tile %updates[%u, %c0] {
              access_tile_set = #one_row, access_tile_order = #order
            } : memref<?x?xf16> -> !ktdp.access_tile<1x512xindex>
            %update = ktdp.load %update_at : !ktdp.access_tile<1x512xindex> -> tensor<1x512xf16>
            %old = tensor.extract_slice %so_far[%place, 0] [1, 512] [1, 1]
                : tensor<16x512xf32> to tensor<1x512xf32>
            %none = tensor.empty() : tensor<1x512xf32>
            %new = linalg.generic {
                indexing_maps = [#order, #order, #order],
                iterator_types = ["parallel", "parallel"]}
                ins(%old, %update : tensor<1x512xf32>, tensor<1x512xf16>)
                outs(%none : tensor<1x512xf32>) {
            ^bb0(%a: f32, %b: f16, %unused: f32):
              %wide = arith.extf %b : f16 to f32
              %sum = arith.addf %a, %wide : f32
              linalg.yield %sum : f32
            } -> tensor<1x512xf32>
            %with = tensor.insert_slice %new into %so_far[%place, 0] [1, 512] [1, 1]
                : tensor<1x512xf32> into tensor<16x512xf32>
            scf.yield %with : tensor<16x512xf32>
          } else {
            scf.yield %so_far : tensor<16x512xf32>
          }
          scf.yield %next : tensor<16x512xf32>
        }
        scf.yield %inner : tensor<16x512xf32>
      }

      ktdp.store %sums, %own_at : tensor<16x512xf32>, !ktdp.access_tile<16x512xindex>
    }
    return
  }
}
