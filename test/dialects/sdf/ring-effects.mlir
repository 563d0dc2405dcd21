// RUN: ktir-opt %s --canonicalize --cse --loop-invariant-code-motion | filecheck %s

// What waits for other cores stays where it is. Table look-ups are pure: equal ones merge, unused ones go,
// one whose entries are all alike is a constant.

// CHECK-LABEL: sdf.program @effects
// CHECK-DAG: %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[N:.*]] = sdf.by_core dense<[1, 2]>
// CHECK-NOT: sdf.by_core
// CHECK: scf.for
// CHECK-NEXT: sdf.constant
// CHECK-NEXT: %[[F:.*]] = sdf.publish
// CHECK-NEXT: sdf.receive #sdf.buffer<128, f16> from core %[[N]] of %[[F]]
// CHECK-NEXT: sdf.receive #sdf.buffer<128, f16> from core %[[SEVEN]] of %[[F]]
// CHECK-NEXT: sdf.publish
sdf.program @effects(%n: index) grid [2] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = sdf.by_core dense<[1, 2]> : tensor<2xi64> : index
    %b = sdf.by_core dense<7> : tensor<2xi64> : index
    %unused = sdf.by_core dense<[3, 4]> : tensor<2xi64> : index
    sdf.constant #sdf.buffer<0, f16>, dense<0.0> : tensor<f16>
    %f = sdf.publish #sdf.buffer<0, f16> producers [0] : !sdf.future
    sdf.receive #sdf.buffer<128, f16> from core %a of %f
    sdf.receive #sdf.buffer<128, f16> from core %b of %f
    %g = sdf.publish #sdf.buffer<0, f16> producers [1] : !sdf.future
  }
  sdf.return
}
