// RUN: not ktir-opt %s --ktir-check-linalg 2>&1 | filecheck %s

#map = affine_map<(i) -> (i)>

// CHECK: 'tensor.concat' {{.*}} at model.py:1: this op is not supported here; supported are linalg.generic, linalg.fill
// CHECK: 'arith.constant' {{.*}} a dense constant must be an argument of the function
// CHECK: 'tensor.insert_slice' {{.*}} the tensor written into has other uses or is an argument
// CHECK: 'linalg.generic' {{.*}} its indexing maps are not supported
// CHECK: 'linalg.generic' {{.*}} a result has a dimension that follows no loop
// CHECK: 'linalg.generic' {{.*}} a contraction of f16 must accumulate in f32
// CHECK: 'linalg.generic' {{.*}} a gather may hold index casts and one tensor.extract only
// CHECK: 'linalg.generic' {{.*}} its body holds 'complex.create'
// CHECK: and 1 more
func.func @main(%x: tensor<4xf16>, %y: tensor<4x4xf16>, %z: tensor<4x4xf16>, %t: tensor<9xf16>, %ids: tensor<4xi64>)
    -> tensor<8xf16> {
  %a = tensor.concat dim(0) %x, %x : (tensor<4xf16>, tensor<4xf16>) -> tensor<8xf16> loc("model.py":1:0)
  %b = arith.constant dense<[1, 2]> : tensor<2xi64>
  %c = tensor.insert_slice %x into %t[0] [4] [1] : tensor<4xf16> into tensor<9xf16>
  %e = tensor.empty() : tensor<3xf16>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %b : tensor<4xf16>, tensor<2xi64>) outs(%e : tensor<3xf16>) {
    ^bb0(%i: f16, %j: i64, %o: f16):
      linalg.yield %i : f16
  } -> tensor<3xf16>
  %f = tensor.empty() : tensor<4x1xf16>
  %g = linalg.generic {indexing_maps = [#map, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf16>) outs(%f : tensor<4x1xf16>) {
    ^bb0(%i: f16, %o: f16):
      linalg.yield %i : f16
  } -> tensor<4x1xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %z : tensor<4x4xf16>, tensor<4x4xf16>) outs(%y : tensor<4x4xf16>) {
    ^bb0(%i: f16, %j: f16, %o: f16):
      %p = arith.mulf %i, %j : f16
      %s = arith.addf %o, %p : f16
      linalg.yield %s : f16
  } -> tensor<4x4xf16>
  %k = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%ids : tensor<4xi64>) outs(%x : tensor<4xf16>) {
    ^bb0(%i: i64, %o: f16):
      %n = arith.index_cast %i : i64 to index
      %v = tensor.extract %t[%n] : tensor<9xf16>
      %w = math.exp %v : f16
      linalg.yield %w : f16
  } -> tensor<4xf16>
  %l = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf16>) outs(%x : tensor<4xf16>) {
    ^bb0(%i: f16, %o: f16):
      %v = complex.create %i, %i : complex<f16>
      %w = complex.re %v : complex<f16>
      linalg.yield %w : f16
  } -> tensor<4xf16>
  %m = tensor.empty() : tensor<0xf16>
  return %a : tensor<8xf16>
}
