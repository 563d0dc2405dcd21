// RUN: ktir-opt %s --canonicalize --cse | filecheck %s

// Nothing that touches memory is removed, merged or reordered; an extract may merge with an equal
// one that no write separates, and goes if it is unused.

// CHECK-LABEL: sdf.program @effects
// CHECK-NEXT: sdf.read
// CHECK-NEXT: sdf.read
// CHECK-NEXT: %[[S:.*]] = sdf.extract
// CHECK-NEXT: sdf.copy
// CHECK-NEXT: sdf.copy
// CHECK-NEXT: %[[T:.*]] = sdf.extract
// CHECK-NEXT: sdf.compute vector ins() scalars(%[[S]], %[[S]], %[[T]] : f16, f16, f16)
// CHECK: sdf.write
// CHECK-NEXT: sdf.write
// CHECK-NEXT: sdf.return
sdf.program @effects(%x: index) grid [1] {
  %unused_id = sdf.core_id : index
  sdf.read #sdf.buffer<0, 8xf16> from %x[0] bounds [8] strides [1]
  sdf.read #sdf.buffer<0, 8xf16> from %x[0] bounds [8] strides [1]
  %unused = sdf.extract #sdf.buffer<0, 8xf16>[1] : f16
  %a = sdf.extract #sdf.buffer<0, 8xf16>[0] : f16
  %b = sdf.extract #sdf.buffer<0, 8xf16>[0] : f16
  sdf.copy #sdf.buffer<0, 8xf16>[0][1] to #sdf.buffer<128, 8xf16>[0][1] sizes [8]
  sdf.copy #sdf.buffer<0, 8xf16>[0][1] to #sdf.buffer<128, 8xf16>[0][1] sizes [8]
  %c = sdf.extract #sdf.buffer<0, 8xf16>[0] : f16
  sdf.compute vector ins() scalars(%a, %b, %c : f16, f16, f16) outs(#sdf.buffer<0, 8xf16>)
      {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} {
  ^bb0(%p: f16, %q: f16, %r: f16, %out: f16):
    %s = arith.addf %p, %q : f16
    sdf.yield %s : f16
  }
  sdf.write #sdf.buffer<0, 8xf16> to %x[0] bounds [8] strides [1]
  sdf.write #sdf.buffer<0, 8xf16> to %x[0] bounds [8] strides [1]
  sdf.return
}
