// GELU of standardised rows, with the device's own instructions.
//
//   y[r, c] = gelu((x[r, c] - mean) * scale),   scale = 1 / sqrt(mean square - mean^2)
//
// with mean and mean square over the 1024 columns of row r. A row of equal elements has no scale; it
// gives zeros.
//
// Division: core c takes rows 4c .. 4c+3, then those 128 further on. A tile holds whole rows.
//
// Statistics are one instruction, `exx2`: in the body of a reduction its results are the means over all
// that is reduced, so the tile must be as wide as the rows are. `layernormscale` makes the scale of them
// in the same body. It knows no epsilon: where a row is constant, or rounding puts the mean square below
// the square of the mean, the scale is inf or NaN. Neither is below inf, so a `compare` finds both, and a
// `select` puts zero there. The same takes care of rows past the end, which are loaded as zeros.
//
// A difference of squares loses digits where the mean is large; `layer_norm` shows the other way.
//
// Each element of x is read once and y written once. Two tiles of 8 KiB are in the scratchpad.
//
// Shows: intrinsics of `spyreop` in bodies (`exx2`, `layernormscale`, `constant`, `compare`, `select`,
// `gelu`), one as the body of a `linalg.map`, a reduction with several results.

#matrix = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 1023 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 1023 >= 0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

module {
  func.func @gelu_intrinsics(%x_ptr: index, %y_ptr: index, %rows: index) attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %block = arith.constant 4 : index
    %stride = arith.constant 128 : index
    %first = arith.muli %core, %block : index

    %x = ktdp.construct_memory_view %x_ptr, sizes: [%rows, 1024], strides: [1024, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x1024xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%rows, 1024], strides: [1024, 1] {
      coordinate_set = #matrix, memory_space = #ktdp.memory_space<global>
    } : memref<?x1024xf16>

    scf.for %row = %first to %rows step %stride {
      %from = ktdp.construct_access_tile %x[%row, %c0] {
        access_tile_set = #block, access_tile_order = #elements
      } : memref<?x1024xf16> -> !ktdp.access_tile<4x1024xindex>
      %in = ktdp.load %from : !ktdp.access_tile<4x1024xindex> -> tensor<4x1024xf16>

      %few = tensor.empty() : tensor<4xf16>
      %mean, %scale = linalg.generic {
          indexing_maps = [#elements, #rows, #rows], iterator_types = ["parallel", "reduction"]}
          ins(%in : tensor<4x1024xf16>) outs(%few, %few : tensor<4xf16>, tensor<4xf16>) {
      ^bb0(%e: f16, %old_mean: f16, %old_scale: f16):
        %m, %squares = spyreop.exx2 %e : f16
        %any = spyreop.layernormscale %m squares %squares : f16
        %inf = spyreop.constant 0x7C00 : f16
        %zero = spyreop.constant 0.0 : f16
        %usable = spyreop.compare <lesserthan> %any, %inf : f16
        %s = spyreop.select %usable, %any, %zero : f16
        linalg.yield %m, %s : f16, f16
      } -> (tensor<4xf16>, tensor<4xf16>)

      %none = tensor.empty() : tensor<4x1024xf16>
      %normal = linalg.generic {
          indexing_maps = [#elements, #rows, #rows, #elements], iterator_types = ["parallel", "parallel"]}
          ins(%in, %mean, %scale : tensor<4x1024xf16>, tensor<4xf16>, tensor<4xf16>)
          outs(%none : tensor<4x1024xf16>) {
      ^bb0(%e: f16, %m: f16, %s: f16, %unused: f16):
        %off = arith.subf %e, %m : f16
        %n = arith.mulf %off, %s : f16
        linalg.yield %n : f16
      } -> tensor<4x1024xf16>
      %out = linalg.map { spyreop.gelu } ins(%normal : tensor<4x1024xf16>)
          outs(%none : tensor<4x1024xf16>)

      %to = ktdp.construct_access_tile %y[%row, %c0] {
        access_tile_set = #block, access_tile_order = #elements
      } : memref<?x1024xf16> -> !ktdp.access_tile<4x1024xindex>
      ktdp.store %out, %to : tensor<4x1024xf16>, !ktdp.access_tile<4x1024xindex>
    }
    return
  }
}
