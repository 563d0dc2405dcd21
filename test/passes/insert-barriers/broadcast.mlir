// RUN: ktir-opt %s --ktir-insert-barriers | filecheck %s

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>

// The root of a row's statistic would be taken for every element; the barrier stands below it, above the cast.

// CHECK-LABEL: func.func @main
// CHECK: math.rsqrt
// CHECK: %[[B:.*]] = call @ktir.barrier.0(%{{.*}}) : (tensor<5xf16>) -> tensor<5xf16>
// CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[B]] : tensor<5xf16>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[C]] : tensor<5x8xf32>, tensor<5xf32>)
// CHECK-NOT: call
func.func @main(%x: tensor<5x8xf32>, %s: tensor<5xf16>) -> tensor<5x8xf32> {
  %e = tensor.empty() : tensor<5xf16>
  %r = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%s : tensor<5xf16>) outs(%e : tensor<5xf16>) {
    ^bb0(%i: f16, %o: f16):
      %v = math.rsqrt %i : f16
      linalg.yield %v : f16
  } -> tensor<5xf16>
  %g = tensor.empty() : tensor<5xf32>
  %c = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%r : tensor<5xf16>) outs(%g : tensor<5xf32>) {
    ^bb0(%i: f16, %o: f32):
      %v = arith.extf %i : f16 to f32
      linalg.yield %v : f32
  } -> tensor<5xf32>
  %h = tensor.empty() : tensor<5x8xf32>
  %n = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %c : tensor<5x8xf32>, tensor<5xf32>) outs(%h : tensor<5x8xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %v = arith.mulf %i, %j : f32
      linalg.yield %v : f32
  } -> tensor<5x8xf32>
  return %n : tensor<5x8xf32>
}
