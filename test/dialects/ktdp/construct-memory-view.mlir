// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#rows = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>

// CHECK-LABEL: func.func @static
// CHECK: ktdp.construct_memory_view %{{.*}}, sizes: [32, 64], strides: [64, 1]
// CHECK-SAME: {coordinate_set = #{{.*}}, memory_space = #ktdp.spyre_memory_space<LX, core = 7>} : memref<32x64xf16>
func.func @static(%address: index) {
  %v = ktdp.construct_memory_view %address, sizes : [32, 64], strides : [64, 1] {
    memory_space = #ktdp.spyre_memory_space<LX, core = 7>, // attributes in any order
    coordinate_set = #box
  } : memref<32x64xf16>
  return
}

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[A:.*]]: index, %[[N:.*]]: index)
// CHECK: ktdp.construct_memory_view %[[A]], sizes: [%[[N]], 64], strides: [1, %[[N]]]
// CHECK-SAME: memory_space = #ktdp.memory_space<global>} : memref<?x64xf16>
func.func @dynamic(%address: index, %n: index) {
  %v = ktdp.construct_memory_view %address, sizes: [%n, 64], strides: [1, %n] {
    coordinate_set = #rows, memory_space = #ktdp.memory_space<global>
  } : memref<?x64xf16>
  return
}

// A size that is a value may be known to the type.
// CHECK-LABEL: func.func @known_by_type
// CHECK: sizes: [%{{.*}}, 64], strides: [0, 1]
func.func @known_by_type(%address: index, %n: index) {
  %v = ktdp.construct_memory_view %address, sizes: [%n, 64], strides: [0, 1] {
    coordinate_set = #box, memory_space = #ktdp.memory_space<global>
  } : memref<32x64xf16>
  return
}

// CHECK-LABEL: func.func @scalar
// CHECK: sizes: [], strides: []
func.func @scalar(%address: index) {
  %v = ktdp.construct_memory_view %address, sizes: [], strides: [] {
    coordinate_set = affine_set<() : (0 == 0)>, memory_space = #ktdp.memory_space<global>
  } : memref<f16>
  return
}
