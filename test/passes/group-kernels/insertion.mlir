// RUN: ktir-opt %s --ktir-group-kernels | filecheck %s

// A concatenation writes in place: what is inserted must be a fresh kernel result, so arguments are copied by a kernel.

// CHECK: %[[E:.*]] = tensor.empty() : tensor<6x64xf16>
// CHECK: %[[A:.*]] = plan.kernel "copy" {{.*}} ins(%{{.*}} = %arg0
// CHECK: %[[P:.*]] = tensor.insert_slice %[[A]] into %[[E]][0, 0] [2, 64] [1, 1]
// CHECK: %[[B:.*]] = plan.kernel "copy" {{.*}} ins(%{{.*}} = %arg1
// CHECK: %[[R:.*]] = tensor.insert_slice %[[B]] into %[[P]][2, 0] [4, 64] [1, 1]
// CHECK: return %[[R]]
func.func @main(%x: tensor<2x64xf16>, %y: tensor<4x64xf16>) -> tensor<6x64xf16> {
  %e = tensor.empty() : tensor<6x64xf16>
  %a = tensor.insert_slice %x into %e[0, 0] [2, 64] [1, 1] : tensor<2x64xf16> into tensor<6x64xf16>
  %b = tensor.insert_slice %y into %a[2, 0] [4, 64] [1, 1] : tensor<4x64xf16> into tensor<6x64xf16>
  return %b : tensor<6x64xf16>
}
