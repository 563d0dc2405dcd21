// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s

// A while loop: tensors stay in their places, scalars stay SSA values.

#whole = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: sdf.program @halve
func.func @halve(%x: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
    coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
  %t = ktdp.construct_access_tile %v[0] {access_tile_set = #whole, access_tile_order = #id}
      : memref<64xf16> -> !ktdp.access_tile<64xindex>
  // CHECK: sdf.read #sdf.buffer<0, 64xf16>
  %a = ktdp.load %t : <64xindex> -> tensor<64xf16>
  %half = arith.constant dense<0.5> : tensor<64xf16>
  // CHECK: scf.while (%[[I:.*]] = %{{.*}}) : (index) -> index {
  // CHECK-NEXT: %[[MORE:.*]] = arith.cmpi ult, %[[I]], %arg1
  // CHECK-NEXT: scf.condition(%[[MORE]]) %[[I]] : index
  // CHECK-NEXT: } do {
  // CHECK: sdf.compute vector ins(#sdf.buffer<0, 64xf16>) outs(#sdf.buffer<0, 64xf16>)
  %i, %r = scf.while (%i = %c0, %b = %a) : (index, tensor<64xf16>) -> (index, tensor<64xf16>) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %b : index, tensor<64xf16>
  } do {
  ^bb0(%i: index, %b: tensor<64xf16>):
    %c = arith.mulf %b, %half : tensor<64xf16>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %c : index, tensor<64xf16>
  }
  // CHECK: sdf.write #sdf.buffer<0, 64xf16>
  ktdp.store %r, %t : tensor<64xf16>, <64xindex>
  return
}
