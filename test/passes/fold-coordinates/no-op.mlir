// RUN: ktir-opt %s --ktir-fold-coordinates | filecheck %s

#map = affine_map<(i) -> (i)>

// Indices from data, an index past the end, a diagonal, and a comparison that changes along the loop stay.

// CHECK-LABEL: func.func @data
// CHECK: tensor.extract
func.func @data(%t: tensor<9xf16>, %ids: tensor<4xi64>) -> tensor<4xf16> {
  %e = tensor.empty() : tensor<4xf16>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%ids : tensor<4xi64>) outs(%e : tensor<4xf16>) {
    ^bb0(%id: i64, %o: f16):
      %i = arith.index_cast %id : i64 to index
      %v = tensor.extract %t[%i] : tensor<9xf16>
      linalg.yield %v : f16
  } -> tensor<4xf16>
  return %r : tensor<4xf16>
}

// CHECK-LABEL: func.func @outside
// CHECK: tensor.extract
func.func @outside(%t: tensor<3xf16>) -> tensor<4xf16> {
  %e = tensor.empty() : tensor<4xf16>
  %r = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%e : tensor<4xf16>) {
    ^bb0(%o: f16):
      %i = linalg.index 0 : index
      %v = tensor.extract %t[%i] : tensor<3xf16>
      linalg.yield %v : f16
  } -> tensor<4xf16>
  return %r : tensor<4xf16>
}

// CHECK-LABEL: func.func @diagonal
// CHECK: tensor.extract
// CHECK: arith.cmpi sge
func.func @diagonal(%t: tensor<4x4xf16>) -> (tensor<4xf16>, tensor<4xi1>) {
  %two = arith.constant 2 : index
  %e = tensor.empty() : tensor<4xf16>
  %r = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%e : tensor<4xf16>) {
    ^bb0(%o: f16):
      %i = linalg.index 0 : index
      %v = tensor.extract %t[%i, %i] : tensor<4x4xf16>
      linalg.yield %v : f16
  } -> tensor<4xf16>
  %n = tensor.empty() : tensor<4xi1>
  %c = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%n : tensor<4xi1>) {
    ^bb0(%o: i1):
      %i = linalg.index 0 : index
      %v = arith.cmpi sge, %i, %two : index
      linalg.yield %v : i1
  } -> tensor<4xi1>
  return %r, %c : tensor<4xf16>, tensor<4xi1>
}
