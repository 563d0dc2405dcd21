// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s

// A function without a grid and without ktdp ops is no kernel, and neither is a declaration.

// CHECK: func.func private @elsewhere(index) attributes {grid = [2]}
func.func private @elsewhere(index) attributes {grid = [2]}

// CHECK: func.func @main(%{{.*}}: tensor<4xf16>) -> tensor<4xf16>
// CHECK-NEXT: arith.negf
// CHECK-NEXT: return
func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
  %r = arith.negf %x : tensor<4xf16>
  return %r : tensor<4xf16>
}
