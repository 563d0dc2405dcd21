// Lower triangles of matrices, packed: row after row without the zeros that nobody needs.
//
//   packed[b, i * (i + 1) / 2 + j] = x[b, i, j]    for j <= i
//
// Division: core c takes matrix c of the batch, then c + 32, and so on. Matrices are 64 x 64, so a
// packed one has 64 * 65 / 2 = 2080 elements.
//
// A tile may be any set of points. The triangle d2 <= d1 has 2080 of them; loaded row by row they are a
// tile of 32 x 65, which has room for exactly as many: the shape of such a tile says how many points
// there are, not where they lie. Where the k-th point goes is what packing asks for, so the tile is
// stored as it comes, through a view in which it is one contiguous row.
//
// What lies above the diagonal is never read. Each element is read once and written once.
//
// Shows: an access tile whose set is a triangle, a tile of another shape than its set.

#matrices = affine_set<(d0, d1, d2)[s0]
    : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#packed = affine_set<(d0, d1, d2)[s0]
    : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 64 >= 0)>
#triangle = affine_set<(d0, d1, d2) : (d0 == 0, d1 - d2 >= 0, -d1 + 63 >= 0, d2 >= 0)>
#whole = affine_set<(d0, d1, d2) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0, d2 >= 0, -d2 + 64 >= 0)>
#order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

module {
  func.func @pack_triangle(%x_ptr: index, %packed_ptr: index, %count: index)
      attributes {grid = [32]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %cores = arith.constant 32 : index
    %x = ktdp.construct_memory_view %x_ptr, sizes: [%count, 64, 64], strides: [4096, 64, 1] {
      coordinate_set = #matrices, memory_space = #ktdp.memory_space<global>
    } : memref<?x64x64xf16>
    %packed = ktdp.construct_memory_view %packed_ptr,
        sizes: [%count, 32, 65], strides: [2080, 65, 1] {
      coordinate_set = #packed, memory_space = #ktdp.memory_space<global>
    } : memref<?x32x65xf16>

    scf.for %i = %core to %count step %cores {
      %from = ktdp.construct_access_tile %x[%i, %c0, %c0] {
        access_tile_set = #triangle, access_tile_order = #order
      } : memref<?x64x64xf16> -> !ktdp.access_tile<1x32x65xindex>
      %triangle = ktdp.load %from : !ktdp.access_tile<1x32x65xindex> -> tensor<1x32x65xf16>
      %to = ktdp.construct_access_tile %packed[%i, %c0, %c0] {
        access_tile_set = #whole, access_tile_order = #order
      } : memref<?x32x65xf16> -> !ktdp.access_tile<1x32x65xindex>
      ktdp.store %triangle, %to : tensor<1x32x65xf16>, !ktdp.access_tile<1x32x65xindex>
    }
    return
  }
}
