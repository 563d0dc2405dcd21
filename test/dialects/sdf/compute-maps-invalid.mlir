// RUN: ktir-opt %s -split-input-file -verify-diagnostics

#id = affine_map<(d0) -> (d0)>
sdf.program @number_of_maps() grid [1] {
  // expected-error @below {{has 1 indexing maps for 2 buffers; expected one a buffer}}
  sdf.compute vector ins(#sdf.buffer<0, 8xf16>) outs(#sdf.buffer<128, 8xf16>)
      {indexing_maps = [#id], iterator_types = ["parallel"]} {
  ^bb0(%a: f16, %b: f16):
    sdf.yield %a : f16
  }
  sdf.return
}

// -----

#id = affine_map<(d0) -> (d0)>
sdf.program @iterator() grid [1] {
  // expected-error @below {{iterator type is "window"; expected "parallel" or "reduction"}}
  sdf.compute vector ins() outs(#sdf.buffer<128, 8xf16>)
      {indexing_maps = [#id], iterator_types = ["window"]} {
  ^bb0(%b: f16):
    sdf.yield %b : f16
  }
  sdf.return
}

// -----

sdf.program @domain() grid [1] {
  // expected-error @below {{indexing map 0 is affine_map<(d0, d1) -> (d0)>; expected 1 dimensions, one an iterator type, and no symbol}}
  sdf.compute vector ins() outs(#sdf.buffer<128, 8xf16>)
      {indexing_maps = [affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel"]} {
  ^bb0(%b: f16):
    sdf.yield %b : f16
  }
  sdf.return
}

// -----

sdf.program @rank() grid [1] {
  // expected-error @below {{indexing map 0 has 1 results, but its buffer #sdf.buffer<128, 8x8xf16> has rank 2}}
  sdf.compute vector ins() outs(#sdf.buffer<128, 8x8xf16>)
      {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} {
  ^bb0(%b: f16):
    sdf.yield %b : f16
  }
  sdf.return
}

// -----

#id = affine_map<(d0) -> (d0)>
sdf.program @lengths() grid [1] {
  // expected-error @below {{loop 0 has length 8, but dimension 0 of the buffer #sdf.buffer<128, 16xf16> has 16}}
  sdf.compute vector ins(#sdf.buffer<0, 8xf16>) outs(#sdf.buffer<128, 16xf16>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
  ^bb0(%a: f16, %b: f16):
    sdf.yield %a : f16
  }
  sdf.return
}

// -----

sdf.program @no_length() grid [1] {
  // expected-error @below {{loop 1 has no length; some map must have it as a plain result}}
  sdf.compute vector ins(#sdf.buffer<0, 8xf16>) outs(#sdf.buffer<128, 4xf16>)
      {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d0)>],
       iterator_types = ["parallel", "reduction"]} {
  ^bb0(%a: f16, %b: f16):
    sdf.yield %a : f16
  }
  sdf.return
}

// -----

sdf.program @outside() grid [1] {
  // expected-error @below {{accesses elements 1 to 8 of dimension 0 of the buffer #sdf.buffer<0, 8xf16>, which has 8}}
  sdf.compute vector ins(#sdf.buffer<0, 8xf16>) outs(#sdf.buffer<128, 8xf16>)
      {indexing_maps = [affine_map<(d0) -> (d0 + 1)>, affine_map<(d0) -> (d0)>],
       iterator_types = ["parallel"]} {
  ^bb0(%a: f16, %b: f16):
    sdf.yield %a : f16
  }
  sdf.return
}

// -----

sdf.program @not_linear() grid [1] {
  // expected-error @below {{indexing map 0 is affine_map<(d0) -> (d0 mod 4)>, whose result 0 is not a sum of loops}}
  sdf.compute vector ins(#sdf.buffer<0, 8xf16>) outs(#sdf.buffer<128, 8xf16>)
      {indexing_maps = [affine_map<(d0) -> (d0 mod 4)>, affine_map<(d0) -> (d0)>],
       iterator_types = ["parallel"]} {
  ^bb0(%a: f16, %b: f16):
    sdf.yield %a : f16
  }
  sdf.return
}

// -----

sdf.program @race() grid [1] {
  // expected-error @below {{loop 1 is parallel, but does not index the output #sdf.buffer<1024, 8xf16>; call it "reduction"}}
  sdf.compute vector ins(#sdf.buffer<0, 8x64xf16>) outs(#sdf.buffer<1024, 8xf16>)
      {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
       iterator_types = ["parallel", "parallel"]} {
  ^bb0(%a: f16, %b: f16):
    sdf.yield %a : f16
  }
  sdf.return
}

// -----

sdf.program @loops() grid [1] {
  // expected-error @below {{expected {indexing_maps = [..], iterator_types = [..]}; other attributes follow the word 'attributes'}}
  sdf.compute vector ins() outs(#sdf.buffer<128, 8xf16>) {iterator_types = ["parallel"]} {
  ^bb0(%b: f16):
    sdf.yield %b : f16
  }
  sdf.return
}
