// RUN: ktir-opt %s --canonicalize | filecheck %s

// CHECK-DAG: #[[ONE:.*]] = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + s0 - 1 >= 0)>
// CHECK-DAG: #[[NONE:.*]] = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
// CHECK-DAG: #[[FIRST:.*]] = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>

#both = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
#first = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>

// Promises of a runtime argument are numbers; its value is not.
// CHECK-LABEL: func.func @promises(
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C1024:.*]] = arith.constant 1024 : index
// CHECK: %[[V:.*]] = ktdp.runtime_arg_extract value
// CHECK-NEXT: return %[[C4]], %[[C1024]], %[[V]]
func.func @promises(%arg: !ktdp.runtime_arg<i32, granularity=4, upperbound=1024>) -> (index, index, i32) {
  %g = ktdp.runtime_arg_extract granularity from %arg
         : !ktdp.runtime_arg<i32, granularity=4, upperbound=1024> -> index
  %u = ktdp.runtime_arg_extract upperbound from %arg
         : !ktdp.runtime_arg<i32, granularity=4, upperbound=1024> -> index
  %v = ktdp.runtime_arg_extract value from %arg
         : !ktdp.runtime_arg<i32, granularity=4, upperbound=1024> -> i32
  return %g, %u, %v : index, index, i32
}

// Sizes and strides that are constants become integers, and so do the set's symbols that stand for them.
// CHECK-LABEL: func.func @extents(
// CHECK-SAME: %[[A:.*]]: index, %[[N:.*]]: index)
func.func @extents(%a: index, %n: index) -> (memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>, memref<8x64xf16>) {
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %back = arith.constant -64 : index
  // CHECK: sizes: [8, %[[N]]], strides: [%[[N]], 1] {coordinate_set = #[[ONE]],
  %0 = ktdp.construct_memory_view %a, sizes: [%c8, %n], strides: [%n, 1] {
    coordinate_set = #both, memory_space = #ktdp.memory_space<global>} : memref<?x?xf16>
  // CHECK: sizes: [8, 64], strides: [-64, 1] {coordinate_set = #[[NONE]],
  %1 = ktdp.construct_memory_view %a, sizes: [%c8, %c64], strides: [%back, 1] {
    coordinate_set = #both, memory_space = #ktdp.memory_space<global>} : memref<?x?xf16>
  // CHECK: sizes: [%[[N]], 64], strides: [64, 1] {coordinate_set = #[[FIRST]],
  %2 = ktdp.construct_memory_view %a, sizes: [%n, %c64], strides: [%c64, 1] {
    coordinate_set = #first, memory_space = #ktdp.memory_space<global>} : memref<?x?xf16>
  // CHECK: sizes: [8, 64], strides: [64, 1] {memory_space =
  %3 = ktdp.construct_memory_view %a, sizes: [%c8, %c64], strides: [%c64, 1] {
    memory_space = #ktdp.memory_space<global>} : memref<8x64xf16>
  return %0, %1, %2, %3 : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf16>, memref<8x64xf16>
}

// What would be refused as an integer stays a value.
// CHECK-LABEL: func.func @broken(
func.func @broken(%a: index) -> (memref<8xf16>, memref<?xf16>) {
  %c9 = arith.constant 9 : index
  %c-1 = arith.constant -1 : index
  // CHECK: sizes: [%{{.*}}], strides: [1]
  %0 = ktdp.construct_memory_view %a, sizes: [%c9], strides: [1] {
    memory_space = #ktdp.memory_space<global>} : memref<8xf16>
  // CHECK: sizes: [%{{.*}}], strides: [1]
  %1 = ktdp.construct_memory_view %a, sizes: [%c-1], strides: [1] {
    memory_space = #ktdp.memory_space<global>} : memref<?xf16>
  return %0, %1 : memref<8xf16>, memref<?xf16>
}
