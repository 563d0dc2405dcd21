// RUN: ktir-opt %s --ktir-fold-constant-casts | filecheck %s

// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @main(%x: f32) -> f16 {
  %h = arith.truncf %x : f32 to f16
  return %h : f16
}
