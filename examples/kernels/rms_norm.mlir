// RMS normalisation of rows in bf16.
//
//   y[r, c] = x[r, c] / sqrt(mean(x[r, :]^2) + eps) * w[c]
//
// Division: core c takes rows 4c .. 4c+3, then those 128 further on. A tile holds whole rows, of up
// to 4096 columns.
//
// The tail of a row is loaded as zeros, and zero is what a sum of squares wants there: nothing needs
// a mask. The mean divides by the number of columns that exist.
//
// bf16 has the range of f32 and 8 bits of fraction, so squares are summed in f32. The weights are
// loaded once a core, before the loop; each element of x is read once and y written once.
//
// A core holds one tile of 4 x 4096 and the weights in bf16: 40 KiB. f32 exists in registers only.
//
// Shows: bf16, a scalar argument of type f32, a value loaded before a loop and used in it, numbers of
// type index that become floats.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 4095 >= 0)>
#row = affine_set<(d0) : (d0 >= 0, -d0 + 4095 >= 0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#line = affine_map<(d0) -> (d0)>

module {
  func.func @rms_norm(%x_ptr: index, %w_ptr: index, %y_ptr: index, %rows: index, %cols: index,
                      %eps: f32) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %block = arith.constant 4 : index
    %stride = arith.constant 128 : index
    %first = arith.muli %core, %block : index
    %zero = arith.constant 0.0 : f32
    %cols_i64 = arith.index_cast %cols : index to i64
    %count = arith.sitofp %cols_i64 : i64 to f32

    %x = ktdp.construct_memory_view %x_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xbf16>
    %w = ktdp.construct_memory_view %w_ptr, sizes: [%cols], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xbf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xbf16>

    %w_at = ktdp.construct_access_tile %w[%c0] {
      access_tile_set = #row, access_tile_order = #line
    } : memref<?xbf16> -> !ktdp.access_tile<4096xindex>
    %weights = ktdp.load %w_at : !ktdp.access_tile<4096xindex> -> tensor<4096xbf16>

    scf.for %row = %first to %rows step %stride {
      %from = ktdp.construct_access_tile %x[%row, %c0] {
        access_tile_set = #block, access_tile_order = #elements
      } : memref<?x?xbf16> -> !ktdp.access_tile<4x4096xindex>
      %in = ktdp.load %from : !ktdp.access_tile<4x4096xindex> -> tensor<4x4096xbf16>

      %no_sum = tensor.splat %zero : tensor<4xf32>
      %squares = linalg.generic {
          indexing_maps = [#elements, #rows], iterator_types = ["parallel", "reduction"]}
          ins(%in : tensor<4x4096xbf16>) outs(%no_sum : tensor<4xf32>) {
      ^bb0(%e: bf16, %sum: f32):
        %wide = arith.extf %e : bf16 to f32
        %square = arith.mulf %wide, %wide : f32
        %more = arith.addf %sum, %square : f32
        linalg.yield %more : f32
      } -> tensor<4xf32>

      %none = tensor.empty() : tensor<4x4096xbf16>
      %out = linalg.generic {
          indexing_maps = [#elements, #rows, #columns, #elements],
          iterator_types = ["parallel", "parallel"]}
          ins(%in, %squares, %weights : tensor<4x4096xbf16>, tensor<4xf32>, tensor<4096xbf16>)
          outs(%none : tensor<4x4096xbf16>) {
      ^bb0(%e: bf16, %sum: f32, %weight: bf16, %unused: bf16):
        %mean = arith.divf %sum, %count : f32
        %safe = arith.addf %mean, %eps : f32
        %factor = math.rsqrt %safe : f32
        %wide = arith.extf %e : bf16 to f32
        %scaled = arith.mulf %wide, %factor : f32
        %wide_weight = arith.extf %weight : bf16 to f32
        %result = arith.mulf %scaled, %wide_weight : f32
        %narrow = arith.truncf %result : f32 to bf16
        linalg.yield %narrow : bf16
      } -> tensor<4x4096xbf16>

      %to = ktdp.construct_access_tile %y[%row, %c0] {
        access_tile_set = #block, access_tile_order = #elements
      } : memref<?x?xbf16> -> !ktdp.access_tile<4x4096xindex>
      ktdp.store %out, %to : tensor<4x4096xbf16>, !ktdp.access_tile<4x4096xindex>
    }
    return
  }
}
