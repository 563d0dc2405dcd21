// RUN: not ktir-opt %s --ktir-lower-pad 2>&1 | filecheck %s

// CHECK: 'tensor.pad' (tensor<4xi64>) -> (tensor<6xi64>) at model.py:12: the padding value is computed in the region
func.func @main(%x: tensor<4xi64>) -> tensor<6xi64> {
  %r = tensor.pad %x low[0] high[2] {
    ^bb0(%i: index):
      %v = arith.index_cast %i : index to i64
      tensor.yield %v : i64
  } : tensor<4xi64> to tensor<6xi64> loc("model.py":12:0)
  return %r : tensor<6xi64>
}
