// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// CHECK-LABEL: sdf.program @static
// CHECK-SAME: (%[[X:.*]]: index)
sdf.program @static(%x: index) grid [1] {
  // CHECK: sdf.read #sdf.buffer<0, 8x384xf16> from %[[X]][0, 64] bounds [250, 384] strides [384, 1]
  sdf.read #sdf.buffer<0, 8x384xf16> from %x[0, 64] bounds [250, 384] strides [384, 1]
  // CHECK: sdf.read #sdf.buffer<0, 8x384xf16> from %[[X]][0, 64] bounds [250, 384] strides [384, 1] within [-8, 256, 0, 384] {keep}
  sdf.read #sdf.buffer<0, 8x384xf16> from %x[0, 64] bounds [250, 384] strides [384, 1] within [-8, 256, 0, 384] {keep}
  // CHECK: sdf.write #sdf.buffer<0, 8x384xf16> to %[[X]][-1, 0] bounds [250, 384] strides [1, 250]
  sdf.write #sdf.buffer<0, 8x384xf16> to %x[-1, 0] bounds [250, 384] strides [1, 250]
  sdf.return
}

// Any entry may be a value; a buffer of rank 0 takes empty lists.
// CHECK-LABEL: sdf.program @dynamic
// CHECK-SAME: (%[[X:.*]]: index, %[[N:.*]]: index)
sdf.program @dynamic(%x: index, %n: index) grid [1] {
  // CHECK: sdf.read #sdf.buffer<0, 8x384xf16> from %[[X]][%[[N]], 0] bounds [%[[N]], %[[N]]] strides [%[[N]], 1] {note = "a"}
  sdf.read #sdf.buffer<0, 8x384xf16> from %x[%n, 0] bounds [%n, %n] strides [%n, 1] {note = "a"}
  // CHECK: sdf.write #sdf.buffer<0, 8x384xf16> to %[[X]][%[[N]], 0] bounds [4, %[[N]]] strides [0, %[[N]]]
  sdf.write #sdf.buffer<0, 8x384xf16> to %x[%n, 0] bounds [4, %n] strides [0, %n]
  // CHECK: sdf.read #sdf.buffer<128, f32> from %[[X]][] bounds [] strides []
  sdf.read #sdf.buffer<128, f32> from %x[] bounds [] strides []
  sdf.return
}
