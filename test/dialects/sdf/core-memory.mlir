// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt --mlir-print-op-generic %s | ktir-opt | filecheck %s
// Transfers with the scratchpad of a core, elements that stay, coordinates from a table.

// CHECK-LABEL: sdf.program @transfers(%arg0: index, %arg1: index)
sdf.program @transfers(%x: index, %c: index) grid [4] {
  // CHECK: sdf.read #sdf.buffer<0, 8x64xf16> from %arg0[0, 0] bounds [8, 64] strides [64, 1] in core %arg1
  sdf.read #sdf.buffer<0, 8x64xf16> from %x[0, 0] bounds [8, 64] strides [64, 1] in core %c
  // CHECK: sdf.read #sdf.buffer<0, 8x64xf16> from %arg0[%arg1, 0] bounds [8, 64] strides [64, 1] {keep}
  sdf.read #sdf.buffer<0, 8x64xf16> from %x[%c, 0] bounds [8, 64] strides [64, 1] {keep}
  // CHECK: sdf.write #sdf.buffer<0, 8x64xf16> to %arg0[0, 0] bounds [8, 64] strides [64, 1] in core %arg1
  sdf.write #sdf.buffer<0, 8x64xf16> to %x[0, 0] bounds [8, 64] strides [64, 1] in core %c
  // CHECK: sdf.gather #sdf.buffer<0, 2x2xf16> from %arg0[0, 0] via [dense<{{.*}}> : tensor<2x2xi64>, _] bounds [8, 64] strides [64, 1] in core %arg1 {keep}
  sdf.gather #sdf.buffer<0, 2x2xf16> from %x[0, 0] via [dense<[[0, 5], [2, 7]]> : tensor<2x2xi64>, _]
      bounds [8, 64] strides [64, 1] in core %c {keep}
  // CHECK: sdf.scatter #sdf.buffer<0, 2x2xf16> to %arg0[0] via [dense<3> : tensor<2x2xi64>] bounds [8] strides [1] in core %arg1
  sdf.scatter #sdf.buffer<0, 2x2xf16> to %x[0] via [dense<3> : tensor<2x2xi64>]
      bounds [8] strides [1] in core %c
  sdf.return
}

// CHECK-LABEL: sdf.program @constants
sdf.program @constants() grid [4] {
  // CHECK: sdf.constant #sdf.buffer<0, 2x2xf16>, dense<{{.*}}1.000000e+00, 2.000000e+00{{.*}}> : tensor<2x2xf16>
  sdf.constant #sdf.buffer<0, 2x2xf16>, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
  // CHECK: sdf.constant #sdf.buffer<0, index>, dense<7> : tensor<index>
  sdf.constant #sdf.buffer<0, index>, dense<7> : tensor<index>
  sdf.return
}
