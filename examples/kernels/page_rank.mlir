// The importance of pages from who links to whom: a power iteration until nothing changes any more.
//
//   x := d * a * x + (1 - d) / n     until the sum of |change| is at most tolerance, or `most` rounds
//
// a[i, j] is the share of page j's links that lead to page i; columns sum to 1. It starts from x = 1 / n.
//
// Division: core c holds rows 16c .. 16c+15 of a, up to 512 pages in all. It loads them once, 32 KiB, and
// keeps them for all rounds: a round moves nothing between device memory and scratchpads.
//
// In a round each core computes its 16 elements of x and gathers those of all others, so every core knows
// all of x. Each computes the change for itself: the same numbers in the same order on all cores, so they
// decide alike whether to go on. That matters: a core that left the loop early would leave the others
// waiting for its elements.
//
// Pages past n have rows of zeros and get no share of (1 - d) / n, so their elements stay 0.
//
// Shows: `scf.while` that carries a tensor and two scalars, its condition computed from a tensor;
// `inter_tile_gather` in its body; a view in which a core's rows are a tile of static size; a branch by
// core with several stores.

#square = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#number = affine_set<(d0) : (d0 == 0)>
#strip = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 511 >= 0)>
#whole = affine_set<(d0) : (d0 >= 0, -d0 + 511 >= 0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#line = affine_map<(d0) -> (d0)>
#point = affine_map<(d0) -> ()>
#all = affine_set<(i)[g] : (i >= 0, -i + 31 >= 0)>
#one_group = affine_set<(g) : (g == 0)>

module {
  func.func @page_rank(%a_ptr: index, %x_ptr: index, %rounds_ptr: index, %n: index, %damping: f32,
                       %tolerance: f32, %most: i32) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %strip = arith.constant 16 : index
    %first = arith.muli %core, %strip : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %infinity = arith.constant 0x7F800000 : f32
    %no_rounds = arith.constant 0 : i32
    %one_round = arith.constant 1 : i32
    %n_i64 = arith.index_cast %n : index to i64
    %count = arith.sitofp %n_i64 : i64 to f32
    %share = arith.divf %one, %count : f32
    %left_over = arith.subf %one, %damping : f32
    %jump = arith.mulf %left_over, %share : f32

    %a = ktdp.construct_memory_view %a_ptr, sizes: [%n, %n], strides: [%n, 1] {
      coordinate_set = #square, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf32>
    %x = ktdp.construct_memory_view %x_ptr, sizes: [%n], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xf32>
    %rounds = ktdp.construct_memory_view %rounds_ptr, sizes: [1], strides: [1] {
      coordinate_set = #number, memory_space = #ktdp.memory_space<global>
    } : memref<1xi32>
    %a_at = ktdp.construct_access_tile %a[%first, %c0] {
      access_tile_set = #strip, access_tile_order = #elements
    } : memref<?x?xf32> -> !ktdp.access_tile<16x512xindex>
    %own = ktdp.load %a_at : !ktdp.access_tile<16x512xindex> -> tensor<16x512xf32>

    %none = tensor.empty() : tensor<512xf32>
    %start = linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]}
        outs(%none : tensor<512xf32>) {
    ^bb0(%unused: f32):
      %page = linalg.index 0 : index
      %exists = arith.cmpi slt, %page, %n : index
      %value = arith.select %exists, %share, %zero : f32
      linalg.yield %value : f32
    } -> tensor<512xf32>

    %end:3 = scf.while (%now = %start, %change = %infinity, %done = %no_rounds)
        : (tensor<512xf32>, f32, i32) -> (tensor<512xf32>, f32, i32) {
      %moves = arith.cmpf ogt, %change, %tolerance : f32
      %allowed = arith.cmpi slt, %done, %most : i32
      %goes_on = arith.andi %moves, %allowed : i1
      scf.condition(%goes_on) %now, %change, %done : tensor<512xf32>, f32, i32
    } do {
    ^bb0(%before: tensor<512xf32>, %last_change: f32, %so_many: i32):
      %no_sum = tensor.splat %zero : tensor<16xf32>
      %sums = linalg.generic {
          indexing_maps = [#elements, #columns, #rows], iterator_types = ["parallel", "reduction"]}
          ins(%own, %before : tensor<16x512xf32>, tensor<512xf32>) outs(%no_sum : tensor<16xf32>) {
      ^bb0(%e: f32, %f: f32, %so_far: f32):
        %product = arith.mulf %e, %f : f32
        %more = arith.addf %so_far, %product : f32
        linalg.yield %more : f32
      } -> tensor<16xf32>
      %few = tensor.empty() : tensor<16xf32>
      %next_own = linalg.generic {
          indexing_maps = [#line, #line], iterator_types = ["parallel"]}
          ins(%sums : tensor<16xf32>) outs(%few : tensor<16xf32>) {
      ^bb0(%s: f32, %unused: f32):
        %row = linalg.index 0 : index
        %page = arith.addi %row, %first : index
        %exists = arith.cmpi slt, %page, %n : index
        %damped = arith.mulf %s, %damping : f32
        %value = arith.addf %damped, %jump : f32
        %kept = arith.select %exists, %value, %zero : f32
        linalg.yield %kept : f32
      } -> tensor<16xf32>

      %sent = ktdp.inter_tile_produce producer_tiles_per_group = #all
          -> !ktdp.tile_future<(tensor<16xf32>), groups = #one_group> {
      ^bb0(%group: index):
        ktdp.yield_partial %next_own : tensor<16xf32>
      }
      %next = ktdp.inter_tile_gather(%sent)
          consumer_tiles_per_group = #all, gather_dimensions = [0]
          : !ktdp.tile_future<(tensor<16xf32>), groups = #one_group> -> tensor<512xf32>

      %no_change = tensor.splat %zero : tensor<f32>
      %difference = linalg.generic {
          indexing_maps = [#line, #line, #point], iterator_types = ["reduction"]}
          ins(%next, %before : tensor<512xf32>, tensor<512xf32>) outs(%no_change : tensor<f32>) {
      ^bb0(%e: f32, %f: f32, %so_far: f32):
        %moved = arith.subf %e, %f : f32
        %distance = math.absf %moved : f32
        %more = arith.addf %so_far, %distance : f32
        linalg.yield %more : f32
      } -> tensor<f32>
      %new_change = tensor.extract %difference[] : tensor<f32>
      %one_more = arith.addi %so_many, %one_round : i32
      scf.yield %next, %new_change, %one_more : tensor<512xf32>, f32, i32
    }

    %is_first = arith.cmpi eq, %core, %c0 : index
    scf.if %is_first {
      %x_at = ktdp.construct_access_tile %x[%c0] {
        access_tile_set = #whole, access_tile_order = #line
      } : memref<?xf32> -> !ktdp.access_tile<512xindex>
      ktdp.store %end#0, %x_at : tensor<512xf32>, !ktdp.access_tile<512xindex>
      %number = tensor.from_elements %end#2 : tensor<1xi32>
      %rounds_at = ktdp.construct_access_tile %rounds[%c0] {
        access_tile_set = #number, access_tile_order = #line
      } : memref<1xi32> -> !ktdp.access_tile<1xindex>
      ktdp.store %number, %rounds_at : tensor<1xi32>, !ktdp.access_tile<1xindex>
    }
    return
  }
}
