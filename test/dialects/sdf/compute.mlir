// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// CHECK-LABEL: sdf.program @elementwise
// CHECK-SAME: (%[[S:.*]]: f16)
sdf.program @elementwise(%s: f16) grid [1] {
  // CHECK: sdf.compute vector ins(#sdf.buffer<0, 8x64xf16>) scalars(%[[S]] : f16) outs(#sdf.buffer<0, 8x64xf16>) {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]} attributes {note = "in place"} {
  sdf.compute vector ins(#sdf.buffer<0, 8x64xf16>) scalars(%s : f16) outs(#sdf.buffer<0, 8x64xf16>)
      {iterator_types = ["parallel", "parallel"],
       indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]}
      attributes {note = "in place"} {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f16, %[[F:.*]]: f16, %{{.*}}: f16):
  ^bb0(%a: f16, %f: f16, %out: f16):
    // CHECK-NEXT: arith.mulf %[[A]], %[[F]]
    %r = arith.mulf %a, %f : f16
    // CHECK-NEXT: sdf.yield %{{.*}} : f16
    sdf.yield %r : f16
  }
  sdf.return
}

// CHECK-LABEL: sdf.program @contraction
// CHECK: sdf.compute matrix ins(#sdf.buffer<0, 8x64xf16>, #sdf.buffer<1024, 64x64xf16>) outs(#sdf.buffer<9216, 8x64xf32>)
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]}
sdf.program @contraction() grid [1] {
  sdf.compute matrix ins(#sdf.buffer<0, 8x64xf16>, #sdf.buffer<1024, 64x64xf16>)
      outs(#sdf.buffer<9216, 8x64xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                        affine_map<(m, n, k) -> (m, n)>],
       iterator_types = ["parallel", "parallel", "reduction"]} {
  ^bb0(%a: f16, %b: f16, %acc: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    sdf.yield %s : f32
  }
  sdf.return
}
