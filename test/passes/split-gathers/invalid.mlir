// RUN: not ktir-opt %s --ktir-split-gathers 2>&1 | filecheck %s

// CHECK: 'linalg.generic' (tensor<5xf32>, tensor<i64>) -> (tensor<i64>) at model.py:7: an index that depends on what a reduction has so far
func.func @main(%x: tensor<5xf32>, %t: tensor<9xi64>, %s: tensor<i64>) -> tensor<i64> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<5xf32>) outs(%s : tensor<i64>) {
    ^bb0(%i: f32, %o: i64):
      %k = arith.index_cast %o : i64 to index
      %v = tensor.extract %t[%k] : tensor<9xi64>
      linalg.yield %v : i64
  } -> tensor<i64> loc("model.py":7:0)
  return %r : tensor<i64>
}
