// A square matrix with a band of 64 diagonals, times a vector.
//
//   y[i] = sum_{i <= j < i + 64} a[i, j] * x[j]
//
// a is stored whole, n x n, but is zero outside the band; only the band is read.
//
// Division: core c takes rows 64c .. 64c+63, then those 2048 further on.
//
// The band of 64 rows is a parallelogram: the set 0 <= d1 - d0 < 64 has 64 points in every row, each
// row one further to the right. As a tile it is 64 x 64 and its column k is diagonal k of the band.
// The vector is read through a view that suits it: with strides [1, 1] element (i, k) of the view is
// x[i + k], the number that diagonal k multiplies in row i. So the kernel multiplies two tiles of equal
// shape and sums their rows.
//
// Rows near the end have fewer columns. a's view masks columns past n, and x's view has the set
// d0 + d1 < n, which is no box either.
//
// Shows: a skewed access tile, a view with overlapping strides and a symbolic set that couples
// dimensions, a `generic` that multiplies and reduces in one body.

#square = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#window = affine_set<(d0, d1)[s0]
    : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0, -d0 - d1 + s0 - 1 >= 0)>
#vector = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#band = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 - d0 >= 0, d0 - d1 + 63 >= 0)>
#block = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#piece = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#elements = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#line = affine_map<(d0) -> (d0)>

module {
  func.func @band_matvec(%a_ptr: index, %x_ptr: index, %y_ptr: index, %n: index)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %block = arith.constant 64 : index
    %stride = arith.constant 2048 : index
    %zero = arith.constant 0.0 : f32
    %first = arith.muli %core, %block : index
    %a = ktdp.construct_memory_view %a_ptr, sizes: [%n, %n], strides: [%n, 1] {
      coordinate_set = #square, memory_space = #ktdp.memory_space<global>
    } : memref<?x?xf16>
    %x = ktdp.construct_memory_view %x_ptr, sizes: [%n, 64], strides: [1, 1] {
      coordinate_set = #window, memory_space = #ktdp.memory_space<global>
    } : memref<?x64xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [%n], strides: [1] {
      coordinate_set = #vector, memory_space = #ktdp.memory_space<global>
    } : memref<?xf32>

    scf.for %row = %first to %n step %stride {
      %band_at = ktdp.construct_access_tile %a[%row, %row] {
        access_tile_set = #band, access_tile_order = #elements
      } : memref<?x?xf16> -> !ktdp.access_tile<64x64xindex>
      %band = ktdp.load %band_at : !ktdp.access_tile<64x64xindex> -> tensor<64x64xf16>
      %window_at = ktdp.construct_access_tile %x[%row, %c0] {
        access_tile_set = #block, access_tile_order = #elements
      } : memref<?x64xf16> -> !ktdp.access_tile<64x64xindex>
      %window = ktdp.load %window_at : !ktdp.access_tile<64x64xindex> -> tensor<64x64xf16>
      %no_sum = tensor.splat %zero : tensor<64xf32>
      %sum = linalg.generic {
          indexing_maps = [#elements, #elements, #rows],
          iterator_types = ["parallel", "reduction"]}
          ins(%band, %window : tensor<64x64xf16>, tensor<64x64xf16>) outs(%no_sum : tensor<64xf32>) {
      ^bb0(%e: f16, %f: f16, %so_far: f32):
        %wide_e = arith.extf %e : f16 to f32
        %wide_f = arith.extf %f : f16 to f32
        %product = arith.mulf %wide_e, %wide_f : f32
        %more = arith.addf %so_far, %product : f32
        linalg.yield %more : f32
      } -> tensor<64xf32>
      %to = ktdp.construct_access_tile %y[%row] {
        access_tile_set = #piece, access_tile_order = #line
      } : memref<?xf32> -> !ktdp.access_tile<64xindex>
      ktdp.store %sum, %to : tensor<64xf32>, !ktdp.access_tile<64xindex>
    }
    return
  }
}
