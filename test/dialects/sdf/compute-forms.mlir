// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// No input, a broadcast input, a window, two outputs, loop counters, in place with another type.

// CHECK-LABEL: sdf.program @fill
// CHECK: sdf.compute vector ins() scalars(%{{.*}} : f32) outs(#sdf.buffer<0, f32>) {indexing_maps = [#{{.*}}], iterator_types = []} {
sdf.program @fill(%s: f32) grid [1] {
  sdf.compute vector ins() scalars(%s : f32) outs(#sdf.buffer<0, f32>)
      {indexing_maps = [affine_map<() -> ()>], iterator_types = []} {
  ^bb0(%v: f32, %out: f32):
    sdf.yield %v : f32
  }
  sdf.return
}

// CHECK-LABEL: sdf.program @window
// CHECK: ins(#sdf.buffer<0, 18xf16>, #sdf.buffer<128, 1x3xf16>) outs(#sdf.buffer<256, 8xf16>)
sdf.program @window() grid [1] {
  sdf.compute vector ins(#sdf.buffer<0, 18xf16>, #sdf.buffer<128, 1x3xf16>)
      outs(#sdf.buffer<256, 8xf16>)
      {indexing_maps = [affine_map<(d0, d1) -> (d0 * 2 + d1 + 1)>, affine_map<(d0, d1) -> (0, d1)>,
                        affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} {
  ^bb0(%a: f16, %w: f16, %out: f16):
    %p = arith.mulf %a, %w : f16
    %r = arith.addf %out, %p : f16
    sdf.yield %r : f16
  }
  sdf.return
}

// CHECK-LABEL: sdf.program @largest
// CHECK: outs(#sdf.buffer<128, f32>, #sdf.buffer<256, i64>)
sdf.program @largest() grid [1] {
  sdf.compute vector ins(#sdf.buffer<0, 32xf32>) outs(#sdf.buffer<128, f32>, #sdf.buffer<256, i64>)
      {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>],
       iterator_types = ["reduction"]} {
  ^bb0(%a: f32, %best: f32, %at: i64):
    // CHECK: sdf.index 0 : index
    %i = sdf.index 0 : index
    %here = arith.index_cast %i : index to i64
    %more = arith.cmpf ogt, %a, %best : f32
    %v = arith.select %more, %a, %best : f32
    %j = arith.select %more, %here, %at : i64
    // CHECK: sdf.yield %{{.*}}, %{{.*}} : f32, i64
    sdf.yield %v, %j : f32, i64
  }
  sdf.return
}

// CHECK-LABEL: sdf.program @in_place
// CHECK: ins(#sdf.buffer<0, 8x10xi16>) outs(#sdf.buffer<0, 8x10xf16>)
sdf.program @in_place() grid [1] {
  sdf.compute vector ins(#sdf.buffer<0, 8x10xi16>) outs(#sdf.buffer<0, 8x10xf16>)
      {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
       iterator_types = ["parallel", "parallel"]} {
  ^bb0(%a: i16, %out: f16):
    %r = arith.sitofp %a : i16 to f16
    sdf.yield %r : f16
  }
  sdf.return
}
