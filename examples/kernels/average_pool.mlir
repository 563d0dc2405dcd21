// The mean of every 2 x 2 square of an image.
//
//   y[c, i, j] = (x[c, 2i, 2j] + x[c, 2i, 2j + 1] + x[c, 2i + 1, 2j] + x[c, 2i + 1, 2j + 1]) / 4
//
// Division: core c takes channel c, then c + 32, and so on, 16 rows of the result at a time.
//
// Even and odd rows are two tiles of one view: the same set, every second row, at bases one apart. Rows
// are contiguous, so whole sticks are read and each once. Columns are not taken apart like that, for
// even and odd ones would read the same sticks twice; they are slices of the tile in the scratchpad,
// every second column each.
//
// Images are up to 512 columns wide, with an even number of rows and columns.
//
// Shows: sets with `mod` (strided tiles), bases that are affine expressions of loop variables,
// `tensor.extract_slice` with strides, `linalg.map` with a region of its own.

#image = affine_set<(d0, d1, d2)[s0, s1, s2]
    : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0, d2 >= 0, -d2 + s2 - 1 >= 0)>
#every_second = affine_set<(d0, d1, d2)
    : (d0 == 0, d1 >= 0, -d1 + 30 >= 0, d1 mod 2 == 0, d2 >= 0, -d2 + 511 >= 0)>
#result = affine_set<(d0, d1, d2) : (d0 == 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 255 >= 0)>
#order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

module {
  func.func @average_pool(%x_ptr: index, %y_ptr: index, %channels: index, %rows: index,
                          %cols: index) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %cores = arith.constant 32 : index
    %block = arith.constant 16 : index
    %quarter = arith.constant 0.25 : f32
    %image = arith.muli %rows, %cols : index
    %half_rows = arith.divui %rows, %c2 : index
    %half_cols = arith.divui %cols, %c2 : index
    %half_image = arith.muli %half_rows, %half_cols : index
    %x = ktdp.construct_memory_view %x_ptr,
        sizes: [%channels, %rows, %cols], strides: [%image, %cols, 1] {
      coordinate_set = #image, memory_space = #ktdp.memory_space<global>
    } : memref<?x?x?xf16>
    %y = ktdp.construct_memory_view %y_ptr,
        sizes: [%channels, %half_rows, %half_cols], strides: [%half_image, %half_cols, 1] {
      coordinate_set = #image, memory_space = #ktdp.memory_space<global>
    } : memref<?x?x?xf16>

    scf.for %channel = %core to %channels step %cores {
      scf.for %row = %c0 to %half_rows step %block {
        %even_at = ktdp.construct_access_tile %x[%channel, 2 * %row, 0] {
          access_tile_set = #every_second, access_tile_order = #order
        } : memref<?x?x?xf16> -> !ktdp.access_tile<1x16x512xindex>
        %odd_at = ktdp.construct_access_tile %x[%channel, 2 * %row + 1, 0] {
          access_tile_set = #every_second, access_tile_order = #order
        } : memref<?x?x?xf16> -> !ktdp.access_tile<1x16x512xindex>
        %even = ktdp.load %even_at : !ktdp.access_tile<1x16x512xindex> -> tensor<1x16x512xf16>
        %odd = ktdp.load %odd_at : !ktdp.access_tile<1x16x512xindex> -> tensor<1x16x512xf16>

        %none = tensor.empty() : tensor<1x16x512xf32>
        %sum = linalg.map ins(%even, %odd : tensor<1x16x512xf16>, tensor<1x16x512xf16>)
            outs(%none : tensor<1x16x512xf32>) (%a: f16, %b: f16, %unused: f32) {
              %wide_a = arith.extf %a : f16 to f32
              %wide_b = arith.extf %b : f16 to f32
              %both = arith.addf %wide_a, %wide_b : f32
              linalg.yield %both : f32
            }
        %left = tensor.extract_slice %sum[0, 0, 0] [1, 16, 256] [1, 1, 2]
            : tensor<1x16x512xf32> to tensor<1x16x256xf32>
        %right = tensor.extract_slice %sum[0, 0, 1] [1, 16, 256] [1, 1, 2]
            : tensor<1x16x512xf32> to tensor<1x16x256xf32>
        %no_mean = tensor.empty() : tensor<1x16x256xf16>
        %mean = linalg.map ins(%left, %right : tensor<1x16x256xf32>, tensor<1x16x256xf32>)
            outs(%no_mean : tensor<1x16x256xf16>) (%a: f32, %b: f32, %unused: f16) {
              %four = arith.addf %a, %b : f32
              %part = arith.mulf %four, %quarter : f32
              %narrow = arith.truncf %part : f32 to f16
              linalg.yield %narrow : f16
            }
        %to = ktdp.construct_access_tile %y[%channel, %row, %c0] {
          access_tile_set = #result, access_tile_order = #order
        } : memref<?x?x?xf16> -> !ktdp.access_tile<1x16x256xindex>
        ktdp.store %mean, %to : tensor<1x16x256xf16>, !ktdp.access_tile<1x16x256xindex>
      }
    }
    return
  }
}
