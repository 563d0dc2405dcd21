// Layer normalisation of rows.
//
//   y[r, c] = (x[r, c] - mean) / sqrt(variance + eps) * w[c] + b[c]
//
// with mean and variance over the columns of row r, the variance without Bessel's correction.
//
// Division: core c takes rows 4c .. 4c+3, then those 128 further on. A tile holds whole rows, of up
// to 2048 columns.
//
// The variance is that of deviations from the mean, summed in a second pass over the tile, not the
// difference of the mean square and the squared mean, which loses all digits where the mean is large.
// The row is in the scratchpad, so the second pass reads no memory.
//
// The tail of a row is loaded as zeros. They add nothing to the sum; but their deviation is -mean, so
// one select keeps them out of the variance.
//
// Each element of x is read once and y written once; weights and offsets are loaded once a core.
//
// Shows: ops of linalg by name (`reduce`, `broadcast`, `sub`, `mul`, `map`) beside `generic`, scalars
// that a region takes from outside.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 2047 >= 0)>
#row = affine_set<(d0) : (d0 >= 0, -d0 + 2047 >= 0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#line = affine_map<(d0) -> (d0)>

module {
  func.func @layer_norm(%x_ptr: index, %w_ptr: index, %b_ptr: index, %y_ptr: index, %rows: index,
                        %cols: index, %eps: f32) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %block = arith.constant 4 : index
    %stride = arith.constant 128 : index
    %first = arith.muli %core, %block : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %cols_i32 = arith.index_cast %cols : index to i32
    %count = arith.uitofp %cols_i32 : i32 to f32
    %share = arith.divf %one, %count : f32
    %no_sum = tensor.splat %zero : tensor<4xf32>

    %x = ktdp.construct_memory_view %x_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %w = ktdp.construct_memory_view %w_ptr, sizes: [%cols], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xf16>
    %b = ktdp.construct_memory_view %b_ptr, sizes: [%cols], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>

    %w_at = ktdp.construct_access_tile %w[%c0] {
      access_tile_set = #row, access_tile_order = #line
    } : memref<?xf16> -> !ktdp.access_tile<2048xindex>
    %weights = ktdp.load %w_at : !ktdp.access_tile<2048xindex> -> tensor<2048xf16>
    %b_at = ktdp.construct_access_tile %b[%c0] {
      access_tile_set = #row, access_tile_order = #line
    } : memref<?xf16> -> !ktdp.access_tile<2048xindex>
    %offsets = ktdp.load %b_at : !ktdp.access_tile<2048xindex> -> tensor<2048xf16>

    scf.for %row = %first to %rows step %stride {
      %from = ktdp.construct_access_tile %x[%row, %c0] {
        access_tile_set = #block, access_tile_order = #elements
      } : memref<?x?xf16> -> !ktdp.access_tile<4x2048xindex>
      %in = ktdp.load %from : !ktdp.access_tile<4x2048xindex> -> tensor<4x2048xf16>

      %none = tensor.empty() : tensor<4x2048xf32>
      %wide = linalg.map { arith.extf } ins(%in : tensor<4x2048xf16>) outs(%none : tensor<4x2048xf32>)
      %sum = linalg.reduce { arith.addf }
          ins(%wide : tensor<4x2048xf32>) outs(%no_sum : tensor<4xf32>) dimensions = [1]
      %few = tensor.empty() : tensor<4xf32>
      %mean = linalg.map ins(%sum : tensor<4xf32>) outs(%few : tensor<4xf32>)
          (%s: f32, %unused: f32) {
            %part = arith.mulf %s, %share : f32
            linalg.yield %part : f32
          }
      %mean_everywhere = linalg.broadcast ins(%mean : tensor<4xf32>)
          outs(%none : tensor<4x2048xf32>) dimensions = [1]
      %all_off = linalg.sub ins(%wide, %mean_everywhere : tensor<4x2048xf32>, tensor<4x2048xf32>)
          outs(%none : tensor<4x2048xf32>) -> tensor<4x2048xf32>

      // Columns that do not exist deviate by nothing.
      %off = linalg.generic {
          indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%all_off : tensor<4x2048xf32>) outs(%none : tensor<4x2048xf32>) {
      ^bb0(%d: f32, %unused: f32):
        %column = linalg.index 1 : index
        %exists = arith.cmpi ult, %column, %cols : index
        %kept = arith.select %exists, %d, %zero : f32
        linalg.yield %kept : f32
      } -> tensor<4x2048xf32>

      %squares = linalg.mul ins(%off, %off : tensor<4x2048xf32>, tensor<4x2048xf32>)
          outs(%none : tensor<4x2048xf32>) -> tensor<4x2048xf32>
      %square_sum = linalg.reduce { arith.addf }
          ins(%squares : tensor<4x2048xf32>) outs(%no_sum : tensor<4xf32>) dimensions = [1]
      %factor = linalg.map ins(%square_sum : tensor<4xf32>) outs(%few : tensor<4xf32>)
          (%s: f32, %unused: f32) {
            %variance = arith.mulf %s, %share : f32
            %safe = arith.addf %variance, %eps : f32
            %root = math.sqrt %safe : f32
            %inverse = arith.divf %one, %root : f32
            linalg.yield %inverse : f32
          }

      %no_out = tensor.empty() : tensor<4x2048xf16>
      %out = linalg.generic {
          indexing_maps = [#elements, #rows, #columns, #columns, #elements],
          iterator_types = ["parallel", "parallel"]}
          ins(%off, %factor, %weights, %offsets
              : tensor<4x2048xf32>, tensor<4xf32>, tensor<2048xf16>, tensor<2048xf16>)
          outs(%no_out : tensor<4x2048xf16>) {
      ^bb0(%d: f32, %f: f32, %weight: f16, %offset: f16, %unused: f16):
        %normal = arith.mulf %d, %f : f32
        %wide_weight = arith.extf %weight : f16 to f32
        %wide_offset = arith.extf %offset : f16 to f32
        %result = math.fma %normal, %wide_weight, %wide_offset : f32
        %narrow = arith.truncf %result : f32 to f16
        linalg.yield %narrow : f16
      } -> tensor<4x2048xf16>

      %to = ktdp.construct_access_tile %y[%row, %c0] {
        access_tile_set = #block, access_tile_order = #elements
      } : memref<?x?xf16> -> !ktdp.access_tile<4x2048xindex>
      ktdp.store %out, %to : tensor<4x2048xf16>, !ktdp.access_tile<4x2048xindex>
    }
    return
  }
}
