// RUN: ktir-opt %s --ktir-clone-cheap-producers | filecheck %s

#map = affine_map<(i, j) -> (i, j)>

// A chain of a cast and a reshape, each used twice in the end, is there once for each of the two users.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<6x4xf16>
// CHECK: %[[W0:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<6x4xf16>)
// CHECK: %[[W1:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<6x4xf16>)
// CHECK-DAG: tensor.collapse_shape %[[W0]]
// CHECK-DAG: tensor.collapse_shape %[[W1]]
// CHECK-COUNT-2: math.exp
// CHECK-NOT: arith.extf
func.func @main(%x: tensor<6x4xf16>) -> (tensor<24xf32>, tensor<24xf32>) {
  %e = tensor.empty() : tensor<6x4xf32>
  %w = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x4xf16>) outs(%e : tensor<6x4xf32>) {
    ^bb0(%i: f16, %o: f32):
      %v = arith.extf %i : f16 to f32
      linalg.yield %v : f32
  } -> tensor<6x4xf32>
  %c = tensor.collapse_shape %w [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  %n = tensor.empty() : tensor<24xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%c : tensor<24xf32>) outs(%n : tensor<24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %v = math.exp %i : f32
      linalg.yield %v : f32
  } -> tensor<24xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%c : tensor<24xf32>) outs(%n : tensor<24xf32>) {
    ^bb0(%i: f32, %o: f32):
      %d = math.exp %i : f32
      %v = arith.negf %d : f32
      linalg.yield %v : f32
  } -> tensor<24xf32>
  return %a, %b : tensor<24xf32>, tensor<24xf32>
}
