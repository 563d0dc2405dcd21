// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// CHECK-LABEL: func.func @all
// CHECK: ktdp.runtime_arg_extract value from %{{.*}} : <i32, granularity=4, upperbound=64> -> i32
// CHECK: ktdp.runtime_arg_extract granularity from %{{.*}} : <i32, granularity=4, upperbound=64> -> index
// CHECK: ktdp.runtime_arg_extract upperbound from %{{.*}} : <i32, granularity=4, upperbound=64> -> index
func.func @all(%n: !ktdp.runtime_arg<i32, granularity=4, upperbound=64>) {
  %v = ktdp.runtime_arg_extract value from %n
         : !ktdp.runtime_arg<i32, granularity=4, upperbound=64> -> i32
  %g = ktdp.runtime_arg_extract granularity from %n : <i32, granularity=4, upperbound=64> -> index
  %u = ktdp.runtime_arg_extract upperbound from %n : <i32, granularity=4, upperbound=64> -> index
  return
}
