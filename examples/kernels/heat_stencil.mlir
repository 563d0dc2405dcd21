// Heat that spreads over a plate, step by step, without touching device memory between steps.
//
//   u[i, j] := u[i, j] + rate * (u[i-1, j] + u[i+1, j] + u[i, j-1] + u[i, j+1] - 4 * u[i, j])
//
// for all elements at once, as often as `steps` says. Outside the plate it is 0 degrees.
//
// Division: core c holds rows 16c .. 16c+15 of up to 512 x 510 elements, loads them once and stores them
// once, whatever the number of steps.
//
// A row at the edge of a core's strip needs the row beyond it, which is a neighbour's. In each step every
// core but the last sends its last row to the core below, and every core but the first its first row to
// the core above. The first core receives nothing from above, so what it gets there is undefined: a
// branch by core puts zeros in its place. The last core likewise.
//
// In the scratchpad the strip is set into 18 x 512 elements with the received rows above and below and a
// column of zeros on either side; five slices of that, shifted by one, are what the formula combines.
//
// Rows and columns that do not exist were loaded as zeros; the body keeps them zero.
//
// Shows: two futures a step whose producers and consumers are different cores, a dependency of the
// consumer alone, branches by core that yield tensors, `tensor.concat`, `tensor.pad`, overlapping slices.

#plate = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#strip = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 509 >= 0)>
#order = affine_map<(d0, d1) -> (d0, d1)>
#but_last = affine_set<(i)[g] : (i >= 0, -i + 30 >= 0)>
#but_first = affine_set<(i)[g] : (i - 1 >= 0, -i + 31 >= 0)>
#from_above = affine_set<(p)[c] : (p - c + 1 == 0)>
#from_below = affine_set<(p)[c] : (p - c - 1 == 0)>
#one_group = affine_set<(g) : (g == 0)>

module {
  func.func @heat_stencil(%u_ptr: index, %v_ptr: index, %rows: index, %cols: index, %steps: index,
                          %rate: f32) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c31 = arith.constant 31 : index
    %strip = arith.constant 16 : index
    %first = arith.muli %core, %strip : index
    %is_first = arith.cmpi eq, %core, %c0 : index
    %is_last = arith.cmpi eq, %core, %c31 : index
    %zero = arith.constant 0.0 : f32
    %four = arith.constant 4.0 : f32
    %cold = tensor.splat %zero : tensor<1x510xf32>

    %u = ktdp.construct_memory_view %u_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #plate, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf32>
    %v = ktdp.construct_memory_view %v_ptr, sizes: [%rows, %cols], strides: [%cols, 1] {
      coordinate_set = #plate, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf32>
    %u_at = ktdp.construct_access_tile %u[%first, %c0] {
      access_tile_set = #strip, access_tile_order = #order
    } : memref<?x?xf32> -> !ktdp.access_tile<16x510xindex>
    %start = ktdp.load %u_at : !ktdp.access_tile<16x510xindex> -> tensor<16x510xf32>

    %end = scf.for %step = %c0 to %steps step %c1 iter_args(%now = %start) -> (tensor<16x510xf32>) {
      %down = ktdp.inter_tile_produce producer_tiles_per_group = #but_last
          -> !ktdp.tile_future<(tensor<1x510xf32>), groups = #one_group> {
      ^bb0(%group: index):
        %last_row = tensor.extract_slice %now[15, 0] [1, 510] [1, 1]
            : tensor<16x510xf32> to tensor<1x510xf32>
        ktdp.yield_partial %last_row : tensor<1x510xf32>
      }
      %received_above = ktdp.inter_tile_consume(%down) consumer_tiles_per_group = #but_first,
          producer_dependency_per_consumer = #from_above
          : !ktdp.tile_future<(tensor<1x510xf32>), groups = #one_group> -> tensor<1x510xf32>
      %up = ktdp.inter_tile_produce producer_tiles_per_group = #but_first
          -> !ktdp.tile_future<(tensor<1x510xf32>), groups = #one_group> {
      ^bb0(%group: index):
        %first_row = tensor.extract_slice %now[0, 0] [1, 510] [1, 1]
            : tensor<16x510xf32> to tensor<1x510xf32>
        ktdp.yield_partial %first_row : tensor<1x510xf32>
      }
      %received_below = ktdp.inter_tile_consume(%up) consumer_tiles_per_group = #but_last,
          producer_dependency_per_consumer = #from_below
          : !ktdp.tile_future<(tensor<1x510xf32>), groups = #one_group> -> tensor<1x510xf32>

      %row_above = scf.if %is_first -> (tensor<1x510xf32>) {
        scf.yield %cold : tensor<1x510xf32>
      } else {
        scf.yield %received_above : tensor<1x510xf32>
      }
      %row_below = scf.if %is_last -> (tensor<1x510xf32>) {
        scf.yield %cold : tensor<1x510xf32>
      } else {
        scf.yield %received_below : tensor<1x510xf32>
      }

      %tall = tensor.concat dim(0) %row_above, %now, %row_below
          : (tensor<1x510xf32>, tensor<16x510xf32>, tensor<1x510xf32>) -> tensor<18x510xf32>
      %set_in = tensor.pad %tall low[0, 1] high[0, 1] {
      ^bb0(%row: index, %column: index):
        tensor.yield %zero : f32
      } : tensor<18x510xf32> to tensor<18x512xf32>
      %north = tensor.extract_slice %set_in[0, 1] [16, 510] [1, 1]
          : tensor<18x512xf32> to tensor<16x510xf32>
      %south = tensor.extract_slice %set_in[2, 1] [16, 510] [1, 1]
          : tensor<18x512xf32> to tensor<16x510xf32>
      %west = tensor.extract_slice %set_in[1, 0] [16, 510] [1, 1]
          : tensor<18x512xf32> to tensor<16x510xf32>
      %east = tensor.extract_slice %set_in[1, 2] [16, 510] [1, 1]
          : tensor<18x512xf32> to tensor<16x510xf32>

      %none = tensor.empty() : tensor<16x510xf32>
      %next = linalg.generic {
          indexing_maps = [#order, #order, #order, #order, #order, #order],
          iterator_types = ["parallel", "parallel"]}
          ins(%now, %north, %south, %west, %east : tensor<16x510xf32>, tensor<16x510xf32>,
              tensor<16x510xf32>, tensor<16x510xf32>, tensor<16x510xf32>)
          outs(%none : tensor<16x510xf32>) {
      ^bb0(%e: f32, %a: f32, %b: f32, %c: f32, %d: f32, %unused: f32):
        %row = linalg.index 0 : index
        %column = linalg.index 1 : index
        %own_row = arith.addi %row, %first : index
        %row_exists = arith.cmpi slt, %own_row, %rows : index
        %column_exists = arith.cmpi slt, %column, %cols : index
        %exists = arith.andi %row_exists, %column_exists : i1
        %vertical = arith.addf %a, %b : f32
        %horizontal = arith.addf %c, %d : f32
        %around = arith.addf %vertical, %horizontal : f32
        %level = arith.mulf %e, %four : f32
        %flow = arith.subf %around, %level : f32
        %change = arith.mulf %flow, %rate : f32
        %value = arith.addf %e, %change : f32
        %kept = arith.select %exists, %value, %zero : f32
        linalg.yield %kept : f32
      } -> tensor<16x510xf32>
      scf.yield %next : tensor<16x510xf32>
    }

    %v_at = ktdp.construct_access_tile %v[%first, %c0] {
      access_tile_set = #strip, access_tile_order = #order
    } : memref<?x?xf32> -> !ktdp.access_tile<16x510xindex>
    ktdp.store %end, %v_at : tensor<16x510xf32>, !ktdp.access_tile<16x510xindex>
    return
  }
}
