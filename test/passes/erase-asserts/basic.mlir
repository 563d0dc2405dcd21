// RUN: ktir-opt %s --ktir-erase-asserts | filecheck %s

// Assertions go, in bodies of generics and outside; what they tested stays for canonicalisation.

// CHECK-LABEL: func.func @gather
// CHECK-NOT: cf.assert
// CHECK: arith.cmpi
// CHECK: tensor.extract
// CHECK-NOT: cf.assert
func.func @gather(%table: tensor<37x8xf16>, %ids: tensor<5xi64>, %fine: i1) -> tensor<5x8xf16> {
  %rows = arith.constant 37 : index
  cf.assert %fine, "outside"
  %e = tensor.empty() : tensor<5x8xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<5xi64>) outs(%e : tensor<5x8xf16>) {
    ^bb0(%id: i64, %o: f16):
      %i = arith.index_cast %id : i64 to index
      %j = linalg.index 1 : index
      %c = arith.cmpi slt, %i, %rows : index
      cf.assert %c, "index must be smaller than dim size"
      %v = tensor.extract %table[%i, %j] : tensor<37x8xf16>
      linalg.yield %v : f16
  } -> tensor<5x8xf16>
  return %r : tensor<5x8xf16>
}
