// RUN: ktir-opt %s --ktir-restore-fills | filecheck %s

// A broadcast of a tensor, a generic that computes, and one that keeps its init are no fills.

#map = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>

// CHECK-LABEL: func.func @main
// CHECK-NOT: linalg.fill
func.func @main(%t: tensor<f32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#scalar, #map], iterator_types = ["parallel"]}
      ins(%t : tensor<f32>) outs(%e : tensor<4xf32>) {
    ^bb0(%i: f32, %o: f32):
      linalg.yield %i : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%i: f32, %o: f32):
      %n = arith.negf %i : f32
      linalg.yield %n : f32
  } -> tensor<4xf32>
  %c = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
    ^bb0(%o: f32):
      linalg.yield %o : f32
  } -> tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
