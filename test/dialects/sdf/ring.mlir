// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt --mlir-print-op-generic %s | ktir-opt | filecheck %s

// CHECK-LABEL: sdf.program @exchange
sdf.program @exchange() grid [2, 2] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[N:.*]] = sdf.by_core dense<[2, 0, 1, 0]> : tensor<4xi64> : index
  %n = sdf.by_core dense<[2, 0, 1, 0]> : tensor<4xi64> : index
  // CHECK: %[[F:.*]] = sdf.publish #sdf.buffer<0, 1x64xf16>, #sdf.buffer<128, i32> producers [0, 1, 3] : !sdf.future
  %f = sdf.publish #sdf.buffer<0, 1x64xf16>, #sdf.buffer<128, i32> producers [0, 1, 3] : !sdf.future
  scf.for %k = %c0 to %n step %c1 {
    // CHECK: %[[P:.*]] = sdf.by_core dense<{{.*}}> : tensor<4x2xindex>[%{{.*}}] : index
    %p = sdf.by_core dense<[[0, 1], [0, 0], [3, 0], [0, 0]]> : tensor<4x2xindex>[%k] : index
    // CHECK: sdf.receive #sdf.buffer<256, 1x64xf16>, #sdf.buffer<384, i32> from core %[[P]] of %[[F]]
    sdf.receive #sdf.buffer<256, 1x64xf16>, #sdf.buffer<384, i32> from core %p of %f
  }
  // CHECK: sdf.publish #sdf.buffer<0, f32> producers [] {note = "a"} : !sdf.future
  %g = sdf.publish #sdf.buffer<0, f32> producers [] {note = "a"} : !sdf.future
  sdf.return
}
