// RUN: ktir-opt %s -split-input-file -verify-diagnostics

#id = affine_map<(d0) -> (d0)>
sdf.program @overlap() grid [1] {
  // expected-error @below {{input #sdf.buffer<0, 64xf32> and output #sdf.buffer<128, 64xf16> share bytes 128 to 255; place one of them elsewhere}}
  sdf.compute vector ins(#sdf.buffer<0, 64xf32>) outs(#sdf.buffer<128, 64xf16>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
  ^bb0(%a: f32, %b: f16):
    sdf.yield %b : f16
  }
  sdf.return
}

// -----

sdf.program @in_place_map() grid [1] {
  // expected-error @below {{input #sdf.buffer<0, 8x8xf16> and output #sdf.buffer<0, 8x8xf16> share bytes 0 to 1023}}
  sdf.compute vector ins(#sdf.buffer<0, 8x8xf16>) outs(#sdf.buffer<0, 8x8xf16>)
      {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
       iterator_types = ["parallel", "parallel"]} {
  ^bb0(%a: f16, %b: f16):
    sdf.yield %a : f16
  }
  sdf.return
}

// -----

#id = affine_map<(d0) -> (d0)>
sdf.program @transfer_engine() grid [1] {
  // expected-error @below {{runs on the load engine, which only moves data; expected matrix or vector}}
  sdf.compute load ins() outs(#sdf.buffer<0, 8xf16>) {indexing_maps = [#id], iterator_types = ["parallel"]} {
  ^bb0(%b: f16):
    sdf.yield %b : f16
  }
  sdf.return
}

// -----

#id = affine_map<(d0) -> (d0)>
sdf.program @matrix() grid [1] {
  // expected-error @below {{runs on the matrix engine with 1 inputs, 1 outputs and no reduction; that engine contracts two inputs to one output, use vector}}
  sdf.compute matrix ins(#sdf.buffer<0, 8xf16>) outs(#sdf.buffer<128, 8xf16>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
  ^bb0(%a: f16, %b: f16):
    sdf.yield %a : f16
  }
  sdf.return
}

// -----

#id = affine_map<(d0) -> (d0)>
sdf.program @arguments(%s: f32) grid [1] {
  // expected-error @below {{region takes ('f32', 'f16'), expected ('f16', 'f32', 'f16'): the elements of the inputs, the scalars, the elements of the outputs}}
  sdf.compute vector ins(#sdf.buffer<0, 8xf16>) scalars(%s : f32) outs(#sdf.buffer<128, 8xf16>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
  ^bb0(%a: f32, %b: f16):
    sdf.yield %b : f16
  }
  sdf.return
}

// -----

#id = affine_map<(d0) -> (d0)>
sdf.program @yield() grid [1] {
  // expected-error @below {{region yields ('f32'), expected ('f16'): the elements of the outputs}}
  sdf.compute vector ins(#sdf.buffer<0, 8xf32>) outs(#sdf.buffer<128, 8xf16>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
  ^bb0(%a: f32, %b: f16):
    sdf.yield %a : f32
  }
  sdf.return
}

// -----

#id = affine_map<(d0) -> (d0)>
sdf.program @index() grid [1] {
  sdf.compute vector ins() outs(#sdf.buffer<128, 8xindex>)
      {indexing_maps = [#id], iterator_types = ["parallel"]} {
  ^bb0(%b: index):
    // expected-error @below {{names loop 1, but the compute op has 1 loops}}
    %i = sdf.index 1 : index
    sdf.yield %i : index
  }
  sdf.return
}

// -----

sdf.program @index_outside() grid [1] {
  // expected-error @below {{stands outside of 'sdf.compute'}}
  %i = sdf.index 0 : index
  sdf.return
}

// -----

#id = affine_map<(d0) -> (d0)>
sdf.program @empty() grid [1] {
  // expected-error @below {{expects a non-empty block}}
  sdf.compute vector ins() outs(#sdf.buffer<128, 8xf16>)
      {indexing_maps = [#id], iterator_types = ["parallel"]} {
  ^bb0(%b: f16):
  }
  sdf.return
}

// -----

#id = affine_map<(d0) -> (d0)>
sdf.program @isolated(%s: f16) grid [1] {
  // expected-note @below {{required by region isolation constraints}}
  sdf.compute vector ins() outs(#sdf.buffer<128, 8xf16>)
      {indexing_maps = [#id], iterator_types = ["parallel"]} {
  ^bb0(%b: f16):
    // expected-error @below {{using value defined outside the region}}
    sdf.yield %s : f16
  }
  sdf.return
}

// -----

#id = affine_map<(d0) -> (d0)>
sdf.program @in_place_width() grid [1] {
  // expected-error @below {{input #sdf.buffer<0, 10xf16> and output #sdf.buffer<0, 10xf32> share bytes 0 to 127}}
  sdf.compute vector ins(#sdf.buffer<0, 10xf16>) outs(#sdf.buffer<0, 10xf32>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
  ^bb0(%a: f16, %out: f32):
    sdf.yield %out : f32
  }
  sdf.return
}
