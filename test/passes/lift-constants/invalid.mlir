// RUN: not ktir-opt %s --ktir-lift-constants --split-input-file 2>&1 | filecheck %s

// CHECK: error: 'arith.constant' () -> (tensor<2xbf16>) at {{.*}}: constants of this form are not supported
func.func @main() -> tensor<2xbf16> {
  %a = arith.constant dense_resource<table> : tensor<2xbf16>
  return %a : tensor<2xbf16>
}

{-#
  dialect_resources: {
    builtin: {
      table: "0x04000000803F003F"
    }
  }
#-}

// -----

// CHECK: error: 'arith.constant' () -> (tensor<2xf16>) at {{.*}}: the data of resource absent are missing
func.func @main() -> tensor<2xf16> {
  %a = arith.constant dense_resource<absent> : tensor<2xf16>
  return %a : tensor<2xf16>
}
