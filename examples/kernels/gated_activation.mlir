// The gate of a feed-forward layer, with the instructions of the device.
//
//   y[i] = silu(min(gate[i], 7)) * up[i]      silu(a) = a / (1 + exp(-a))
//
// Division: the vectors are cut into blocks of 4096 elements; core c takes block c, then block c + 32, and
// so on.
//
// silu, comparison and selection are one instruction each on the device. A kernel may name them: ops of
// `spyreop` stand in the body of a `linalg.generic` and take scalars. A comparison yields 1 or 0 in the
// type of its operands, and a selection takes what is not zero as true; there are no booleans in registers.
//
// Elements stay f16 throughout, as the instructions have them. Each byte is moved once, and the body needs
// no tile but those that are loaded and stored.
//
// Shows: `spyreop.constant`, `compare`, `select` and `silu` beside `arith`.

#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#block = affine_set<(d0) : (d0 >= 0, -d0 + 4095 >= 0)>
#order = affine_map<(d0) -> (d0)>

module {
  func.func @gated_activation(%gate_ptr: index, %up_ptr: index, %y_ptr: index, %n: index)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %block = arith.constant 4096 : index
    %stride = arith.constant 131072 : index
    %first = arith.muli %core, %block : index
    %gate = ktdp.construct_memory_view %gate_ptr, sizes: [%n], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xf16>
    %up = ktdp.construct_memory_view %up_ptr, sizes: [%n], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%n], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xf16>

    scf.for %i = %first to %n step %stride {
      %gate_at = ktdp.construct_access_tile %gate[%i] {
        access_tile_set = #block, access_tile_order = #order
      } : memref<?xf16> -> !ktdp.access_tile<4096xindex>
      %up_at = ktdp.construct_access_tile %up[%i] {
        access_tile_set = #block, access_tile_order = #order
      } : memref<?xf16> -> !ktdp.access_tile<4096xindex>
      %gates = ktdp.load %gate_at : !ktdp.access_tile<4096xindex> -> tensor<4096xf16>
      %ups = ktdp.load %up_at : !ktdp.access_tile<4096xindex> -> tensor<4096xf16>
      %none = tensor.empty() : tensor<4096xf16>
      %out = linalg.generic {
          indexing_maps = [#order, #order, #order], iterator_types = ["parallel"]}
          ins(%gates, %ups : tensor<4096xf16>, tensor<4096xf16>) outs(%none : tensor<4096xf16>) {
      ^bb0(%a: f16, %b: f16, %unused: f16):
        %limit = spyreop.constant 7.0 : f16
        %over = spyreop.compare <greaterequal> %a, %limit : f16
        %limited = spyreop.select %over, %limit, %a : f16
        %open = spyreop.silu %limited : f16
        %result = arith.mulf %open, %b : f16
        linalg.yield %result : f16
      } -> tensor<4096xf16>
      %y_at = ktdp.construct_access_tile %y[%i] {
        access_tile_set = #block, access_tile_order = #order
      } : memref<?xf16> -> !ktdp.access_tile<4096xindex>
      ktdp.store %out, %y_at : tensor<4096xf16>, !ktdp.access_tile<4096xindex>
    }
    return
  }
}
