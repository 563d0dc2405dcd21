// RUN: ktir-opt %s --ktir-lift-constants | filecheck %s

// Scalars stay; no attribute appears.

// CHECK: func.func @main() -> f32
// CHECK-NEXT: arith.constant 1.000000e+00 : f32
func.func @main() -> f32 {
  %c = arith.constant 1.0 : f32
  return %c : f32
}
