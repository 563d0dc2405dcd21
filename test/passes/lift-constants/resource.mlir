// RUN: ktir-opt %s --ktir-lift-constants | filecheck %s

// The data of resources are read; a resource of one value is a fill.

// CHECK: func.func @main(%[[A:.*]]: tensor<3xi32> {ktir.name = "constant.0", ktir.value = dense<[1, 2, -1]> : tensor<3xi32>})
// CHECK: linalg.fill ins(%{{.*}} : f16) outs(%{{.*}} : tensor<2xf16>)
// CHECK-NOT: dense_resource
func.func @main() -> (tensor<3xi32>, tensor<2xf16>) {
  %a = arith.constant dense_resource<some.table> : tensor<3xi32>
  %b = arith.constant dense_resource<ones> : tensor<2xf16>
  return %a, %b : tensor<3xi32>, tensor<2xf16>
}

{-#
  dialect_resources: {
    builtin: {
      some.table: "0x040000000100000002000000FFFFFFFF",
      ones: "0x02000000003C003C"
    }
  }
#-}
