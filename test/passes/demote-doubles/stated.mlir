// RUN: ktir-opt %s --ktir-demote-doubles | filecheck %s

#map = affine_map<(i) -> (i)>

// What a node that the function lists computes in f64 is kept. A node in a module of that name is another.

// CHECK-LABEL: func.func @stated
// CHECK-NOT: ktir.doubles
// CHECK: arith.mulf %{{.*}} : f64
// CHECK: arith.mulf %{{.*}} : f32
func.func @stated(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {ktir.doubles = ["to"]} {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%i: f32, %o: f32):
      %w = arith.extf %i : f32 to f64 loc("to"("model.py":1:0))
      %m = arith.mulf %w, %w : f64
      %t = arith.truncf %m : f64 to f32
      linalg.yield %t : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%i: f32, %o: f32):
      %w = arith.extf %i : f32 to f64 loc("layer_norm"("to"("model.py":2:0)))
      %m = arith.mulf %w, %w : f64
      %t = arith.truncf %m : f64 to f32
      linalg.yield %t : f32
  } -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
