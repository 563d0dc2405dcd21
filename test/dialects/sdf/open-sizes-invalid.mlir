// RUN: ktir-opt %s --split-input-file --verify-diagnostics

sdf.program @beyond(%x: index) grid [1] {
  // expected-error @below {{entry 0 of sizes is 65; expected 0 to 64}}
  sdf.read #sdf.buffer<0, 64xf16> from %x[0] bounds [64] strides [1] sizes [65]
  sdf.return
}

// -----

sdf.program @rank(%x: index) grid [1] {
  // expected-error @below {{has 2 sizes, but the buffer has rank 1}}
  sdf.write #sdf.buffer<0, 64xf16> to %x[0] bounds [64] strides [1] sizes [1, 2]
  sdf.return
}

// -----

#id = affine_map<(d0) -> (d0)>

sdf.program @loops() grid [1] {
  // expected-error @below {{entry 0 of lengths is -1; expected 0 to 32}}
  sdf.compute vector ins(#sdf.buffer<0, 64xf16>) outs(#sdf.buffer<128, 32xf16>) lengths [-1]
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
  ^bb0(%a: f16, %b: f16):
    sdf.yield %a : f16
  }
  sdf.return
}

// -----

#id = affine_map<(d0) -> (d0)>

sdf.program @unequal() grid [1] {
  // expected-error @below {{loop 0 has length 32, but dimension 0 of the buffer #sdf.buffer<0, 64xf16> has 64}}
  sdf.compute vector ins(#sdf.buffer<0, 64xf16>) outs(#sdf.buffer<128, 32xf16>)
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]} {
  ^bb0(%a: f16, %b: f16):
    sdf.yield %a : f16
  }
  sdf.return
}
