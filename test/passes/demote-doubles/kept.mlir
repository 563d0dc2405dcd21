// RUN: ktir-opt %s --ktir-demote-doubles | filecheck %s

#map = affine_map<(i) -> (i)>

// f64 that comes in, goes out, or holds integers is kept, beside a group that is demoted.

// CHECK-LABEL: func.func @argument
// CHECK: arith.addf %{{.*}} : f64
// CHECK: arith.mulf %{{.*}} : f32
func.func @argument(%x: tensor<4xf64>, %y: tensor<4xf32>) -> (tensor<4xf64>, tensor<4xf32>) {
  %one = arith.constant 1.0 : f64
  %e = tensor.empty() : tensor<4xf64>
  %a = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>) {
    ^bb0(%i: f64, %o: f64):
      %s = arith.addf %i, %one : f64
      linalg.yield %s : f64
  } -> tensor<4xf64>
  %n = tensor.empty() : tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%y : tensor<4xf32>) outs(%n : tensor<4xf32>) {
    ^bb0(%i: f32, %o: f32):
      %w = arith.extf %i : f32 to f64
      %m = arith.mulf %w, %one : f64
      %t = arith.truncf %m : f64 to f32
      linalg.yield %t : f32
  } -> tensor<4xf32>
  return %a, %b : tensor<4xf64>, tensor<4xf32>
}

// CHECK-LABEL: func.func @result
// CHECK: arith.extf %{{.*}} : f32 to f64
func.func @result(%y: tensor<4xf32>) -> tensor<4xf64> {
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%y : tensor<4xf32>) outs(%e : tensor<4xf64>) {
    ^bb0(%i: f32, %o: f64):
      %w = arith.extf %i : f32 to f64
      linalg.yield %w : f64
  } -> tensor<4xf64>
  return %r : tensor<4xf64>
}

// CHECK-LABEL: func.func @integers
// CHECK: arith.divf %{{.*}} : f64
func.func @integers(%x: tensor<4xi64>, %y: tensor<4xi64>) -> tensor<4xi64> {
  %e = tensor.empty() : tensor<4xi64>
  %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<4xi64>, tensor<4xi64>) outs(%e : tensor<4xi64>) {
    ^bb0(%i: i64, %j: i64, %o: i64):
      %a = arith.sitofp %i : i64 to f64
      %b = arith.sitofp %j : i64 to f64
      %q = arith.divf %a, %b : f64
      %t = arith.fptosi %q : f64 to i64
      linalg.yield %t : i64
  } -> tensor<4xi64>
  return %r : tensor<4xi64>
}
