// RUN: ktir-opt %s --ktir-respell-memory-spaces | filecheck %s --check-prefix=REACH
// RUN: ktir-opt %s --ktir-respell-memory-spaces="to=device" | filecheck %s --check-prefix=DEVICE
// RUN: ktir-opt %s --ktir-respell-memory-spaces="to=device" --ktir-respell-memory-spaces --ktir-respell-memory-spaces="to=device" | filecheck %s --check-prefix=DEVICE

#row = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>

// REACH: func.func @spaces(%{{.*}}: index, %{{.*}}: memref<64xf32, #ktdp.memory_space<global>>)
// REACH: memory_space = #ktdp.memory_space<global>
// REACH: memory_space = #ktdp.memory_space<ct_local, ct_id = 3>
// REACH: memory_space = #ktdp.memory_space<ct_local>
// DEVICE: func.func @spaces(%{{.*}}: index, %{{.*}}: memref<64xf32, #ktdp.spyre_memory_space<HBM>>)
// DEVICE: memory_space = #ktdp.spyre_memory_space<HBM>
// DEVICE: memory_space = #ktdp.spyre_memory_space<LX, core = 3>
// DEVICE: memory_space = #ktdp.spyre_memory_space<LX>
func.func @spaces(%at: index, %in: memref<64xf32, #ktdp.spyre_memory_space<HBM>>) attributes {grid = [4]} {
  %0 = ktdp.construct_memory_view %at, sizes: [64], strides: [1] {
    coordinate_set = #row, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64xf32>
  %1 = ktdp.construct_memory_view %at, sizes: [64], strides: [1] {
    coordinate_set = #row, memory_space = #ktdp.spyre_memory_space<LX, core = 3>} : memref<64xf32>
  %2 = ktdp.construct_memory_view %at, sizes: [64], strides: [1] {
    coordinate_set = #row, memory_space = #ktdp.memory_space<ct_local>} : memref<64xf32>
  return
}
