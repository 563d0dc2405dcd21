// RUN: ktir-opt %s --ktir-insert-barriers | filecheck %s

#map = affine_map<(i) -> (i)>

// Elementwise over one domain needs no barrier, nor does a split of leading dimensions.

// CHECK-NOT: ktir.barrier
func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<6xf32>) outs(%e : tensor<6xf32>) {
    ^bb0(%i: f32, %o: f32):
      %v = math.rsqrt %i : f32
      linalg.yield %v : f32
  } -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%r : tensor<6xf32>) outs(%e : tensor<6xf32>) {
    ^bb0(%i: f32, %o: f32):
      %v = arith.negf %i : f32
      linalg.yield %v : f32
  } -> tensor<6xf32>
  return %s : tensor<6xf32>
}
func.func @leading(%x: tensor<6x4xf32>) -> tensor<2x3x4xf32> {
  %r = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}
