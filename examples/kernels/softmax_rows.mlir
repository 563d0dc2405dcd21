// Softmax over the rows of a matrix of any size.
//
//   y[r, :] = exp(x[r, :] - max(x[r, :])) / sum(exp(x[r, :] - max(x[r, :])))
//
// x and y are f16, row-major and dense; rows and columns are arguments.
//
// Division: the 32 cores take blocks of 4 rows in turn: core c takes rows 4c .. 4c+3, then those 128
// further on, and so on. The last block of a core may reach past the last row.
//
// The kernel shows what a tail is and how a kernel lives with it:
//
// - A tile is 4 x 1024, whatever the number of columns (which may not exceed 1024). The views have
//   the matrix's own sizes, so coordinates of the tile that lie outside the matrix are masked: the
//   load yields zero there and the store writes nothing.
// - Zero is the wrong value for a maximum, and exp(0) is the wrong value for a sum. So the columns
//   that do not exist are left out of both: the bodies compare their column with %cols.
// - Maximum, exp and sum are computed in f32; only loads and stores are f16.
//
// Each element is read once and written once. A core holds one tile in f32 and one in f16.
//
// Shows: views of dynamic sizes with a set of two symbols, `linalg.index` and a value from outside in
// the body of a `linalg.generic`, the memory spaces of the RFC.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 1023 >= 0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

module {
  func.func @softmax_rows(%x_ptr: index, %y_ptr: index, %rows: index, %cols: index)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %block = arith.constant 4 : index
    %stride = arith.constant 128 : index
    %first = arith.muli %core, %block : index
    %minus_inf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32

    %x = ktdp.construct_memory_view %x_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.spyre_memory_space<HBM>
    } : memref<?x?xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.spyre_memory_space<HBM>
    } : memref<?x?xf16>

    scf.for %row = %first to %rows step %stride {
      %from = ktdp.construct_access_tile %x[%row, %c0] {
        access_tile_set = #block, access_tile_order = #elements
      } : memref<?x?xf16> -> !ktdp.access_tile<4x1024xindex>
      %in = ktdp.load %from : !ktdp.access_tile<4x1024xindex> -> tensor<4x1024xf16>

      // The largest element of each row, of the columns that exist.
      %no_max = tensor.splat %minus_inf : tensor<4xf32>
      %max = linalg.generic {
          indexing_maps = [#elements, #rows], iterator_types = ["parallel", "reduction"]}
          ins(%in : tensor<4x1024xf16>) outs(%no_max : tensor<4xf32>) {
      ^bb0(%e: f16, %so_far: f32):
        %wide = arith.extf %e : f16 to f32
        %larger = arith.maximumf %so_far, %wide : f32
        %column = linalg.index 1 : index
        %exists = arith.cmpi slt, %column, %cols : index
        %next = arith.select %exists, %larger, %so_far : f32
        linalg.yield %next : f32
      } -> tensor<4xf32>

      %no_exp = tensor.empty() : tensor<4x1024xf32>
      %exp = linalg.generic {
          indexing_maps = [#elements, #rows, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%in, %max : tensor<4x1024xf16>, tensor<4xf32>) outs(%no_exp : tensor<4x1024xf32>) {
      ^bb0(%e: f16, %m: f32, %unused: f32):
        %wide = arith.extf %e : f16 to f32
        %shifted = arith.subf %wide, %m : f32
        %power = math.exp %shifted : f32
        linalg.yield %power : f32
      } -> tensor<4x1024xf32>

      %no_sum = tensor.splat %zero : tensor<4xf32>
      %sum = linalg.generic {
          indexing_maps = [#elements, #rows], iterator_types = ["parallel", "reduction"]}
          ins(%exp : tensor<4x1024xf32>) outs(%no_sum : tensor<4xf32>) {
      ^bb0(%e: f32, %so_far: f32):
        %more = arith.addf %so_far, %e : f32
        %column = linalg.index 1 : index
        %exists = arith.cmpi slt, %column, %cols : index
        %next = arith.select %exists, %more, %so_far : f32
        linalg.yield %next : f32
      } -> tensor<4xf32>

      %no_out = tensor.empty() : tensor<4x1024xf16>
      %out = linalg.generic {
          indexing_maps = [#elements, #rows, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%exp, %sum : tensor<4x1024xf32>, tensor<4xf32>) outs(%no_out : tensor<4x1024xf16>) {
      ^bb0(%e: f32, %s: f32, %unused: f16):
        %part = arith.divf %e, %s : f32
        %narrow = arith.truncf %part : f32 to f16
        linalg.yield %narrow : f16
      } -> tensor<4x1024xf16>

      %to = ktdp.construct_access_tile %y[%row, %c0] {
        access_tile_set = #block, access_tile_order = #elements
      } : memref<?x?xf16> -> !ktdp.access_tile<4x1024xindex>
      ktdp.store %out, %to : tensor<4x1024xf16>, !ktdp.access_tile<4x1024xindex>
    }
    return
  }
}
