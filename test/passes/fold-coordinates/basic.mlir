// RUN: ktir-opt %s --ktir-fold-coordinates --canonicalize | filecheck %s

#all = affine_map<(b, i, j) -> (b, i, j)>

// A mask indexed by counted batches and columns, wrapped where negative, is an operand read by its map.

// CHECK-DAG: #[[MASK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func.func @mask
// CHECK-SAME: %[[M:.*]]: tensor<2x8xi1>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[MASK]], #{{.*}}], {{.*}} ins(%{{.*}}, %[[M]] : tensor<2xi64>, tensor<2x8xi1>)
// CHECK-NOT: tensor.extract
func.func @mask(%m: tensor<2x8xi1>) -> tensor<2x5x8xi1> {
  %zero = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %e = tensor.empty() : tensor<2xi64>
  %batch = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<2xi64>) {
    ^bb0(%o: i64):
      %i = linalg.index 0 : index
      %c = arith.index_cast %i : index to i64
      linalg.yield %c : i64
  } -> tensor<2xi64>
  %n = tensor.empty() : tensor<2x5x8xi1>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b)>, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%batch : tensor<2xi64>) outs(%n : tensor<2x5x8xi1>) {
    ^bb0(%b: i64, %o: i1):
      %negative = arith.cmpi slt, %b, %zero : i64
      %wrapped = arith.addi %b, %two : i64
      %w = arith.select %negative, %wrapped, %b : i64
      %i = arith.index_cast %w : i64 to index
      %j = linalg.index 2 : index
      %v = tensor.extract %m[%i, %j] : tensor<2x8xi1>
      linalg.yield %v : i1
  } -> tensor<2x5x8xi1>
  return %r : tensor<2x5x8xi1>
}

// A part, shifted by a constant, is a slice.

// CHECK-LABEL: func.func @shifted
// CHECK-SAME: %[[T:.*]]: tensor<9xf16>
// CHECK: %[[S:.*]] = tensor.extract_slice %[[T]][3] [4] [1] : tensor<9xf16> to tensor<4xf16>
// CHECK: return %[[S]]
func.func @shifted(%t: tensor<9xf16>) -> tensor<4xf16> {
  %three = arith.constant 3 : index
  %e = tensor.empty() : tensor<4xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf16>) {
    ^bb0(%o: f16):
      %i = linalg.index 0 : index
      %s = arith.addi %i, %three : index
      %v = tensor.extract %t[%s] : tensor<9xf16>
      linalg.yield %v : f16
  } -> tensor<4xf16>
  return %r : tensor<4xf16>
}

// A comparison that has one outcome.

// CHECK-LABEL: func.func @comparison
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: linalg.yield %[[TRUE]]
func.func @comparison() -> tensor<4xi1> {
  %zero = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xi1>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<4xi1>) {
    ^bb0(%o: i1):
      %i = linalg.index 0 : index
      %c = arith.cmpi sge, %i, %zero : index
      linalg.yield %c : i1
  } -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// Along a diagonal one loop counts in both coordinates: an extract at plain loops, of a slice.

// CHECK-LABEL: func.func @diagonal
// CHECK-SAME: %[[T:.*]]: tensor<5x9xf16>
// CHECK: %[[S:.*]] = tensor.extract_slice %[[T]][0, 3] [5, 5] [1, 1] : tensor<5x9xf16> to tensor<5x5xf16>
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: tensor.extract %[[S]][%[[I]], %[[J:.*]]] : tensor<5x5xf16>
func.func @diagonal(%t: tensor<5x9xf16>) -> tensor<5xf16> {
  %three = arith.constant 3 : index
  %e = tensor.empty() : tensor<5xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<5xf16>) {
    ^bb0(%o: f16):
      %i = linalg.index 0 : index
      %s = arith.addi %i, %three : index
      %v = tensor.extract %t[%i, %s] : tensor<5x9xf16>
      linalg.yield %v : f16
  } -> tensor<5xf16>
  return %r : tensor<5xf16>
}

// Beyond the table it stays as it is, for the machine to report.

// CHECK-LABEL: func.func @outside
// CHECK-NOT: tensor.extract_slice
// CHECK: arith.addi
// CHECK: tensor.extract %{{.*}} : tensor<5x7xf16>
func.func @outside(%t: tensor<5x7xf16>) -> tensor<5xf16> {
  %three = arith.constant 3 : index
  %e = tensor.empty() : tensor<5xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<5xf16>) {
    ^bb0(%o: f16):
      %i = linalg.index 0 : index
      %s = arith.addi %i, %three : index
      %v = tensor.extract %t[%i, %s] : tensor<5x7xf16>
      linalg.yield %v : f16
  } -> tensor<5xf16>
  return %r : tensor<5xf16>
}
