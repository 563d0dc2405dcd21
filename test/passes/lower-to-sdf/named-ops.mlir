// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s

// Named linalg ops become compute ops; a splat is a scalar where all loops are parallel, and fills a buffer where it
// starts a reduction. An accumulation from tensor.empty starts from zeros.

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#row = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#id1 = affine_map<(d0) -> (d0)>

// CHECK-LABEL: sdf.program @named
func.func @named(%x: index, %s: f16) {
  %xv = ktdp.construct_memory_view %x, sizes: [64, 64], strides: [64, 1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64x64xf16>
  %xt = ktdp.construct_access_tile %xv[0, 0] {access_tile_set = #set, access_tile_order = #id2}
      : memref<64x64xf16> -> !ktdp.access_tile<64x64xindex>
  // CHECK: sdf.read #sdf.buffer<[[A:.*]], 64x64xf16>
  %a = ktdp.load %xt : <64x64xindex> -> tensor<64x64xf16>
  // CHECK-NEXT: sdf.compute vector ins() outs(#sdf.buffer<[[M:.*]], 64x64xf16>)
  // CHECK: arith.constant 0.0
  // CHECK: sdf.compute matrix ins(#sdf.buffer<[[A]], 64x64xf16>, #sdf.buffer<[[A]], 64x64xf16>) outs(#sdf.buffer<[[M]], 64x64xf16>)
  %e = tensor.empty() : tensor<64x64xf16>
  %m = linalg.matmul ins(%a, %a : tensor<64x64xf16>, tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
  // CHECK: sdf.compute vector ins() outs(#sdf.buffer<[[R:.*]], 64xf16>)
  // CHECK: arith.constant 0xFC00
  // CHECK: sdf.compute vector ins(#sdf.buffer<[[M]], 64x64xf16>) outs(#sdf.buffer<[[R]], 64xf16>)
  // CHECK-SAME: iterator_types = ["parallel", "reduction"]
  %low = arith.constant 0xFC00 : f16
  %init = tensor.splat %low : tensor<64xf16>
  %r = linalg.reduce {arith.maximumf} ins(%m : tensor<64x64xf16>) outs(%init : tensor<64xf16>) dimensions = [1]
  // CHECK: sdf.compute vector ins(#sdf.buffer<[[R]], 64xf16>) outs(#sdf.buffer<[[B:.*]], 64x64xf16>)
  %b = linalg.broadcast ins(%r : tensor<64xf16>) outs(%e : tensor<64x64xf16>) dimensions = [1]
  // CHECK: sdf.compute vector ins(#sdf.buffer<[[B]], 64x64xf16>) scalars(%arg1 : f16)
  // CHECK: arith.mulf
  %scale = tensor.splat %s : tensor<64x64xf16>
  %c = linalg.mul ins(%b, %scale : tensor<64x64xf16>, tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
  // CHECK: sdf.compute vector ins(#sdf.buffer<[[B]], 64x64xf16>) outs(#sdf.buffer<[[T:.*]], 64x64xf16>)
  %t = linalg.transpose ins(%c : tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) permutation = [1, 0]
  // CHECK: sdf.compute vector ins(#sdf.buffer<[[T]], 64x64xf16>)
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: %[[TWO:.*]] = arith.constant 2.0
  // CHECK-NEXT: arith.addf %{{.*}}, %[[TWO]]
  %two = arith.constant dense<2.0> : tensor<64x64xf16>
  %d = arith.addf %t, %two : tensor<64x64xf16>
  // CHECK: sdf.extract #sdf.buffer<[[T]], 64x64xf16>[3, %{{.*}}] : f16
  %c3 = arith.constant 3 : index
  %core = ktdp.get_compute_tile_id : index
  %one = tensor.extract %d[%c3, %core] : tensor<64x64xf16>
  // CHECK-NEXT: sdf.compute vector ins() scalars(%{{.*}} : f16) outs(#sdf.buffer<[[F:.*]], 64x64xf16>)
  // CHECK: sdf.write #sdf.buffer<[[F]], 64x64xf16>
  %f = tensor.splat %one : tensor<64x64xf16>
  ktdp.store %f, %xt : tensor<64x64xf16>, <64x64xindex>
  return
}
