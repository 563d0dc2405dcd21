// RUN: ktir-opt %s --ktir-promote-accumulators | filecheck %s

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// A sum of bf16 in f32. An init that is no fill of a constant is widened.

// CHECK-LABEL: func.func @sum
// CHECK: %[[I:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<5xbf16>) outs(%{{.*}} : tensor<5xf32>)
// CHECK: arith.extf
// CHECK: linalg.generic {{.*}} outs(%[[I]] : tensor<5xf32>)
// CHECK: %[[V:.*]] = arith.extf %in : bf16 to f32
// CHECK: arith.addf %{{.*}}, %[[V]] : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @sum(%x: tensor<5x8xbf16>, %start: tensor<5xbf16>) -> tensor<5xbf16> {
  %r = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x8xbf16>) outs(%start : tensor<5xbf16>) {
    ^bb0(%i: bf16, %o: bf16):
      %s = arith.addf %i, %o : bf16
      linalg.yield %s : bf16
  } -> tensor<5xbf16>
  return %r : tensor<5xbf16>
}

// Of two results only the sum changes.

// CHECK-LABEL: func.func @sum_and_max
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<5xf32>, tensor<5xf16>)
// CHECK: arith.maximumf %{{.*}} : f16
// CHECK: arith.truncf
// CHECK: return %{{.*}}, %[[R]]#1
func.func @sum_and_max(%x: tensor<5x8xf16>) -> (tensor<5xf16>, tensor<5xf16>) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<5xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<5xf16>) -> tensor<5xf16>
  %r:2 = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x8xf16>) outs(%f, %f : tensor<5xf16>, tensor<5xf16>) {
    ^bb0(%i: f16, %o: f16, %p: f16):
      %s = arith.addf %i, %o : f16
      %m = arith.maximumf %i, %p : f16
      linalg.yield %s, %m : f16, f16
  } -> (tensor<5xf16>, tensor<5xf16>)
  return %r#0, %r#1 : tensor<5xf16>, tensor<5xf16>
}
