// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// CHECK-LABEL: sdf.program @copy
// CHECK-SAME: (%[[I:.*]]: index, %[[N:.*]]: index)
sdf.program @copy(%i: index, %n: index) grid [1] {
  // CHECK: sdf.copy #sdf.buffer<0, 8x64xf16>[0, 0][1, 2] to #sdf.buffer<1024, 8x64xf16>[0, 32][1, 1] sizes [8, 32]
  sdf.copy #sdf.buffer<0, 8x64xf16>[0, 0][1, 2] to #sdf.buffer<1024, 8x64xf16>[0, 32][1, 1]
      sizes [8, 32]
  // CHECK: sdf.copy #sdf.buffer<0, 8x64xf16>[%[[I]], 0][1, %[[N]]] to #sdf.buffer<0, 8x64xf16>[0, %[[I]]][%[[I]], 1] sizes [%[[N]], 1]
  sdf.copy #sdf.buffer<0, 8x64xf16>[%i, 0][1, %n] to #sdf.buffer<0, 8x64xf16>[0, %i][%i, 1]
      sizes [%n, 1]
  // CHECK: sdf.copy #sdf.buffer<0, 8xf16>[7][-1] to #sdf.buffer<128, 8xf16>[0][1] sizes [8]
  sdf.copy #sdf.buffer<0, 8xf16>[7][-1] to #sdf.buffer<128, 8xf16>[0][1] sizes [8]
  sdf.return
}

// CHECK-LABEL: sdf.program @reshape
sdf.program @reshape() grid [1] {
  // CHECK: sdf.reshape #sdf.buffer<0, 8x96xf16> to #sdf.buffer<2048, 8x12x8xf16>
  sdf.reshape #sdf.buffer<0, 8x96xf16> to #sdf.buffer<2048, 8x12x8xf16>
  // CHECK: sdf.reshape #sdf.buffer<0, f32> to #sdf.buffer<128, 1x1xf32>
  sdf.reshape #sdf.buffer<0, f32> to #sdf.buffer<128, 1x1xf32>
  sdf.return
}

// CHECK-LABEL: sdf.program @extract
// CHECK-SAME: (%[[I:.*]]: index)
sdf.program @extract(%i: index) grid [1] {
  // CHECK: sdf.extract #sdf.buffer<0, 8x64xf16>[%[[I]], 3] : f16
  %a = sdf.extract #sdf.buffer<0, 8x64xf16>[%i, 3] : f16
  // CHECK: sdf.extract #sdf.buffer<0, index>[] : index
  %b = sdf.extract #sdf.buffer<0, index>[] : index
  sdf.return
}
