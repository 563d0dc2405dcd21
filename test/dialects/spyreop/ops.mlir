// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt --mlir-print-op-generic %s | ktir-opt | filecheck %s

// CHECK-LABEL: func.func @integers(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i64)
func.func @integers(%a: i32, %b: i64) {
  // CHECK: spyreop.addi32toi32 %[[A]], %[[A]]
  %0 = spyreop.addi32toi32 %a, %a
  // CHECK: spyreop.addi64toi64 %[[B]], %[[B]]
  %1 = spyreop.addi64toi64 %b, %b
  // CHECK: spyreop.muli32toi32 %[[A]], %{{.*}} {note = "a"}
  %2 = spyreop.muli32toi32 %a, %0 {note = "a"}
  // CHECK: spyreop.idx32toaddr %[[A]] base %{{.*}} stride %{{.*}}
  %3 = spyreop.idx32toaddr %a base %0 stride %2
  // CHECK: spyreop.idx32toaddr %[[A]] base 0xFFFFFFF0 stride -4
  %4 = spyreop.idx32toaddr %a base 0xFFFFFFF0 stride -4
  // CHECK: spyreop.idx32toaddr %[[A]] base 0x00000010 stride 2147483647
  %5 = spyreop.idx32toaddr %a base 16 stride 0x7FFFFFFF
  return
}

// CHECK-LABEL: func.func @functions(
func.func @functions(%h: f16, %d: !spyreop.df16, %f: f32) {
  // CHECK: spyreop.exp %{{.*}} : f16
  %0 = spyreop.exp %h : f16
  // CHECK: spyreop.gelu %{{.*}} : !spyreop.df16
  %1 = spyreop.gelu %d : !spyreop.df16
  // CHECK: spyreop.realdiv %{{.*}}, %{{.*}} : f32
  %2 = spyreop.realdiv %f, %f : f32
  // CHECK: spyreop.reciprocal %{{.*}} : !spyreop.df16
  %3 = spyreop.reciprocal %d : !spyreop.df16
  // CHECK: spyreop.rsqrt %{{.*}} : f32
  %4 = spyreop.rsqrt %f : f32
  // CHECK: spyreop.sigmoid %{{.*}} : f16
  %5 = spyreop.sigmoid %h : f16
  // CHECK: spyreop.silu %{{.*}} : f16
  %6 = spyreop.silu %h : f16
  // CHECK: spyreop.softplus %{{.*}} beta -5.000000e-01 threshold 2.000000e+01 : f16
  %7 = spyreop.softplus %h beta -0.5 threshold 20.0 : f16
  // CHECK: spyreop.sqrt %{{.*}} : f32
  %8 = spyreop.sqrt %f : f32
  // CHECK: spyreop.select %{{.*}}, %{{.*}}, %{{.*}} : f16
  %9 = spyreop.select %h, %5, %6 : f16
  // CHECK: spyreop.compare <lesserequal> %{{.*}}, %{{.*}} : !spyreop.df16
  %10 = spyreop.compare <lesserequal> %d, %d : !spyreop.df16
  // CHECK: spyreop.compare <notequal> %{{.*}}, %{{.*}} : f32
  %11 = spyreop.compare <notequal> %f, %2 : f32
  // CHECK: spyreop.constant -0.000000e+00 : f16
  %12 = spyreop.constant -0.0 : f16
  return
}

// CHECK-LABEL: func.func @norm(
func.func @norm(%h: f16, %d: !spyreop.df16, %f: f32) {
  // CHECK: %{{.*}}, %{{.*}} = spyreop.exx2 %{{.*}} : f16
  %mean, %squares = spyreop.exx2 %h : f16
  // CHECK: spyreop.layernormscale %{{.*}} squares %{{.*}} : f16
  %scale = spyreop.layernormscale %mean squares %squares : f16
  // CHECK: spyreop.layernormscale %{{.*}} : f32
  %older = spyreop.layernormscale %f : f32
  // CHECK: spyreop.layernormnorm %{{.*}} squares %{{.*}} scale %{{.*}} weight %{{.*}} bias %{{.*}} : f16
  %y = spyreop.layernormnorm %h squares %squares scale %scale weight %h bias %h : f16
  // CHECK: spyreop.exx2_fused %{{.*}} : !spyreop.df16 -> !spyreop.df16_fused
  %pair = spyreop.exx2_fused %d : !spyreop.df16 -> !spyreop.df16_fused
  // CHECK: spyreop.exx2_zeromean_fused %{{.*}} : f32 -> !spyreop.fp32_fused
  %zero = spyreop.exx2_zeromean_fused %f : f32 -> !spyreop.fp32_fused
  // CHECK: spyreop.layernormscale_fused %{{.*}} : !spyreop.fp32_fused -> f32
  %s = spyreop.layernormscale_fused %zero : !spyreop.fp32_fused -> f32
  return
}

// CHECK-LABEL: func.func @containers(
// CHECK-SAME: memref<4x!spyreop.fp16_fused>, %{{.*}}: tensor<2x!spyreop.df16>, %{{.*}}: vector<2x!spyreop.df16>
func.func @containers(%m: memref<4x!spyreop.fp16_fused>, %t: tensor<2x!spyreop.df16>, %v: vector<2x!spyreop.df16>) {
  // CHECK: spyreop.slice_reduction %{{.*}} {reduction_kind = #spyreop.reduction_kind<abs_max>, reduction_scope = #spyreop.reduction_scope<across_slice>} : tensor<2x!spyreop.df16> -> tensor<2x!spyreop.df16>
  %0 = spyreop.slice_reduction %t {reduction_scope = #spyreop.reduction_scope<across_slice>,
                                   reduction_kind = #spyreop.reduction_kind<abs_max>}
      : tensor<2x!spyreop.df16> -> tensor<2x!spyreop.df16>
  return
}
