// RUN: ktir-opt %s --ktir-merge-operands | filecheck %s

// An input that nothing reads stays where it alone gives a loop its extent.

// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<5x8xf16>)
func.func @main(%x: tensor<5x8xf16>, %s: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x8xf16>) outs(%s : tensor<5xf32>) {
    ^bb0(%i: f16, %o: f32):
      %v = arith.addf %o, %o : f32
      linalg.yield %v : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
