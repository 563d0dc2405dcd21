// RUN: ktir-opt %s --ktir-promote-accumulators | filecheck %s

// f32 sums, f16 maxima and elementwise f16 additions stay.

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func @main
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
func.func @main(%x: tensor<5x8xf16>, %y: tensor<5x8xf32>, %o: tensor<5xf16>, %p: tensor<5xf32>)
    -> (tensor<5xf16>, tensor<5xf32>, tensor<5x8xf16>) {
  %a = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x8xf16>) outs(%o : tensor<5xf16>) {
    ^bb0(%i: f16, %acc: f16):
      %m = arith.maximumf %i, %acc : f16
      linalg.yield %m : f16
  } -> tensor<5xf16>
  %b = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<5x8xf32>) outs(%p : tensor<5xf32>) {
    ^bb0(%i: f32, %acc: f32):
      %s = arith.addf %i, %acc : f32
      linalg.yield %s : f32
  } -> tensor<5xf32>
  %e = tensor.empty() : tensor<5x8xf16>
  %c = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x8xf16>) outs(%e : tensor<5x8xf16>) {
    ^bb0(%i: f16, %acc: f16):
      %s = arith.addf %i, %i : f16
      linalg.yield %s : f16
  } -> tensor<5x8xf16>
  return %a, %b, %c : tensor<5xf16>, tensor<5xf32>, tensor<5x8xf16>
}
