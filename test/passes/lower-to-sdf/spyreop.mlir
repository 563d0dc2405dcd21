// RUN: ktir-opt %s --ktir-lower-to-sdf --split-input-file | filecheck %s

// Intrinsics of the device stay: in bodies of compute steps, and between scalars, which bodies take from outside.

#tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: sdf.program @intrinsics(
func.func @intrinsics(%x: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %i = arith.index_cast %x : index to i32
  // CHECK: %[[A:.*]] = spyreop.idx32toaddr %{{.*}} base 0x00000010 stride 2
  %a = spyreop.idx32toaddr %i base 16 stride 2
  %f = arith.sitofp %a : i32 to f16
  // CHECK: %[[S:.*]] = spyreop.rsqrt %{{.*}} : f16
  %s = spyreop.rsqrt %f : f16
  %v = ktdp.construct_memory_view %x, sizes: [4, 64], strides: [64, 1] {
    coordinate_set = #tile, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
  %t = ktdp.construct_access_tile %v[%c0, %c0] {access_tile_set = #tile, access_tile_order = #id}
      : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
  %in = ktdp.load %t : <4x64xindex> -> tensor<4x64xf16>
  %few = tensor.empty() : tensor<4xf16>
  // CHECK: sdf.compute vector ins(#[[X:.*]]) outs(#[[R:.*]]) {{{.*}}iterator_types = ["parallel", "reduction"]}
  // CHECK: %[[P:.*]] = spyreop.exx2_fused %{{.*}} : f16 -> !spyreop.fp16_fused
  // CHECK-NEXT: %[[L:.*]] = spyreop.layernormscale_fused %[[P]] : !spyreop.fp16_fused -> f16
  // CHECK-NEXT: sdf.yield %[[L]] : f16
  %scale = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%in : tensor<4x64xf16>) outs(%few : tensor<4xf16>) {
  ^bb0(%e: f16, %old: f16):
    %p = spyreop.exx2_fused %e : f16 -> !spyreop.fp16_fused
    %l = spyreop.layernormscale_fused %p : !spyreop.fp16_fused -> f16
    linalg.yield %l : f16
  } -> tensor<4xf16>
  %none = tensor.empty() : tensor<4x64xf16>
  // CHECK: sdf.compute vector ins({{.*}}) scalars(%[[S]] : f16)
  // CHECK: %[[K:.*]] = spyreop.constant -0.000000e+00 : f16
  // CHECK: spyreop.compare <greaterthan> %{{.*}}, %[[K]] : f16
  // CHECK: spyreop.softplus %{{.*}} beta 1.000000e+00 threshold 2.000000e+01 : f16
  // CHECK: spyreop.select
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%in, %scale : tensor<4x64xf16>, tensor<4xf16>) outs(%none : tensor<4x64xf16>) {
  ^bb0(%e: f16, %l: f16, %old: f16):
    %k = spyreop.constant -0.0 : f16
    %c = spyreop.compare <greaterthan> %e, %k : f16
    %p = spyreop.softplus %e beta 1.0 threshold 20.0 : f16
    %q = spyreop.realdiv %l, %s : f16
    %r = spyreop.select %c, %p, %q : f16
    linalg.yield %r : f16
  } -> tensor<4x64xf16>
  // CHECK: sdf.compute
  // CHECK: spyreop.gelu
  %g = linalg.map { spyreop.gelu } ins(%y : tensor<4x64xf16>) outs(%none : tensor<4x64xf16>)
  // CHECK: sdf.write
  ktdp.store %g, %t : tensor<4x64xf16>, <4x64xindex>
  return
}
