// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// CHECK-LABEL: func.func @copy
// CHECK-SAME: (%[[A:.*]]: !ktdp.access_tile<32x64xindex>, %[[B:.*]]: !ktdp.access_tile<32x64xindex>)
// CHECK: %[[D:.*]] = ktdp.load %[[A]] : <32x64xindex> -> tensor<32x64xf16>
// CHECK: ktdp.store %[[D]], %[[B]] : tensor<32x64xf16>, <32x64xindex>
func.func @copy(%a: !ktdp.access_tile<32x64xindex>, %b: !ktdp.access_tile<32x64xindex>) {
  %d = ktdp.load %a : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
  ktdp.store %d, %b : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
  return
}

// CHECK-LABEL: func.func @elided_types
// CHECK: ktdp.load %{{.*}} : <?x64xindex> -> tensor<?x64xi8>
// CHECK: ktdp.store %{{.*}}, %{{.*}} : tensor<?x64xi8>, <?x64xindex>
func.func @elided_types(%a: !ktdp.access_tile<?x64xindex>) {
  %d = ktdp.load %a : <?x64xindex> -> tensor<?x64xi8>
  ktdp.store %d, %a : tensor<?x64xi8>, <?x64xindex>
  return
}
