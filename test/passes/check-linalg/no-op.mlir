// RUN: ktir-opt %s --ktir-check-linalg | filecheck %s

// What the level holds passes unchanged: maps with 0, gathers, views, writes, scalar constants.

// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: linalg.generic
// CHECK: tensor.insert_slice
func.func @main(%x: tensor<5x8xf16>, %b: tensor<1x8xf16>, %t: tensor<9xf16>, %ids: tensor<4xi64>) -> (tensor<2x5x8xf16>, tensor<4xf16>) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<5x8xf16>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<5x8xf16>, tensor<1x8xf16>) outs(%e : tensor<5x8xf16>) {
    ^bb0(%i: f16, %j: f16, %o: f16):
      %v = arith.addf %i, %j : f16
      linalg.yield %v : f16
  } -> tensor<5x8xf16>
  %f = tensor.empty() : tensor<4xf16>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<4xi64>) outs(%f : tensor<4xf16>) {
    ^bb0(%i: i64, %o: f16):
      %n = arith.index_cast %i : i64 to index
      %v = tensor.extract %t[%n] : tensor<9xf16>
      linalg.yield %v : f16
  } -> tensor<4xf16>
  %h = tensor.empty() : tensor<2x5x8xf16>
  %k = linalg.fill ins(%zero : f16) outs(%h : tensor<2x5x8xf16>) -> tensor<2x5x8xf16>
  %l = tensor.expand_shape %s [[0, 1], [2]] output_shape [1, 5, 8] : tensor<5x8xf16> into tensor<1x5x8xf16>
  %r = tensor.insert_slice %l into %k[1, 0, 0] [1, 5, 8] [1, 1, 1] : tensor<1x5x8xf16> into tensor<2x5x8xf16>
  return %r, %g : tensor<2x5x8xf16>, tensor<4xf16>
}
