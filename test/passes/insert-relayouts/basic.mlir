// RUN: ktir-opt %s --ktir-insert-relayouts | filecheck %s

// Rows of 100 elements are padded to 128 in device memory, so joining them needs a dense copy; rows of 128 do not.

// CHECK-LABEL: func.func @argument
// CHECK: %[[D:.*]] = plan.kernel "copy" {{.*}} ins(%[[X:.*]] = %arg0
// CHECK: plan.relayout %[[X]] to dense
// CHECK: tensor.collapse_shape %[[D]]
func.func @argument(%x: tensor<67x100xf16>) -> tensor<6700xf16> {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<67x100xf16> into tensor<6700xf16>
  return %r : tensor<6700xf16>
}

// A kernel stores its own result densely instead.
// CHECK-LABEL: func.func @result
// CHECK: %[[K:.*]] = plan.kernel "neg"
// CHECK: %[[N:.*]] = linalg.generic
// CHECK: %[[R:.*]] = plan.relayout %[[N]] to dense
// CHECK: plan.yield %[[R]]
// CHECK-NOT: plan.kernel
// CHECK: tensor.collapse_shape %[[K]]
func.func @result(%x: tensor<67x100xf16>) -> tensor<6700xf16> {
  %y = plan.kernel "neg" split = [1, 1] tile = [67, 100] ins(%a = %x : tensor<67x100xf16>) -> (tensor<67x100xf16>) {
    %e = tensor.empty() : tensor<67x100xf16>
    %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<67x100xf16>) outs(%e : tensor<67x100xf16>) {
      ^bb0(%i: f16, %o: f16):
        %p = arith.negf %i : f16
        linalg.yield %p : f16
    } -> tensor<67x100xf16>
    plan.yield %n : tensor<67x100xf16>
  }
  %r = tensor.collapse_shape %y [[0, 1]] : tensor<67x100xf16> into tensor<6700xf16>
  return %r : tensor<6700xf16>
}
