// RUN: ktir-opt %s --ktir-split-gathers --canonicalize | filecheck %s

// Arithmetic on the index goes before, over the loop it depends on; what uses the element comes after.

// CHECK-LABEL: func.func @around
// CHECK-SAME: %[[T:.*]]: tensor<37x8xf16>, %[[I:.*]]: tensor<5xi64>
// CHECK: %[[N:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[I]] : tensor<5xi64>) outs(%{{.*}} : tensor<5xi64>)
// CHECK: arith.addi
// CHECK: %[[G:.*]] = linalg.generic {{.*}} ins(%[[N]] : tensor<5xi64>) outs(%{{.*}} : tensor<5x8xf16>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: linalg.index 1
// CHECK-NEXT: tensor.extract %[[T]]
// CHECK-NEXT: linalg.yield
// CHECK: linalg.generic
// CHECK: math.exp
func.func @around(%table: tensor<37x8xf16>, %ids: tensor<5xi64>) -> tensor<5x8xf16> {
  %one = arith.constant 1 : i64
  %e = tensor.empty() : tensor<5x8xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<5xi64>) outs(%e : tensor<5x8xf16>) {
    ^bb0(%id: i64, %o: f16):
      %n = arith.addi %id, %one : i64
      %i = arith.index_cast %n : i64 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %table[%i, %j] : tensor<37x8xf16>
      %x = math.exp %v : f16
      linalg.yield %x : f16
  } -> tensor<5x8xf16>
  return %r : tensor<5x8xf16>
}

// Two extracts, the second indexed by the first, summed over a loop.

// CHECK-LABEL: func.func @nested
// CHECK-SAME: %[[A:.*]]: tensor<9xi64>, %[[B:.*]]: tensor<9xf32>
// CHECK: %[[G:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} {{.*}} outs(%{{.*}} : tensor<5x8xi64>)
// CHECK: tensor.extract %[[A]]
// CHECK: %[[H:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[G]] : tensor<5x8xi64>) outs(%{{.*}} : tensor<5x8xf32>)
// CHECK: tensor.extract %[[B]]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK: arith.addf
func.func @nested(%a: tensor<9xi64>, %b: tensor<9xf32>, %ids: tensor<5x8xi64>, %s: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%ids : tensor<5x8xi64>) outs(%s : tensor<5xf32>) {
    ^bb0(%id: i64, %o: f32):
      %i = arith.index_cast %id : i64 to index
      %j = tensor.extract %a[%i] : tensor<9xi64>
      %k = arith.index_cast %j : i64 to index
      %v = tensor.extract %b[%k] : tensor<9xf32>
      %x = arith.addf %o, %v : f32
      linalg.yield %x : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
