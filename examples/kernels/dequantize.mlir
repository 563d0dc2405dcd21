// Weights stored as 8-bit integers, back to f16.
//
//   y[r, c] = (w[r, c] - zero[r]) * scale[r]
//
// Division: 8 groups of 4 cores. Group g takes the blocks of 64 rows whose number is g modulo 8, each core
// of it 16 of the rows, 1024 columns at a time.
//
// 16 scales are 32 bytes and 16 zeros are 16: less than the 128 bytes of a stick that a transfer moves. So
// the first core of a group loads the scales and zeros of all 64 rows, one stick of each, and scatters
// them: every core of the group gets its 16 without touching device memory.
//
// Integers are subtracted as integers, so the difference is exact; it has at most 9 bits, which f16 holds.
//
// Each byte is read once and written once.
//
// Shows: `inter_tile_scatter` with two roles, consumers that do not produce, i8 in memory, sign extension
// and conversion of integers to floats.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 1023 >= 0)>
#all_rows = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#line = affine_map<(d0) -> (d0)>
#first_of_group = affine_set<(i)[g] : (i - 4 * g == 0)>
#group = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

module {
  func.func @dequantize(%w_ptr: index, %scale_ptr: index, %zero_ptr: index, %y_ptr: index,
                        %rows: index, %cols: index) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %block_rows = arith.constant 64 : index
    %core_rows = arith.constant 16 : index
    %stride = arith.constant 512 : index
    %width = arith.constant 1024 : index
    %number = arith.divui %core, %c4 : index
    %member = arith.remui %core, %c4 : index
    %first = arith.muli %number, %block_rows : index
    %own = arith.muli %member, %core_rows : index

    %w = ktdp.construct_memory_view %w_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xi8>
    %scales = ktdp.construct_memory_view %scale_ptr, sizes: [%rows], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xf16>
    %zeros = ktdp.construct_memory_view %zero_ptr, sizes: [%rows], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xi8>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>

    scf.for %block = %first to %rows step %stride {
      %sent = ktdp.inter_tile_produce producer_tiles_per_group = #first_of_group
          -> !ktdp.tile_future<(tensor<64xf16>, tensor<64xi8>), groups = #groups> {
      ^bb0(%group: index):
        %scales_at = ktdp.construct_access_tile %scales[%block] {
          access_tile_set = #all_rows, access_tile_order = #line
        } : memref<?xf16> -> !ktdp.access_tile<64xindex>
        %zeros_at = ktdp.construct_access_tile %zeros[%block] {
          access_tile_set = #all_rows, access_tile_order = #line
        } : memref<?xi8> -> !ktdp.access_tile<64xindex>
        %all_scales = ktdp.load %scales_at : !ktdp.access_tile<64xindex> -> tensor<64xf16>
        %all_zeros = ktdp.load %zeros_at : !ktdp.access_tile<64xindex> -> tensor<64xi8>
        ktdp.yield_partial %all_scales, %all_zeros : tensor<64xf16>, tensor<64xi8>
      }
      %scale, %zero = ktdp.inter_tile_scatter(%sent)
          consumer_tiles_per_group = #group, scatter_dimensions = [0]
          : !ktdp.tile_future<(tensor<64xf16>, tensor<64xi8>), groups = #groups>
          -> tensor<16xf16>, tensor<16xi8>

      %row = arith.addi %block, %own : index
      scf.for %column = %c0 to %cols step %width {
        %w_at = ktdp.construct_access_tile %w[%row, %column] {
          access_tile_set = #block, access_tile_order = #elements
        } : memref<?x?xi8> -> !ktdp.access_tile<16x1024xindex>
        %weights = ktdp.load %w_at : !ktdp.access_tile<16x1024xindex> -> tensor<16x1024xi8>
        %none = tensor.empty() : tensor<16x1024xf16>
        %out = linalg.generic {
            indexing_maps = [#elements, #rows, #rows, #elements],
            iterator_types = ["parallel", "parallel"]}
            ins(%weights, %zero, %scale : tensor<16x1024xi8>, tensor<16xi8>, tensor<16xf16>)
            outs(%none : tensor<16x1024xf16>) {
        ^bb0(%e: i8, %z: i8, %s: f16, %unused: f16):
          %wide_e = arith.extsi %e : i8 to i16
          %wide_z = arith.extsi %z : i8 to i16
          %difference = arith.subi %wide_e, %wide_z : i16
          %number_f16 = arith.sitofp %difference : i16 to f16
          %value = arith.mulf %number_f16, %s : f16
          linalg.yield %value : f16
        } -> tensor<16x1024xf16>
        %y_at = ktdp.construct_access_tile %y[%row, %column] {
          access_tile_set = #block, access_tile_order = #elements
        } : memref<?x?xf16> -> !ktdp.access_tile<16x1024xindex>
        ktdp.store %out, %y_at : tensor<16x1024xf16>, !ktdp.access_tile<16x1024xindex>
      }
    }
    return
  }
}
