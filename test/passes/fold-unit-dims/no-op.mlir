// RUN: ktir-opt %s --ktir-fold-unit-dims | filecheck %s

#all = affine_map<(i, j) -> (i, j)>

// A loop of extent 1 that an argument follows stays, as does a reshape that merges two real dimensions.

// CHECK-LABEL: func.func @main
// CHECK: tensor.collapse_shape
// CHECK: linalg.generic {{.*}} ["parallel", "parallel"]} ins(%arg0 : tensor<5x1xf32>) outs(%{{.*}} : tensor<5x1xf32>)
// CHECK-NOT: tensor.expand_shape
func.func @main(%x: tensor<5x1xf32>, %y: tensor<2x3xf32>) -> (tensor<5x1xf32>, tensor<6xf32>) {
  %e = tensor.empty() : tensor<5x1xf32>
  %c = tensor.collapse_shape %y [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x1xf32>) outs(%e : tensor<5x1xf32>) {
    ^bb0(%i: f32, %o: f32):
      %n = arith.negf %i : f32
      linalg.yield %n : f32
  } -> tensor<5x1xf32>
  return %r, %c : tensor<5x1xf32>, tensor<6xf32>
}
