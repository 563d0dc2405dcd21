// A matrix product divided over all three of its dimensions.
//
//   c[m, n] = sum_k a[m, k] * b[k, n]
//
// Division: the grid is 4 x 2 x 4, for rows, columns and the sum. A round computes 512 x 512 elements of
// c: core (i, j, l) works on the 128 x 256 at row 128i and column 256j, and of the sum it takes the
// slices of 128 whose number is l modulo 4. Large products take several rounds.
//
// Cores are numbered with the first coordinate of the grid fastest, i + 4j + 8l, and work together in
// three kinds of groups:
//
// - Cores (i, 0, l) and (i, 1, l) need the same tile of a: the first one loads it and both consume it.
// - Cores (0..3, j, l) need the same tile of b: the first one loads it and all four consume it. So in a
//   round every element of a and b is read from device memory once.
// - Cores (i, j, 0..3) hold partial sums of the same piece of c. A reduce-scatter adds them and hands each
//   core a quarter of the rows, which that core rounds and stores: the addition, the rounding and the
//   stores are divided by four as well, where a plain reduction would leave three cores waiting.
//
// Splitting the sum pays where c is small and k is long: with rows and columns alone there would be
// work for 8 cores.
//
// Products are f16, sums f32 until the last step. What lies outside the matrices is loaded as zeros,
// which add nothing.
//
// A core holds a tile of a (32 KiB), one of b (64 KiB), and its partial sum twice (256 KiB).
//
// Shows: a grid of rank 3, groups of cores that are not neighbours (sets with `mod` and `floordiv`),
// broadcasts inside a loop whose trip count differs by group, `inter_tile_reduce_scatter` inside loops, an
// accumulator that a loop carries.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#a_tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 127 >= 0)>
#b_tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 255 >= 0)>
#c_tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 255 >= 0)>
#order = affine_map<(d0, d1) -> (d0, d1)>
#a_reader = affine_set<(i)[g] : (i - g mod 4 - 8 * (g floordiv 4) == 0)>
#a_users = affine_set<(i)[g]
    : ((i - g) mod 4 == 0, i - 8 * (g floordiv 4) >= 0, -i + 8 * (g floordiv 4) + 7 >= 0)>
#a_groups = affine_set<(g) : (g >= 0, -g + 15 >= 0)>
#b_reader = affine_set<(i)[g] : (i - 4 * g == 0)>
#b_users = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#same_piece = affine_set<(i)[g] : ((i - g) mod 8 == 0, i >= 0, -i + 31 >= 0)>
#pieces = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

module {
  func.func @matmul_split(%a_ptr: index, %b_ptr: index, %c_ptr: index, %m: index, %n: index,
                          %k: index) attributes {grid = [4, 2, 4]} {
    %i, %j, %l = ktdp.get_compute_tile_id : index, index, index
    %c0 = arith.constant 0 : index
    %round = arith.constant 512 : index
    %rows = arith.constant 128 : index
    %columns = arith.constant 256 : index
    %slice = arith.constant 128 : index
    %quarter = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %zeros = tensor.splat %zero : tensor<128x256xf32>
    %row_offset = arith.muli %i, %rows : index
    %column_offset = arith.muli %j, %columns : index
    %first_slice = arith.muli %l, %slice : index
    %own_rows = arith.muli %l, %quarter : index

    %a = ktdp.construct_memory_view %a_ptr, sizes: [%m, %k], strides: [%k, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %b = ktdp.construct_memory_view %b_ptr, sizes: [%k, %n], strides: [%n, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %c = ktdp.construct_memory_view %c_ptr, sizes: [%m, %n], strides: [%n, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>

    scf.for %row_round = %c0 to %m step %round {
      scf.for %column_round = %c0 to %n step %round {
        %row = arith.addi %row_round, %row_offset : index
        %column = arith.addi %column_round, %column_offset : index
        %partial = scf.for %at = %first_slice to %k step %round
            iter_args(%so_far = %zeros) -> (tensor<128x256xf32>) {
          %a_sent = ktdp.inter_tile_produce producer_tiles_per_group = #a_reader
              -> !ktdp.tile_future<(tensor<128x128xf16>), groups = #a_groups> {
          ^bb0(%group: index):
            %a_at = ktdp.construct_access_tile %a[%row, %at] {
              access_tile_set = #a_tile, access_tile_order = #order
            } : memref<?x?xf16> -> !ktdp.access_tile<128x128xindex>
            %loaded = ktdp.load %a_at : !ktdp.access_tile<128x128xindex> -> tensor<128x128xf16>
            ktdp.yield_partial %loaded : tensor<128x128xf16>
          }
          %left = ktdp.inter_tile_consume(%a_sent) consumer_tiles_per_group = #a_users
              : !ktdp.tile_future<(tensor<128x128xf16>), groups = #a_groups>
              -> tensor<128x128xf16>
          %b_sent = ktdp.inter_tile_produce producer_tiles_per_group = #b_reader
              -> !ktdp.tile_future<(tensor<128x256xf16>), groups = #pieces> {
          ^bb0(%group: index):
            %b_at = ktdp.construct_access_tile %b[%at, %column] {
              access_tile_set = #b_tile, access_tile_order = #order
            } : memref<?x?xf16> -> !ktdp.access_tile<128x256xindex>
            %loaded = ktdp.load %b_at : !ktdp.access_tile<128x256xindex> -> tensor<128x256xf16>
            ktdp.yield_partial %loaded : tensor<128x256xf16>
          }
          %right = ktdp.inter_tile_consume(%b_sent) consumer_tiles_per_group = #b_users
              : !ktdp.tile_future<(tensor<128x256xf16>), groups = #pieces> -> tensor<128x256xf16>
          %more = linalg.matmul ins(%left, %right : tensor<128x128xf16>, tensor<128x256xf16>)
              outs(%so_far : tensor<128x256xf32>) -> tensor<128x256xf32>
          scf.yield %more : tensor<128x256xf32>
        }

        %partials = ktdp.inter_tile_produce producer_tiles_per_group = #same_piece
            -> !ktdp.tile_future<(tensor<128x256xf32>), groups = #pieces> {
        ^bb0(%piece: index):
          ktdp.yield_partial %partial : tensor<128x256xf32>
        }
        %sum = ktdp.inter_tile_reduce_scatter(%partials)
            consumer_tiles_per_group = #same_piece, scatter_dimensions = [0],
            identity(%zeros : tensor<128x256xf32>)
            : !ktdp.tile_future<(tensor<128x256xf32>), groups = #pieces> -> tensor<32x256xf32> {
        ^bb0(%one: tensor<128x256xf32>, %other: tensor<128x256xf32>):
          %both = arith.addf %one, %other : tensor<128x256xf32>
          ktdp.yield_reduced %both : tensor<128x256xf32>
        }

        %result = arith.truncf %sum : tensor<32x256xf32> to tensor<32x256xf16>
        %own_row = arith.addi %row, %own_rows : index
        %c_at = ktdp.construct_access_tile %c[%own_row, %column] {
          access_tile_set = #c_tile, access_tile_order = #order
        } : memref<?x?xf16> -> !ktdp.access_tile<32x256xindex>
        ktdp.store %result, %c_at : tensor<32x256xf16>, !ktdp.access_tile<32x256xindex>
      }
    }
    return
  }
}
