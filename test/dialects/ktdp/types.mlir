// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// The shapes of access tiles, and the promises of runtime arguments in either order.

// CHECK-LABEL: func.func private @tiles
// CHECK-SAME: !ktdp.access_tile<32x64xindex>, !ktdp.access_tile<?x64xindex>
// CHECK-SAME: !ktdp.access_tile<index>, !ktdp.access_tile<0x42xindex>
func.func private @tiles(!ktdp.access_tile<32x64xindex>, !ktdp.access_tile<?x64xindex>,
                         !ktdp.access_tile<index>, !ktdp.access_tile<0 x 42 x index>)

// CHECK-LABEL: func.func private @runtime_args
// CHECK-SAME: !ktdp.runtime_arg<index>, !ktdp.runtime_arg<index, granularity=3>
// CHECK-SAME: !ktdp.runtime_arg<f32, upperbound=100>
// CHECK-SAME: !ktdp.runtime_arg<i32, granularity=4, upperbound=1024>
func.func private @runtime_args(!ktdp.runtime_arg<index>, !ktdp.runtime_arg<index, granularity = 3>,
                                !ktdp.runtime_arg<f32, upperbound=100>,
                                !ktdp.runtime_arg<i32, upperbound=1024, granularity=4>)
