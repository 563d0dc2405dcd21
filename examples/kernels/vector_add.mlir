// The sum of two vectors of any length.
//
//   z[i] = x[i] + y[i]
//
// Division: the vector is cut into blocks of 4096 elements, 64 sticks of 128 bytes. Core c takes
// block c, then block c + 32, and so on; a core whose first block lies past the end does nothing.
//
// The tail: the views have the vectors' own length, so the set of a view says which elements exist.
// A block that reaches past the end is loaded with zeros there, and its store leaves out what does
// not exist. No element needs a branch of its own.
//
// Each byte is moved once. A core holds two tiles of 8 KiB: the sum takes the place of a summand.
//
// Shows: views of a dynamic size with a symbolic set, a named op of linalg on tiles, a loop whose
// bounds differ by core.

#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#block = affine_set<(d0) : (d0 >= 0, -d0 + 4095 >= 0)>
#order = affine_map<(d0) -> (d0)>

module {
  func.func @vector_add(%x_ptr: index, %y_ptr: index, %z_ptr: index, %n: index)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %block = arith.constant 4096 : index
    %stride = arith.constant 131072 : index
    %first = arith.muli %core, %block : index

    %x = ktdp.construct_memory_view %x_ptr, sizes: [%n], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%n], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xf16>
    %z = ktdp.construct_memory_view %z_ptr, sizes: [%n], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xf16>

    scf.for %i = %first to %n step %stride {
      %x_at = ktdp.construct_access_tile %x[%i] {
        access_tile_set = #block, access_tile_order = #order
      } : memref<?xf16> -> !ktdp.access_tile<4096xindex>
      %y_at = ktdp.construct_access_tile %y[%i] {
        access_tile_set = #block, access_tile_order = #order
      } : memref<?xf16> -> !ktdp.access_tile<4096xindex>
      %a = ktdp.load %x_at : !ktdp.access_tile<4096xindex> -> tensor<4096xf16>
      %b = ktdp.load %y_at : !ktdp.access_tile<4096xindex> -> tensor<4096xf16>
      %none = tensor.empty() : tensor<4096xf16>
      %sum = linalg.add ins(%a, %b : tensor<4096xf16>, tensor<4096xf16>)
          outs(%none : tensor<4096xf16>) -> tensor<4096xf16>
      %z_at = ktdp.construct_access_tile %z[%i] {
        access_tile_set = #block, access_tile_order = #order
      } : memref<?xf16> -> !ktdp.access_tile<4096xindex>
      ktdp.store %sum, %z_at : tensor<4096xf16>, !ktdp.access_tile<4096xindex>
    }
    return
  }
}
