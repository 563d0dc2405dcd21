// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// Transfers and compute that end before their buffers do.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: sdf.program @sizes
sdf.program @sizes(%x: index, %n: index) grid [4] {
  // CHECK: sdf.read #sdf.buffer<0, 64xf16> from %{{.*}}[0] bounds [200] strides [1] sizes [%{{.*}}] within [0, 256]
  sdf.read #sdf.buffer<0, 64xf16> from %x[0] bounds [200] strides [1] sizes [%n] within [0, 256]
  // CHECK: sdf.gather #sdf.buffer<1024, 2x64xf16> from %{{.*}}[0] via [#map{{[0-9]*}}] bounds [200] strides [1] sizes [2, %{{.*}}] {keep}
  sdf.gather #sdf.buffer<1024, 2x64xf16> from %x[0] via [affine_map<(d0, d1) -> (d0 + d1)>]
      bounds [200] strides [1] sizes [2, %n] {keep}
  // CHECK: sdf.compute vector ins(#sdf.buffer<0, 64xf16>) outs(#sdf.buffer<128, 32xf16>) lengths [%{{.*}}] {
  sdf.compute vector ins(#sdf.buffer<0, 64xf16>) outs(#sdf.buffer<128, 32xf16>) lengths [%n]
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
  ^bb0(%a: f16, %b: f16):
    sdf.yield %a : f16
  }
  // CHECK: sdf.write #sdf.buffer<128, 32xf16> to %{{.*}}[0] bounds [200] strides [1] sizes [7]
  sdf.write #sdf.buffer<128, 32xf16> to %x[0] bounds [200] strides [1] sizes [7]
  sdf.return
}
