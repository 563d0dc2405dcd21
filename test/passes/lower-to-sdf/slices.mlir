// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s

// Slices are copies, reshapes cost nothing where rows keep their length; joins fill one buffer part by part.

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: sdf.program @slices
func.func @slices(%x: index, %i: index) {
  %xv = ktdp.construct_memory_view %x, sizes: [8, 64], strides: [64, 1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8x64xf16>
  %xt = ktdp.construct_access_tile %xv[0, 0] {access_tile_set = #set, access_tile_order = #id}
      : memref<8x64xf16> -> !ktdp.access_tile<8x64xindex>
  // CHECK: sdf.read #sdf.buffer<[[A:.*]], 8x64xf16>
  %a = ktdp.load %xt : <8x64xindex> -> tensor<8x64xf16>
  // CHECK-NEXT: sdf.copy #sdf.buffer<[[A]], 8x64xf16>[%arg1, 0][1, 2] to #sdf.buffer<[[ROW:.*]], 1x32xf16>[0, 0][1, 1] sizes [1, 32]
  %row = tensor.extract_slice %a[%i, 0] [1, 32] [1, 2] : tensor<8x64xf16> to tensor<32xf16>
  // CHECK-NEXT: sdf.compute vector ins(#sdf.buffer<[[ROW]], 32xf16>) outs(#sdf.buffer<[[ROW]], 32xf16>)
  %n = arith.negf %row : tensor<32xf16>
  // CHECK: sdf.copy #sdf.buffer<[[ROW]], 1x32xf16>[0, 0][1, 1] to #sdf.buffer<[[A]], 8x64xf16>[%arg1, 32][1, 1] sizes [1, 32]
  %b = tensor.insert_slice %n into %a[%i, 32] [1, 32] [1, 1] : tensor<32xf16> into tensor<8x64xf16>
  // CHECK-NEXT: sdf.compute vector ins(#sdf.buffer<[[A]], 2x4x64xf16>) outs(#sdf.buffer<[[A]], 2x4x64xf16>)
  %c = tensor.expand_shape %b [[0, 1], [2]] output_shape [2, 4, 64] : tensor<8x64xf16> into tensor<2x4x64xf16>
  %d = math.exp %c : tensor<2x4x64xf16>
  %f = tensor.collapse_shape %d [[0, 1, 2]] : tensor<2x4x64xf16> into tensor<512xf16>
  // CHECK: sdf.compute vector ins() outs(#sdf.buffer<[[P:.*]], 600xf16>)
  // CHECK: sdf.copy #sdf.buffer<[[A]], 512xf16>[0][1] to #sdf.buffer<[[P]], 600xf16>[40][1] sizes [512]
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %f low[40] high[48] {
  ^bb0(%k: index):
    tensor.yield %zero : f16
  } : tensor<512xf16> to tensor<600xf16>
  // CHECK-NEXT: sdf.copy #sdf.buffer<[[P]], 600xf16>[8][1] to #sdf.buffer<[[H:.*]], 256xf16>
  %h = tensor.extract_slice %p[8] [256] [1] : tensor<600xf16> to tensor<256xf16>
  // CHECK-NEXT: sdf.reshape #sdf.buffer<[[H]], 256xf16> to #sdf.buffer<[[G:.*]], 8x32xf16>
  %g = tensor.expand_shape %h [[0, 1]] output_shape [8, 32] : tensor<256xf16> into tensor<8x32xf16>
  // CHECK-NEXT: sdf.copy #sdf.buffer<[[G]], 8x32xf16>[0, 0][1, 1] to #sdf.buffer<[[R:.*]], 8x64xf16>[0, 0][1, 1] sizes [8, 32]
  // CHECK-NEXT: sdf.copy #sdf.buffer<[[G]], 8x32xf16>[0, 0][1, 1] to #sdf.buffer<[[R]], 8x64xf16>[0, 32][1, 1] sizes [8, 32]
  %r = tensor.concat dim(1) %g, %g : (tensor<8x32xf16>, tensor<8x32xf16>) -> tensor<8x64xf16>
  // CHECK-NEXT: sdf.write #sdf.buffer<[[R]], 8x64xf16>
  ktdp.store %r, %xt : tensor<8x64xf16>, <8x64xindex>
  return
}
