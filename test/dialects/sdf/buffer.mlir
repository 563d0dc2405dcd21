// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// CHECK-LABEL: func.func private @buffers
// CHECK-SAME: b0 = #sdf.buffer<6144, 8x384xf16>
// CHECK-SAME: b1 = #sdf.buffer<0, f32>
// CHECK-SAME: b2 = #sdf.buffer<128, 2x3x4x5xi1>
// CHECK-SAME: b3 = #sdf.buffer<256, 7xindex>
// CHECK-SAME: b4 = #sdf.buffer<0, 16xbf16>
func.func private @buffers() attributes {
  b0 = #sdf.buffer<6144, 8x384xf16>, b1 = #sdf.buffer<0, f32>, b2 = #sdf.buffer<128, 2x3x4x5xi1>,
  b3 = #sdf.buffer<256, 7xindex>, b4 = #sdf.buffer<0, 16 x bf16>
}

// The last buffers that fit: rows and single elements take whole sticks, an i1 a byte.
module attributes {sdf.scratchpad_bytes = 1024} {
  // CHECK-LABEL: sdf.program @sizes
  // CHECK: ins(#sdf.buffer<0, 3x65xf16>) outs(#sdf.buffer<768, 195xi8>)
  sdf.program @sizes() grid [1] {
    sdf.compute vector ins(#sdf.buffer<0, 3x65xf16>) outs(#sdf.buffer<768, 195xi8>)
        {indexing_maps = [affine_map<(d0) -> (0, 0)>, affine_map<(d0) -> (d0)>],
         iterator_types = ["parallel"]} {
    ^bb0(%a: f16, %b: i8):
      sdf.yield %b : i8
    }
    %0 = sdf.extract #sdf.buffer<896, f16>[] : f16
    %1 = sdf.extract #sdf.buffer<896, 128xi1>[127] : i1
    sdf.return
  }
}
