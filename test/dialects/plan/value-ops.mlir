// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// Legal at function level and inside a kernel.

// CHECK-LABEL: func.func @values
// CHECK: %[[A:.*]] = plan.relayout %{{.*}} to dense : tensor<67x100xf16>
// CHECK: %[[B:.*]] = plan.relayout %[[A]] to sticks : tensor<67x100xf16>
// CHECK: %[[C:.*]] = plan.restickify %[[B]] dim = 0 : tensor<67x100xf16>
// CHECK: %[[D:.*]] = plan.keep %[[C]] {note = "x"} : tensor<67x100xf16>
// CHECK: plan.kernel
// CHECK: plan.keep
func.func @values(%x: tensor<67x100xf16>) -> tensor<67x100xf16> {
  %a = plan.relayout %x to dense : tensor<67x100xf16>
  %b = plan.relayout %a to sticks : tensor<67x100xf16>
  %c = plan.restickify %b dim = 0 : tensor<67x100xf16>
  %d = plan.keep %c {note = "x"} : tensor<67x100xf16>
  %r = plan.kernel "k" split = [1, 1] tile = [67, 100]
         ins(%i = %d : tensor<67x100xf16>) -> (tensor<67x100xf16>) {
    %k = plan.keep %i : tensor<67x100xf16>
    plan.yield %k : tensor<67x100xf16>
  }
  return %r : tensor<67x100xf16>
}
