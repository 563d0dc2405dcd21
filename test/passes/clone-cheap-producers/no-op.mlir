// RUN: ktir-opt %s --ktir-clone-cheap-producers | filecheck %s

#map = affine_map<(i) -> (i)>

// Arithmetic and rounding are done once.

// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: math.exp
// CHECK-COUNT-1: arith.truncf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<4xf16>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%i: f32, %o: f32):
      %v = math.exp %i : f32
      linalg.yield %v : f32
  } -> tensor<4xf32>
  %n = tensor.empty() : tensor<4xf16>
  %b = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%n : tensor<4xf16>) {
    ^bb0(%i: f32, %o: f16):
      %v = arith.truncf %i : f32 to f16
      linalg.yield %v : f16
  } -> tensor<4xf16>
  return %a, %a, %b, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<4xf16>
}
