// RUN: ktir-opt %s --ktir-demote-doubles | filecheck %s

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// A sum of squares that torch-mlir takes in f64: tensors, bodies, accumulators and constants become f32.

// CHECK-LABEL: func.func @variance
// CHECK-NOT: f64
func.func @variance(%x: tensor<5x8xf32>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f64
  %count = arith.constant 8.0 : f64
  %e = tensor.empty() : tensor<5x8xf64>
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<5x8xf32>)
  // CHECK-NOT: arith.extf
  %d = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x8xf32>) outs(%e : tensor<5x8xf64>) {
    ^bb0(%i: f32, %o: f64):
      %w = arith.extf %i : f32 to f64
      %m = arith.mulf %w, %w : f64
      linalg.yield %m : f64
  } -> tensor<5x8xf64>
  %r = tensor.empty() : tensor<5xf64>
  %f = linalg.fill ins(%zero : f64) outs(%r : tensor<5xf64>) -> tensor<5xf64>
  // CHECK: arith.addf %{{.*}} : f32
  %s = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<5x8xf64>) outs(%f : tensor<5xf64>) {
    ^bb0(%i: f64, %o: f64):
      %a = arith.addf %i, %o : f64
      linalg.yield %a : f64
  } -> tensor<5xf64>
  %n = tensor.empty() : tensor<5xf32>
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  // CHECK-NOT: arith.truncf
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<5xf64>) outs(%n : tensor<5xf32>) {
    ^bb0(%i: f64, %o: f32):
      %q = arith.divf %i, %count : f64
      %p = arith.truncf %q : f64 to f32
      linalg.yield %p : f32
  } -> tensor<5xf32>
  return %t : tensor<5xf32>
}

// Narrower casts stay casts; a constant that is only rounded is rounded to f32 first.

// CHECK-LABEL: func.func @casts
func.func @casts(%x: tensor<4xf16>) -> tensor<4xf16> {
  %c = arith.constant 0.1 : f64
  %e = tensor.empty() : tensor<4xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf16>) outs(%e : tensor<4xf16>) {
    ^bb0(%i: f16, %o: f16):
      // CHECK: arith.extf %in : f16 to f32
      %w = arith.extf %i : f16 to f64
      // CHECK: arith.mulf %{{.*}} : f32
      %m = arith.mulf %w, %c : f64
      // CHECK: arith.truncf %{{.*}} : f32 to f16
      %t = arith.truncf %m : f64 to f16
      linalg.yield %t : f16
  } -> tensor<4xf16>
  return %r : tensor<4xf16>
}
