// Where each row has its largest element: the choice of the next token from scores over a vocabulary.
//
// Of equal elements the one further left counts.
//
// Division: a few rows, many columns. All 32 cores work on 8 rows at a time; core c looks at columns
// 1024c .. 1024c+1023, then those 32,768 further on, so each element is read once by one core.
//
// A core keeps, a row, the largest element so far and its column. Then the cores compare: they publish
// both tensors as one future with two roles, and the reduction combines pairs. It prefers the larger
// element, and of equal ones the smaller column; that is associative and commutative, so the answer does
// not depend on how columns are divided. Only core 0 needs the result, so the group has one consumer;
// on all other cores it is undefined, and a branch keeps them from storing it.
//
// Minus infinity and a column that is none start everything: they are the identity of the reduction, and
// what columns past the end count as.
//
// Shows: `inter_tile_reduce` of two roles of different element types to a single consumer, a combiner
// that selects, a branch by core, i64 results, constants of minus infinity in f16.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 1023 >= 0)>
#few = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#line = affine_map<(d0) -> (d0)>
#all = affine_set<(i)[g] : (i >= 0, -i + 31 >= 0)>
#first = affine_set<(i)[g] : (i == 0)>
#one_group = affine_set<(g) : (g == 0)>

module {
  func.func @argmax_rows(%x_ptr: index, %places_ptr: index, %values_ptr: index, %rows: index,
                         %cols: index) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %block = arith.constant 8 : index
    %width = arith.constant 1024 : index
    %stride = arith.constant 32768 : index
    %first_column = arith.muli %core, %width : index
    %is_first = arith.cmpi eq, %core, %c0 : index
    %minus_inf = arith.constant 0xFC00 : f16
    %far = arith.constant 9223372036854775807 : i64
    %no_value = tensor.splat %minus_inf : tensor<8xf16>
    %no_place = tensor.splat %far : tensor<8xi64>

    %x = ktdp.construct_memory_view %x_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %places = ktdp.construct_memory_view %places_ptr, sizes: [%rows], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xi64>
    %values = ktdp.construct_memory_view %values_ptr, sizes: [%rows], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xf16>

    scf.for %row = %c0 to %rows step %block {
      %value, %place = scf.for %column = %first_column to %cols step %stride
          iter_args(%old_value = %no_value, %old_place = %no_place)
          -> (tensor<8xf16>, tensor<8xi64>) {
        %from = ktdp.construct_access_tile %x[%row, %column] {
          access_tile_set = #block, access_tile_order = #elements
        } : memref<?x?xf16> -> !ktdp.access_tile<8x1024xindex>
        %in = ktdp.load %from : !ktdp.access_tile<8x1024xindex> -> tensor<8x1024xf16>
        %left = arith.subi %cols, %column : index
        %none = tensor.empty() : tensor<8x1024xf16>
        %valid = linalg.generic {
            indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
            ins(%in : tensor<8x1024xf16>) outs(%none : tensor<8x1024xf16>) {
        ^bb0(%e: f16, %unused: f16):
          %at = linalg.index 1 : index
          %exists = arith.cmpi slt, %at, %left : index
          %kept = arith.select %exists, %e, %minus_inf : f16
          linalg.yield %kept : f16
        } -> tensor<8x1024xf16>
        %new_value = linalg.reduce { arith.maximumf }
            ins(%valid : tensor<8x1024xf16>) outs(%old_value : tensor<8xf16>) dimensions = [1]

        // The column in this tile, if the maximum is here and not further left.
        %here = linalg.generic {
            indexing_maps = [#elements, #rows, #rows], iterator_types = ["parallel", "reduction"]}
            ins(%valid, %new_value : tensor<8x1024xf16>, tensor<8xf16>)
            outs(%no_place : tensor<8xi64>) {
        ^bb0(%e: f16, %m: f16, %so_far: i64):
          %at = linalg.index 1 : index
          %number = arith.addi %at, %column : index
          %number_i64 = arith.index_cast %number : index to i64
          %is_max = arith.cmpf oeq, %e, %m : f16
          %candidate = arith.select %is_max, %number_i64, %far : i64
          %next = arith.minsi %so_far, %candidate : i64
          linalg.yield %next : i64
        } -> tensor<8xi64>
        %rose = arith.cmpf ogt, %new_value, %old_value : tensor<8xf16>
        %earlier = arith.minsi %old_place, %here : tensor<8xi64>
        %new_place = arith.select %rose, %here, %earlier : tensor<8xi1>, tensor<8xi64>
        scf.yield %new_value, %new_place : tensor<8xf16>, tensor<8xi64>
      }

      %bests = ktdp.inter_tile_produce producer_tiles_per_group = #all
          -> !ktdp.tile_future<(tensor<8xf16>, tensor<8xi64>), groups = #one_group> {
      ^bb0(%group: index):
        ktdp.yield_partial %value, %place : tensor<8xf16>, tensor<8xi64>
      }
      %best_value, %best_place = ktdp.inter_tile_reduce(%bests)
          consumer_tiles_per_group = #first,
          identity(%no_value, %no_place : tensor<8xf16>, tensor<8xi64>)
          : !ktdp.tile_future<(tensor<8xf16>, tensor<8xi64>), groups = #one_group>
          -> tensor<8xf16>, tensor<8xi64> {
      ^bb0(%v: tensor<8xf16>, %p: tensor<8xi64>, %w: tensor<8xf16>, %q: tensor<8xi64>):
        %larger = arith.cmpf ogt, %w, %v : tensor<8xf16>
        %equal = arith.cmpf oeq, %w, %v : tensor<8xf16>
        %before = arith.cmpi slt, %q, %p : tensor<8xi64>
        %tie = arith.andi %equal, %before : tensor<8xi1>
        %take = arith.ori %larger, %tie : tensor<8xi1>
        %best = arith.select %take, %w, %v : tensor<8xi1>, tensor<8xf16>
        %where = arith.select %take, %q, %p : tensor<8xi1>, tensor<8xi64>
        ktdp.yield_reduced %best, %where : tensor<8xf16>, tensor<8xi64>
      }

      scf.if %is_first {
        %places_at = ktdp.construct_access_tile %places[%row] {
          access_tile_set = #few, access_tile_order = #line
        } : memref<?xi64> -> !ktdp.access_tile<8xindex>
        %values_at = ktdp.construct_access_tile %values[%row] {
          access_tile_set = #few, access_tile_order = #line
        } : memref<?xf16> -> !ktdp.access_tile<8xindex>
        ktdp.store %best_place, %places_at : tensor<8xi64>, !ktdp.access_tile<8xindex>
        ktdp.store %best_value, %values_at : tensor<8xf16>, !ktdp.access_tile<8xindex>
      }
    }
    return
  }
}
