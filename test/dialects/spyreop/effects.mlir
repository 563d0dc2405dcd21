// RUN: ktir-opt %s --canonicalize --cse | filecheck %s

// Intrinsics are pure. Constants in registers merge with each other, not with those of arith.

// CHECK-LABEL: func.func @effects(
// CHECK-DAG: %[[PLAIN:.*]] = arith.constant 1.000000e+00 : f16
// CHECK-DAG: %[[KEPT:.*]] = spyreop.constant 1.000000e+00 : f16
// CHECK-NOT: spyreop.constant
// CHECK: %[[Y:.*]] = spyreop.exp %[[KEPT]] : f16
// CHECK-NEXT: return %[[PLAIN]], %[[Y]], %[[Y]]
func.func @effects() -> (f16, f16, f16) {
  %plain = arith.constant 1.0 : f16
  %a = spyreop.constant 1.0 : f16
  %b = spyreop.constant 1.0 : f16
  %x = spyreop.exp %a : f16
  %y = spyreop.exp %b : f16
  %unused = spyreop.silu %plain : f16
  return %plain, %x, %y : f16, f16, f16
}
