// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// Both spellings are kept as written.

// CHECK-LABEL: func.func private @device_names
// CHECK-SAME: #ktdp.spyre_memory_space<HBM>>
// CHECK-SAME: #ktdp.spyre_memory_space<LX>>
// CHECK-SAME: #ktdp.spyre_memory_space<LX, core = 0>>
// CHECK-SAME: #ktdp.spyre_memory_space<L0, core = 7>>
// CHECK-SAME: #ktdp.spyre_memory_space<unspecified>>
func.func private @device_names(memref<4xf32, #ktdp.spyre_memory_space<HBM>>,
                                memref<4xf32, #ktdp.spyre_memory_space<LX>>,
                                memref<4xf32, #ktdp.spyre_memory_space<LX, core = 0>>,
                                memref<4xf32, #ktdp.spyre_memory_space<L0, core = 7>>,
                                memref<4xf32, #ktdp.spyre_memory_space<unspecified>>)

// CHECK-LABEL: func.func private @reach
// CHECK-SAME: #ktdp.memory_space<global>>
// CHECK-SAME: #ktdp.memory_space<ct_local>>
// CHECK-SAME: #ktdp.memory_space<ct_local, ct_id = 7>>
func.func private @reach(memref<4xf32, #ktdp.memory_space<global>>,
                         memref<4xf32, #ktdp.memory_space<ct_local>>,
                         memref<4xf32, #ktdp.memory_space<ct_local, ct_id = 7>>)
