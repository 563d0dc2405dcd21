// Softmax over rows that are wider than the scratchpad.
//
//   y[r, :] = exp(x[r, :] - max(x[r, :])) / sum(exp(x[r, :] - max(x[r, :])))
//
// A row of a million f16 numbers takes 2 MB; a core's scratchpad has less. So a row passes through
// scratchpads twice, in tiles of 4096 columns:
//
// 1. The online pass keeps, a row, the largest element m so far and the sum s of exp(x - m) so far.
//    A new tile may raise m to n; then what was summed counts exp(m - n) times as much:
//      s := s * exp(m - n) + sum(exp(x - n))
// 2. The second pass reads the row again and writes exp(x - m) / s.
//
// Two passes read each element twice and write it once, which is the least for a row that does not
// fit. (Maximum, sum and division each in a pass of their own would read it three times.)
//
// Division: columns. All 32 cores work on the same 4 rows; core c takes the tiles whose number is c modulo
// 32. After the first pass each core knows m and s of its own columns. Two such states combine as a state
// and a tile do, which is associative and commutative: a reduction over all cores gives every core m and s
// of the whole row. Where rows are many and short, give cores rows of their own, as `softmax_rows` does.
//
// The state of no column is the lowest finite f32 and 0, not minus infinity: so exp(m - m) is 1, and a
// core that has no columns contributes nothing.
//
// The tail of a row is loaded as zeros, which is neither what a maximum nor what a sum of powers may
// see. One op turns it into the lowest f32 and the rest into f32; everything behind it needs no mask.
//
// A core holds two tiles of 4 x 4096 in f32 at most: 128 KiB.
//
// Shows: `inter_tile_reduce` in which all cores produce and all consume; two loops one after the other, the
// first with tensors as loop-carried values; ops by name: `linalg.reduce`, `linalg.broadcast`,
// `linalg.exp`, `linalg.sub`, `linalg.mul`.

#matrix = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 4095 >= 0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_set<(i)[g] : (i >= 0, -i + 31 >= 0)>
#one_group = affine_set<(g) : (g == 0)>

module {
  func.func @softmax_wide(%x_ptr: index, %y_ptr: index, %rows: index, %cols: index)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %rows_a_block = arith.constant 4 : index
    %width = arith.constant 4096 : index
    %stride = arith.constant 131072 : index
    %first = arith.muli %core, %width : index
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF7FFFFF : f32
    %no_max = tensor.splat %lowest : tensor<4xf32>
    %no_sum = tensor.splat %zero : tensor<4xf32>

    %x = ktdp.construct_memory_view %x_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>

    scf.for %row = %c0 to %rows step %rows_a_block {
      %own_max, %own_sum = scf.for %col = %first to %cols step %stride
          iter_args(%old_max = %no_max, %old_sum = %no_sum) -> (tensor<4xf32>, tensor<4xf32>) {
        %from = ktdp.construct_access_tile %x[%row, %col] {
          access_tile_set = #block, access_tile_order = #elements
        } : memref<?x?xf16> -> !ktdp.access_tile<4x4096xindex>
        %in = ktdp.load %from : !ktdp.access_tile<4x4096xindex> -> tensor<4x4096xf16>

        // f32, the lowest there is in columns that do not exist.
        %left = arith.subi %cols, %col : index
        %none = tensor.empty() : tensor<4x4096xf32>
        %wide = linalg.generic {
            indexing_maps = [#elements, #elements], iterator_types = ["parallel", "parallel"]}
            ins(%in : tensor<4x4096xf16>) outs(%none : tensor<4x4096xf32>) {
        ^bb0(%e: f16, %unused: f32):
          %number = arith.extf %e : f16 to f32
          %column = linalg.index 1 : index
          %exists = arith.cmpi slt, %column, %left : index
          %kept = arith.select %exists, %number, %lowest : f32
          linalg.yield %kept : f32
        } -> tensor<4x4096xf32>

        %new_max = linalg.reduce { arith.maximumf }
            ins(%wide : tensor<4x4096xf32>) outs(%old_max : tensor<4xf32>) dimensions = [1]

        // What is summed so far, as seen from the new maximum.
        %few = tensor.empty() : tensor<4xf32>
        %fall = linalg.sub ins(%old_max, %new_max : tensor<4xf32>, tensor<4xf32>)
            outs(%few : tensor<4xf32>) -> tensor<4xf32>
        %factor = linalg.exp ins(%fall : tensor<4xf32>) outs(%few : tensor<4xf32>) -> tensor<4xf32>
        %kept_sum = linalg.mul ins(%old_sum, %factor : tensor<4xf32>, tensor<4xf32>)
            outs(%few : tensor<4xf32>) -> tensor<4xf32>

        %max_everywhere = linalg.broadcast ins(%new_max : tensor<4xf32>)
            outs(%none : tensor<4x4096xf32>) dimensions = [1]
        %shifted = linalg.sub ins(%wide, %max_everywhere : tensor<4x4096xf32>, tensor<4x4096xf32>)
            outs(%none : tensor<4x4096xf32>) -> tensor<4x4096xf32>
        %power = linalg.exp ins(%shifted : tensor<4x4096xf32>)
            outs(%none : tensor<4x4096xf32>) -> tensor<4x4096xf32>
        %new_sum = linalg.reduce { arith.addf }
            ins(%power : tensor<4x4096xf32>) outs(%kept_sum : tensor<4xf32>) dimensions = [1]
        scf.yield %new_max, %new_sum : tensor<4xf32>, tensor<4xf32>
      }

      %states = ktdp.inter_tile_produce producer_tiles_per_group = #all
          -> !ktdp.tile_future<(tensor<4xf32>, tensor<4xf32>), groups = #one_group> {
      ^bb0(%group: index):
        ktdp.yield_partial %own_max, %own_sum : tensor<4xf32>, tensor<4xf32>
      }
      %max, %sum = ktdp.inter_tile_reduce(%states) consumer_tiles_per_group = #all,
          identity(%no_max, %no_sum : tensor<4xf32>, tensor<4xf32>)
          : !ktdp.tile_future<(tensor<4xf32>, tensor<4xf32>), groups = #one_group>
          -> tensor<4xf32>, tensor<4xf32> {
      ^bb0(%m1: tensor<4xf32>, %s1: tensor<4xf32>, %m2: tensor<4xf32>, %s2: tensor<4xf32>):
        %m = arith.maximumf %m1, %m2 : tensor<4xf32>
        %fall1 = arith.subf %m1, %m : tensor<4xf32>
        %fall2 = arith.subf %m2, %m : tensor<4xf32>
        %factor1 = math.exp %fall1 : tensor<4xf32>
        %factor2 = math.exp %fall2 : tensor<4xf32>
        %part1 = arith.mulf %s1, %factor1 : tensor<4xf32>
        %part2 = arith.mulf %s2, %factor2 : tensor<4xf32>
        %both = arith.addf %part1, %part2 : tensor<4xf32>
        ktdp.yield_reduced %m, %both : tensor<4xf32>, tensor<4xf32>
      }

      scf.for %col = %first to %cols step %stride {
        %from = ktdp.construct_access_tile %x[%row, %col] {
          access_tile_set = #block, access_tile_order = #elements
        } : memref<?x?xf16> -> !ktdp.access_tile<4x4096xindex>
        %in = ktdp.load %from : !ktdp.access_tile<4x4096xindex> -> tensor<4x4096xf16>
        %none = tensor.empty() : tensor<4x4096xf16>
        %out = linalg.generic {
            indexing_maps = [#elements, #rows, #rows, #elements],
            iterator_types = ["parallel", "parallel"]}
            ins(%in, %max, %sum : tensor<4x4096xf16>, tensor<4xf32>, tensor<4xf32>)
            outs(%none : tensor<4x4096xf16>) {
        ^bb0(%e: f16, %m: f32, %s: f32, %unused: f16):
          %number = arith.extf %e : f16 to f32
          %shifted = arith.subf %number, %m : f32
          %power = math.exp %shifted : f32
          %part = arith.divf %power, %s : f32
          %narrow = arith.truncf %part : f32 to f16
          linalg.yield %narrow : f16
        } -> tensor<4x4096xf16>
        %to = ktdp.construct_access_tile %y[%row, %col] {
          access_tile_set = #block, access_tile_order = #elements
        } : memref<?x?xf16> -> !ktdp.access_tile<4x4096xindex>
        ktdp.store %out, %to : tensor<4x4096xf16>, !ktdp.access_tile<4x4096xindex>
      }
    }
    return
  }
}
