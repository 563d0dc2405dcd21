// The eight largest elements of each row and where they stand.
//
// Results are in falling order; of equal elements the one further left comes first.
//
// Division: core c takes rows 4c .. 4c+3, then those 128 further on; a tile holds whole rows, of up to
// 1024 columns.
//
// A round finds the largest element of a row, then the first column that holds it, notes both, and
// puts minus infinity in its place. Eight rounds do not sort the row and touch no memory. The place is
// found by a reduction of its own, over the columns whose element equals the maximum: a minimum, which
// does not depend on the order in which columns are visited.
//
// The tail of a row must not win: one op before the first round turns it into minus infinity. Rows
// must have at least eight columns.
//
// Each element is read once. Values are f16, columns i32.
//
// Shows: a loop that carries three tensors of two element types, `tensor.insert_slice` at a place that
// the loop counts, reductions to a maximum of floats and a minimum of integers, `arith.cmpf`, unused
// `outs` of a splat.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#results = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 1023 >= 0)>
#few = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

module {
  func.func @top_k(%x_ptr: index, %values_ptr: index, %places_ptr: index, %rows: index, %cols: index)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %k = arith.constant 8 : index
    %block = arith.constant 4 : index
    %stride = arith.constant 128 : index
    %first = arith.muli %core, %block : index
    %minus_inf = arith.constant 0xFC00 : f16
    %far = arith.constant 2147483647 : i32
    %no_max = tensor.splat %minus_inf : tensor<4xf16>
    %no_place = tensor.splat %far : tensor<4xi32>

    %x = ktdp.construct_memory_view %x_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %values = ktdp.construct_memory_view %values_ptr, sizes: [%rows, 8], strides: [8, 1] {
      coordinate_set = #results, memory_space = #ktdp.memory_space<global>
    } : memref<?x8xf16>
    %places = ktdp.construct_memory_view %places_ptr, sizes: [%rows, 8], strides: [8, 1] {
      coordinate_set = #results, memory_space = #ktdp.memory_space<global>
    } : memref<?x8xi32>

    scf.for %row = %first to %rows step %stride {
      %from = ktdp.construct_access_tile %x[%row, %c0] {
        access_tile_set = #block, access_tile_order = #elements
      } : memref<?x?xf16> -> !ktdp.access_tile<4x1024xindex>
      %in = ktdp.load %from : !ktdp.access_tile<4x1024xindex> -> tensor<4x1024xf16>
      %none = tensor.empty() : tensor<4x1024xf16>
      %all = linalg.generic {
          indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%in : tensor<4x1024xf16>) outs(%none : tensor<4x1024xf16>) {
      ^bb0(%e: f16, %unused: f16):
        %column = linalg.index 1 : index
        %exists = arith.cmpi slt, %column, %cols : index
        %kept = arith.select %exists, %e, %minus_inf : f16
        linalg.yield %kept : f16
      } -> tensor<4x1024xf16>

      %no_values = tensor.splat %minus_inf : tensor<4x8xf16>
      %no_places = tensor.splat %far : tensor<4x8xi32>
      %left, %found, %where = scf.for %round = %c0 to %k step %c1
          iter_args(%rest = %all, %old_values = %no_values, %old_places = %no_places)
          -> (tensor<4x1024xf16>, tensor<4x8xf16>, tensor<4x8xi32>) {
        %max = linalg.reduce { arith.maximumf }
            ins(%rest : tensor<4x1024xf16>) outs(%no_max : tensor<4xf16>) dimensions = [1]
        %place = linalg.generic {
            indexing_maps = [#elements, #rows, #rows], iterator_types = ["parallel", "reduction"]}
            ins(%rest, %max : tensor<4x1024xf16>, tensor<4xf16>) outs(%no_place : tensor<4xi32>) {
        ^bb0(%e: f16, %m: f16, %so_far: i32):
          %column = linalg.index 1 : index
          %number = arith.index_cast %column : index to i32
          %is_max = arith.cmpf oeq, %e, %m : f16
          %candidate = arith.select %is_max, %number, %far : i32
          %next = arith.minsi %so_far, %candidate : i32
          linalg.yield %next : i32
        } -> tensor<4xi32>

        %smaller = linalg.generic {
            indexing_maps = [#elements, #rows, #elements],
            iterator_types = ["parallel", "parallel"]}
            ins(%rest, %place : tensor<4x1024xf16>, tensor<4xi32>)
            outs(%none : tensor<4x1024xf16>) {
        ^bb0(%e: f16, %p: i32, %unused: f16):
          %column = linalg.index 1 : index
          %number = arith.index_cast %column : index to i32
          %taken = arith.cmpi eq, %number, %p : i32
          %kept = arith.select %taken, %minus_inf, %e : f16
          linalg.yield %kept : f16
        } -> tensor<4x1024xf16>

        %value_column = tensor.expand_shape %max [[0, 1]] output_shape [4, 1]
            : tensor<4xf16> into tensor<4x1xf16>
        %place_column = tensor.expand_shape %place [[0, 1]] output_shape [4, 1]
            : tensor<4xi32> into tensor<4x1xi32>
        %new_values = tensor.insert_slice %value_column into %old_values[0, %round] [4, 1] [1, 1]
            : tensor<4x1xf16> into tensor<4x8xf16>
        %new_places = tensor.insert_slice %place_column into %old_places[0, %round] [4, 1] [1, 1]
            : tensor<4x1xi32> into tensor<4x8xi32>
        scf.yield %smaller, %new_values, %new_places
            : tensor<4x1024xf16>, tensor<4x8xf16>, tensor<4x8xi32>
      }

      %values_to = ktdp.construct_access_tile %values[%row, %c0] {
        access_tile_set = #few, access_tile_order = #elements
      } : memref<?x8xf16> -> !ktdp.access_tile<4x8xindex>
      %places_to = ktdp.construct_access_tile %places[%row, %c0] {
        access_tile_set = #few, access_tile_order = #elements
      } : memref<?x8xi32> -> !ktdp.access_tile<4x8xindex>
      ktdp.store %found, %values_to : tensor<4x8xf16>, !ktdp.access_tile<4x8xindex>
      ktdp.store %where, %places_to : tensor<4x8xi32>, !ktdp.access_tile<4x8xindex>
    }
    return
  }
}
