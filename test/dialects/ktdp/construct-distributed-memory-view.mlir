// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// CHECK-LABEL: func.func @rows
// CHECK: ktdp.construct_distributed_memory_view(%{{.*}}, %{{.*}} : memref<32x64xf16>, memref<32x64xf16>) : memref<64x64xf16>
func.func @rows(%a: memref<32x64xf16>, %b: memref<32x64xf16>) {
  %v = ktdp.construct_distributed_memory_view (%a, %b : memref<32x64xf16>, memref<32x64xf16>)
         : memref<64x64xf16>
  return
}

// CHECK-LABEL: func.func @dynamic
// CHECK: ktdp.construct_distributed_memory_view(%{{.*}} : memref<64x?xf16>) : memref<128x?xf16>
func.func @dynamic(%a: memref<64x?xf16>) {
  %v = ktdp.construct_distributed_memory_view (%a : memref<64x?xf16>) : memref<128x?xf16>
  return
}
