// RUN: ktir-opt %s --ktir-compose-views --canonicalize | filecheck %s

// Offsets and strides compose.

// CHECK-LABEL: func.func @slices
// CHECK-SAME: %[[X:.*]]: tensor<20xf16>
// CHECK: %[[R:.*]] = tensor.extract_slice %[[X]][7] [2] [6] : tensor<20xf16> to tensor<2xf16>
// CHECK: return %[[R]]
func.func @slices(%x: tensor<20xf16>) -> tensor<2xf16> {
  %a = tensor.extract_slice %x[1] [9] [2] : tensor<20xf16> to tensor<9xf16>
  %b = tensor.extract_slice %a[3] [2] [3] : tensor<9xf16> to tensor<2xf16>
  return %b : tensor<2xf16>
}

// A slice of a transpose is the transpose of a slice.

// CHECK-LABEL: func.func @transposed
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf16>
// CHECK: %[[S:.*]] = tensor.extract_slice %[[X]][1, 2] [2, 3] [1, 1] : tensor<4x6xf16> to tensor<2x3xf16>
// CHECK: linalg.generic {{.*}} ins(%[[S]] : tensor<2x3xf16>) outs(%{{.*}} : tensor<3x2xf32>)
func.func @transposed(%x: tensor<4x6xf16>) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<6x4xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x6xf16>) outs(%e : tensor<6x4xf32>) {
    ^bb0(%i: f16, %o: f32):
      %w = arith.extf %i : f16 to f32
      linalg.yield %w : f32
  } -> tensor<6x4xf32>
  %r = tensor.extract_slice %t[2, 1] [3, 2] [1, 1] : tensor<6x4xf32> to tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// Arithmetic is not repeated for a slice.

// CHECK-LABEL: func.func @arithmetic
// CHECK: linalg.generic
// CHECK: tensor.extract_slice
func.func @arithmetic(%x: tensor<6xf16>) -> tensor<3xf16> {
  %e = tensor.empty() : tensor<6xf16>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<6xf16>) outs(%e : tensor<6xf16>) {
    ^bb0(%i: f16, %o: f16):
      %n = arith.negf %i : f16
      linalg.yield %n : f16
  } -> tensor<6xf16>
  %r = tensor.extract_slice %t[2] [3] [1] : tensor<6xf16> to tensor<3xf16>
  return %r : tensor<3xf16>
}
